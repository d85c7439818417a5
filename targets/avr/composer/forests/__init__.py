"""Forests on AVR: nodes as code or as tables, and the leaves in flash."""
