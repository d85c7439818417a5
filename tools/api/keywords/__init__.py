"""Options as keyword arguments of functions: their types, and the check of their values."""
