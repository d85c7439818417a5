"""The packages of the distribution; everything else about it stands in pyproject.toml.

The rooms lie at the top level, and `tools/tinyml` is the package `tinyml` around them. The symbolic links in
`.pyright/tinyml` repeat this mapping for type checkers, which do not run this file. `tinyml.examples` has the models
with data that `tinyml demo` compiles.
"""

from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
ROOMS = ("dialects", "targets", "runtime", "transforms", "lowering", "tools")
EXAMPLES = "tinyml.examples"
FOLDERS = {"tinyml": "tools/tinyml", **{f"tinyml.{room}": room for room in ROOMS}, EXAMPLES: "examples"}

OURS = ("tools", "calibration")
"""The folder of what measures the cost tables, which only a checkout needs."""

inits = sorted(init.parent.relative_to(ROOT).parts for room in ROOMS for init in (ROOT / room).rglob("__init__.py"))
shipped = (parts for parts in inits if parts != ("tools", "tinyml") and parts[:2] != OURS)
packages = ["tinyml", *(".".join(["tinyml", *parts]) for parts in shipped)]

setup(packages=[*packages, EXAMPLES], package_dir=FOLDERS)
