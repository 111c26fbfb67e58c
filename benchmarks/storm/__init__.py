"""A storm: the service under load while its parts are killed, frozen, cut off, filled up and given a new master key."""
