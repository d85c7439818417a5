"""Storage layouts of constant arrays: packed integers, sparse rows, trees, and weights that are embedded in code."""
