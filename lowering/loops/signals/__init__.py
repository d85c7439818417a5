"""Lowerings of ops of signals to loops."""
