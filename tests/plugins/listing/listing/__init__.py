"""A folder for a tool, and an alternative of `--format auto`, for tinyml."""
