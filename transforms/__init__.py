"""Passes whose result has the level of their input.

Each folder stands for a level; a file directly in it is a pass of the same name, and subfolders hold libraries. `ir/`
serves all levels.
"""
