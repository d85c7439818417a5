"""What a compiled model and its callers agree on: data sets, the C interface, headers."""
