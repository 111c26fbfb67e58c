"""Masking of prompts."""
