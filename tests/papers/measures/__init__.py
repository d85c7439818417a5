"""What rows measure, beyond commands and tests that there are: a file for each kind of measurement."""
