"""Live ranges of buffers, and the order of ops with the least peak of live buffers."""
