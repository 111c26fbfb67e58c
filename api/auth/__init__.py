"""Authentication, rate limit, and login."""
