"""The name and licence under which tinyml is distributed, and its top-level packages. `setup.py` executes this file.

The name of the distribution differs from that of the imported Python package.
"""

DISTRIBUTION = "tinyml-xdsl"
"""The name for pip and `importlib.metadata`; the name `tinyml` on PyPI belongs to another project."""

PACKAGES = ("dialects", "targets", "runtime", "transforms", "lowering", "tools")
"""The folders of the checkout that are packages inside `tinyml`; each imports only packages listed before it."""

LICENCE_LINE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
"""The licence line in generated files, which applies to the parts that tinyml contributes (docs/licence.md)."""

FOREIGN_DISTRIBUTION = "tinyml"
"""Another project's distribution, which installs a package of the same name."""


def install_command(*extras: str) -> str:
    """The pip command that installs the optional dependencies of the given extras."""
    names = f"[{','.join(extras)}]" if extras else ""
    return f"pip install '{DISTRIBUTION}{names}'"
