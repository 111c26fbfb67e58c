"""Services that all requests of a process share: charges, policies, usage counts, password hashing."""
