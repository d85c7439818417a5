"""Entry points: each file of this folder is a command-line tool or the registry.

`commands/` has one file per subcommand, `driver/` the steps that several commands share, `reports/` human-readable
output, and `cli/` the behaviour common to all command lines.
"""
