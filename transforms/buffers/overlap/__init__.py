"""Results that overlap operands at their last read: safe distances, and their verification by replay (L2)."""
