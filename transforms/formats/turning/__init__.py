"""Convolutions in place, and the turns in which they run (Gural and Murmann 2019)."""
