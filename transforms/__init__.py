"""Passes whose result is on the same IR level as their input.

Each folder contains the passes of one level. A file directly in such a folder contains the pass of the same name. The
subfolders of such a folder are libraries. `ir/` contains the helpers that all levels share.
"""
