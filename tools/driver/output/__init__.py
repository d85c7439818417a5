"""The output folder of `tinyml compile`: its files and their hashes."""
