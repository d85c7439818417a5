"""Independent interpreters: what lowered programs must compute."""
