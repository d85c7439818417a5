"""The command `tinyml new-format`, which writes a package with a working number format, ready to be adapted.

docs/adding-a-format.md says more.
"""

from __future__ import annotations

import argparse

from tinyml.tools.cli.arguments import parsed
from tinyml.tools.driver.new_package import NewPackageRequest, add_arguments, new_package

__all__ = ["add_arguments", "run"]


def run(arguments: argparse.Namespace) -> int:
    return new_package("format", parsed(arguments, NewPackageRequest))
