"""The sub-commands of `tinyml`."""
