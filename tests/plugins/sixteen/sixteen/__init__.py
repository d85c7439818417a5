"""A chip for tinyml with an `int` of 16 bits."""
