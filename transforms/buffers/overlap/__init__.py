"""Results that overlap operands while the operands are read for the last time: safe distances, and their verification
by replay (L2).
"""
