"""Lowerings of ops on buffers to loops, with one function for each class of ops."""
