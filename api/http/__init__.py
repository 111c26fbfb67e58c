"""The HTTP protocol's own matters: bodies, errors, addresses, origins, the log and the server's socket."""
