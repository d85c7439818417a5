"""Passes that stay on their level.

Each folder is a level; a file directly in it is a pass of the same name, and subfolders hold libraries. `ir/` serves
all levels.
"""
