"""The sub-commands of `tinyml`; each file declares its arguments and runs them."""
