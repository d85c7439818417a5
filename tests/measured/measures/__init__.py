"""The functions that measure rows of the papers, by subject."""
