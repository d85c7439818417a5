"""Live ranges of buffers, and the order of ops with the lowest peak of live bytes."""
