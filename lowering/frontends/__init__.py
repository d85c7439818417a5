"""Importers: from a model's file to a program on reals."""
