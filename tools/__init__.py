"""Entry points: each file here is a command or the registry.

`commands/` has one file per sub-command, `driver/` the work that several commands share, `reports/` human-readable
output, and `cli/` the behaviour common to all command lines.
"""
