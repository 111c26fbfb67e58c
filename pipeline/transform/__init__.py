"""What becomes of detected spans: tokens, placeholders, generalized values, and the encrypted envelope."""
