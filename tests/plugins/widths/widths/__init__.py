"""A command, an exporter, a folder for a tool, a part of the report and an alternative of `auto`, for tinyml."""
