"""Results that overlap operands when these are read for the last time: safe distances, and their verification by replay
(L2).
"""
