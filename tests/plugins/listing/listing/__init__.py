"""A package that adds an output folder for another tool, and an alternative format that `--format auto` considers."""
