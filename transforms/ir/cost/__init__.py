"""The cost model: the steps, the demand and the estimated cost of programs at L3."""
