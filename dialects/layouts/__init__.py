"""Layouts of arrays in bytes and in attributes: packed integers, sparse rows, trees, weights embedded in code."""
