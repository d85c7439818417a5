"""The output folder of `tinyml compile`: its files, their hashes, a program around the model."""
