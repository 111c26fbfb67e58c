"""Forms: numbers by hand and in cells, beside every kind of ink."""
