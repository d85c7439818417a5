"""Results that overlap operands during the last read of the operands: safe distances, and their verification by replay
(L2).
"""
