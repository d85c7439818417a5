"""Importers, which turn the file of a model into a program on reals."""
