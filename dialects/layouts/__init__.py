"""Layouts of arrays in bytes and in attributes: packed integers, sparse rows, trees, weights that become code."""
