"""A chip whose C `int` has 16 bits."""
