"""Passes that choose number formats (L0 to L1), and passes that depend on the chosen formats (L1)."""
