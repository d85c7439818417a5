"""Passes whose result is on the same level of IR as their input.

Each folder contains the passes of one level. A file directly in such a folder is a pass of the same name. Its
subfolders are libraries. `ir/` contains the helpers that all levels share.
"""
