"""The kernel generator (composer) in plain C, for all chips."""
