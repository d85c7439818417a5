"""The rules about where things stand, and what reads the sources to hold them."""
