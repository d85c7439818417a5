"""Moves: the steps by which a candidate leads to another, and the published algorithms that searches begin with."""
