"""Results that overlap operands which are read for the last time: safe distances, and their check by replay (L2)."""
