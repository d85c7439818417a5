"""Comparisons of number formats and of searches over many models (`tinyml bench`)."""
