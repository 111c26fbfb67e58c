"""The providers' wire formats: masks the text of a request body and restores the answer, whole or as a stream."""
