"""Reports on the inputs of programs: a sensor's integers, and floats."""
