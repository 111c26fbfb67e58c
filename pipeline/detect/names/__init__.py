"""Names of persons, found by rules: in Arabic letters, in Latin letters, after a label, and in airline form."""
