"""Lowerings of ops on buffers to loops, one function for each class of ops."""
