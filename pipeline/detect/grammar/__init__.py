"""Words and their meanings as code letters, so that a regular expression reads grammar."""
