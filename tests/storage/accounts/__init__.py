"""What an account owns."""
