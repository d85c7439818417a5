"""Measurements of the figures in the pages and in the pages about papers, and the files and tables that store them."""
