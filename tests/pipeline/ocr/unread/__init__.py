"""What is burned because nobody read it, or knows what it is."""
