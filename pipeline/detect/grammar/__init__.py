"""Words and their meanings as code letters, so that regular expressions can match grammar."""
