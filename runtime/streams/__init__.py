"""Programs that stream, call after call."""
