"""Names of people by rules: Arabic, Latin, behind a label, and as airlines write them."""
