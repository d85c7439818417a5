"""Virtual environments in which packages of others are installed."""

from __future__ import annotations

import os
import shutil
import site
import subprocess
import sys
import venv
from pathlib import Path

from programs.paths import ROOT


class Environment:
    """A virtual environment that finds what this one has, and packages of its own."""

    def __init__(self, folder: Path):
        venv.create(folder / "venv")
        self.folder = folder
        self.python = folder / "venv" / "bin" / "python"
        [packages] = (folder / "venv" / "lib").glob("python*/site-packages")
        lines = [f"import site; site.addsitedir({path!r})" for path in site.getsitepackages()]
        (packages / "surroundings.pth").write_text("\n".join(lines) + "\n")

    def run(self, *arguments: str | Path, cwd: Path = ROOT) -> str:
        """The standard output of a Python module, which has to end well."""
        command = [str(self.python), "-m", *map(str, arguments)]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def install(self, *packages: Path) -> None:
        """Build wheels of copies of packages, and install them."""
        copies, wheels = [self.folder / package.name for package in packages], self.folder / "wheels"
        for package, copy in zip(packages, copies, strict=True):
            if copy != package:
                shutil.copytree(package, copy)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
        quiet = ["--no-deps", "--no-build-isolation", "-w", str(wheels), *map(str, copies)]
        subprocess.run([*pip, "wheel", *quiet], check=True, capture_output=True)
        into = ["--python", str(self.python), "install", "--no-deps", *map(str, wheels.glob("*.whl"))]
        subprocess.run([*pip, *into], check=True, capture_output=True)
