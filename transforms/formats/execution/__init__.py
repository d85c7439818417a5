"""The modes of execution by name."""
