"""Short programs that use Masker as their readers would; each is run by tests."""
