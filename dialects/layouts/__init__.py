"""Layouts of arrays in bytes and in attributes: packed integers, sparse rows, trees, and weights embedded in code."""
