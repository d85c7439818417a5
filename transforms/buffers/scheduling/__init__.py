"""Orders of ops with the least peak memory."""
