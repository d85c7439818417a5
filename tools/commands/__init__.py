"""The subcommands of `tinyml`. Each file declares the arguments of a command and runs it."""
