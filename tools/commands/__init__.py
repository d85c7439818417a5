"""The sub-commands of `tinyml`, each a file that declares its arguments and runs."""
