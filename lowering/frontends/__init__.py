"""Importers, which convert model files to programs on reals."""
