"""What formats share whose products are exact integers: bounds, accumulators, arithmetic."""
