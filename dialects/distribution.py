"""The name under which tinyml is distributed, which differs from that of the package that Python imports."""

DISTRIBUTION = "tinyml-xdsl"
"""The name for pip and `importlib.metadata`; `tinyml` on PyPI is somebody else's package."""

FOREIGN = "tinyml"
"""The distribution of others that installs a package of the same name."""


def install_command(*extras: str) -> str:
    """The command that installs optional dependencies, by the extras that declare them."""
    names = f"[{','.join(extras)}]" if extras else ""
    return f"pip install '{DISTRIBUTION}{names}'"
