"""Programs that tests compile, and what leads from one level to the next."""
