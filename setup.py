"""The packages and the long description of the distribution; everything else about it stands in pyproject.toml.

Each folder in `PACKAGES` is a package inside `tinyml`. `tools/tinyml` is `tinyml` itself, with the interface for
packages, `tinyml.extend`. The symbolic links in `.pyright/tinyml` repeat this mapping for type checkers, which do not
run this file. `tinyml.examples` has the models with data that `tinyml demo` compiles.

The long description is README.md, in which links lead to the repository: a registry of packages shows this page
without the files beside it.
"""

import re
import tomllib
from pathlib import Path
from runpy import run_path

from setuptools import setup

ROOT = Path(__file__).parent
PACKAGES = run_path(str(ROOT / "dialects" / "package_metadata.py"))["PACKAGES"]
EXAMPLES = "tinyml.examples"
FOLDERS = {"tinyml": "tools/tinyml", **{f"tinyml.{package}": package for package in PACKAGES}, EXAMPLES: "examples"}

OURS = ("tools", "calibration")
"""The folder of what measures the cost tables, which only a checkout needs."""

files = (init for package in PACKAGES for init in (ROOT / package).rglob("__init__.py"))
inits = sorted(init.parent.relative_to(ROOT).parts for init in files)
outermost = ("tools", "tinyml")
shipped = [parts for parts in inits if parts[:2] != OURS]
packages = [".".join(["tinyml", *(parts[2:] if parts[:2] == outermost else parts)]) for parts in shipped]

repository = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]["Repository"]
readme = (ROOT / "README.md").read_text("utf-8")
readme = re.sub(r"!\[([^]]*)\]\((?!https?:)", rf"![\1]({repository}/raw/main/", readme)
readme = re.sub(r"(?<=\]\()(?!https?:)", f"{repository}/blob/main/", readme)

setup(
    packages=[*packages, EXAMPLES],
    package_dir=FOLDERS,
    long_description=readme,
    long_description_content_type="text/markdown",
)
