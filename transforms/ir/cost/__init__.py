"""The cost model: the steps, the demand and the estimated cost of a program (L3)."""
