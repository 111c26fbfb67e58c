"""The words everybody uses: entity catalogue, spans, requests and answers, job record, errors, settings."""
