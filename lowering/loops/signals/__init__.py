"""Lowerings of ops on signals to loops."""
