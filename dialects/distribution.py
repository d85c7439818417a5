"""The name and the licence under which tinyml is distributed, and its rooms; `setup.py` reads them, too.

The imported Python package has a different name.
"""

DISTRIBUTION = "tinyml-xdsl"
"""The name for pip and `importlib.metadata`; `tinyml` on PyPI is somebody else's package."""

ROOMS = ("dialects", "targets", "runtime", "transforms", "lowering", "tools")
"""The folders of the checkout that are packages inside `tinyml`; each imports only rooms listed before it."""

LICENCE_LINE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
"""The line in generated files about their tinyml parts (docs/licence.md)."""

FOREIGN_DISTRIBUTION = "tinyml"
"""Another project's distribution, which installs a package of the same name."""


def install_command(*extras: str) -> str:
    """The command that installs optional dependencies, by the extras that declare them."""
    names = f"[{','.join(extras)}]" if extras else ""
    return f"pip install '{DISTRIBUTION}{names}'"
