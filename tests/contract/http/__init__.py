"""What holds for every call: origin, limits, errors, versions."""
