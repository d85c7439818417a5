"""The cost model: the steps, the resource demand and the estimated cost of a program (L3)."""
