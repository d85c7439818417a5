"""Formats whose products are exact integers: bounds, accumulators and arithmetic."""
