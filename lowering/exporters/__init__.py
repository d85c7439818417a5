"""Writers of programs on reals as files that other tools read."""
