"""Formats whose products are exact integers: their bounds, accumulators and arithmetic."""
