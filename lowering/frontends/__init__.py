"""Importers: conversions of model files to programs on reals."""
