"""Replaces detected spans by tokens, placeholders or generalized values, and seals the mapping in an envelope."""
