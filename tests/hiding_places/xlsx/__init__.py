"""Hiding places of XLSX."""
