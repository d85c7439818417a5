"""Passes that choose formats and follow from the choice (L0 to L1, L1)."""
