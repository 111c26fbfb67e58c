"""Uploads and the jobs that they become."""
