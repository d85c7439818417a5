"""Programs that tests compile, and functions that lower programs from one level to the next and run them."""
