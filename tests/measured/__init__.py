"""Measurements of the figures in the documentation and in its pages about papers, and the files that store them."""
