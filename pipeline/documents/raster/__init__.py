"""Pixels: boxes burned into them, ink found in them, and text that gray does not show."""
