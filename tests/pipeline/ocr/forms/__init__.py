"""Forms with every kind of ink: what goes, and what stays."""
