"""Convolutions in place: which of a network's run in turns, and in which (Gural and Murmann 2019)."""
