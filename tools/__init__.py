"""Entry points: the command-line tools `tinyml` and `tinyml-opt`, the Python package, and the registry for xDSL's tools
(`universe.py`).

`commands/` has one file per subcommand, `driver/` the steps that several commands share, `reports/` human-readable
output, and `cli/` the behaviour common to all command lines.
"""
