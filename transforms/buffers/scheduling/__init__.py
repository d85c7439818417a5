"""Orders of ops that keep little alive."""
