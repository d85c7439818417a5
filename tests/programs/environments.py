"""A virtual environment in which other packages are installed."""

from __future__ import annotations

import os
import shutil
import site
import subprocess
import sys
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path

from programs.paths import ROOT
from tinyml.tools.main import main

PLUGINS = ROOT / "tests" / "plugins"
LNS, GAUSSIAN = ROOT / "examples" / "lns", PLUGINS / "gaussian"
"""Formats of logarithmic numbers, with exact sums and with sums that round."""

EXAMPLES = {path.parent.name: path.parent for path in sorted(ROOT.glob("examples/*/pyproject.toml"))}
"""The packages among the examples, by name."""

NEW = {
    "format": "halves",
    "target": "own_chip",
    "frontend": "linear",
    "op": "half_gates",
    "pass": "drop_relus",
    "search": "one_by_one",
    "schedule": "inner_patches",
    "packer": "longest_first",
    "command": "count_ops",
}
"""Packages that `tinyml new KIND` writes: names that are no words of tinyml's, two of them of two words."""


SUMS = "rounded_sums"
"""The package of `tinyml new format --sums`."""

GROUPED = "shared_scales"
"""The package of `tinyml new format --grouped`."""


@dataclass(frozen=True)
class PackagesOfOthers:
    """A virtual environment that includes the packages of the current one, and further packages whose sources are in
    its folder.
    """

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    def run(self, *arguments: str | Path, cwd: Path = ROOT) -> str:
        """Run a Python module, assert that it succeeds, and return its standard output.

        arguments: the name of the module and its arguments.
        cwd: the working directory.
        """
        command = [str(self.python), "-m", *map(str, arguments)]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def install_packages(folder: Path) -> None:
    """Create the environment with its packages in an empty folder."""
    for kind, name in NEW.items():
        assert main(["new", kind, name, str(folder / name)]) == 0
    assert main(["new", "format", SUMS, str(folder / SUMS), "--sums"]) == 0
    assert main(["new", "format", GROUPED, str(folder / GROUPED), "--grouped"]) == 0
    for source in (LNS, GAUSSIAN):
        shutil.copytree(source, folder / source.name)
    packages = _environment(folder)
    # pip takes a third of a second for each: for one with data, and for one of those with a single module.
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(PackagesOfOthers(folder).python)]
    by_pip = [str(folder / name) for name in (NEW["target"], LNS.name)]
    subprocess.run(
        [*pip, "install", "-q", "--no-deps", "--no-build-isolation", *by_pip], check=True, capture_output=True
    )
    for name in {GAUSSIAN.name, SUMS, GROUPED, *NEW.values()} - {NEW["target"]}:
        copy_installed(folder / name, packages)


def install_examples(folder: Path) -> None:
    """Create the environment with the packages among the examples in an empty folder."""
    packages = _environment(folder)
    for source in EXAMPLES.values():
        copy_installed(source, packages)


def _environment(folder: Path) -> Path:
    """Create an environment that includes the packages of the current one and has the commands that FileCheck tests
    run; return its folder of packages.
    """
    venv.create(folder / "venv")
    [packages] = (folder / "venv" / "lib").glob("python*/site-packages")
    lines = [f"import site; site.addsitedir({path!r})" for path in site.getsitepackages()]
    (packages / "surroundings.pth").write_text("\n".join(lines) + "\n")
    python = PackagesOfOthers(folder).python
    for name in ("tinyml", "tinyml-opt", "filecheck"):
        _, _, code = (Path(sys.executable).parent / name).read_text().partition("\n")
        command = python.with_name(name)
        command.write_text(f"#!{python}\n{code}")
        command.chmod(0o755)
    return packages


def copy_installed(source: Path, packages: Path) -> None:
    """Copy the modules and entry points of a package to a folder of `PYTHONPATH`, as pip would install them.

    This is much faster than pip, which takes a second and a half and is run by `install_packages`.
    """
    described = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))
    project, contents = described["project"], described["tool"]["setuptools"]
    info = packages / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"].items()
    lines = [line for group, names in groups for line in (f"[{group}]", *(f"{k} = {v}" for k, v in names.items()))]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    for module in contents.get("py-modules", []):
        shutil.copy(source / f"{module}.py", packages)
    for package in contents.get("packages", []):
        shutil.copytree(source / package, packages / package)
