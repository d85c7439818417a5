"""The choice of how many elements loops process at once. The choice depends on the number of cells that this
requires.
"""
