"""Safe distances between an operand and a result that share bytes, and their verification by executing loops on
addresses only (L2).

At a safe distance, no byte of the operand is overwritten before its last read.
"""
