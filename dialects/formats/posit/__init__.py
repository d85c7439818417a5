"""Posits. `type.py` defines the format."""
