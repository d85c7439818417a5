"""Entry points: each file here is a command or the registry.

`commands/` has one file per sub-command, `driver/` the work that several of them share, `reports/` output for people,
and `cli/` the behaviour common to all command lines.
"""
