"""Safe distances for results that overlap operands while the operands are read for the last time, and the verification
of these distances by replaying loops (L2).
"""
