"""Passes that stay on their level.

The folder is the level; a file in it is a pass of its name; libraries lie one folder deeper. `ir/` is for all.
"""
