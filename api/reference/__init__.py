"""The API reference at /docs: the OpenAPI document as one page of HTML that loads nothing from elsewhere."""
