"""Formats whose products are exact integers: their arithmetic, their accumulators, and bounds on their sums."""
