"""What is shared by all requests of a process: stores, billing, policies and usage counts."""
