"""The command `tinyml new-pass`, which writes a package with a working pass, ready to be adapted.

docs/where-to-add.md says more.
"""

from __future__ import annotations

import argparse

from tinyml.tools.cli.arguments import parsed
from tinyml.tools.driver.new_package import NewPackageRequest, add_arguments, new_package

__all__ = ["add_arguments", "run"]


def run(arguments: argparse.Namespace) -> int:
    return new_package("pass", parsed(arguments, NewPackageRequest))
