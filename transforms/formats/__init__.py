"""Passes that choose formats or depend on the choice (L0 to L1, L1)."""
