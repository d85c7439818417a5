"""The software installed on this computer, for `tinyml doctor` and the warnings of all commands."""
