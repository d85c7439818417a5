"""How a candidate leads to another."""
