"""Entry points. A file here is a command or the registry.

`commands/` has one file per sub-command, `driver/` what several share, `reports/` what people read, `cli/` manners.
"""
