"""Count the modules of tinyml that three compilations load, and the lines of these modules, and compare them with
limits.

python -m core.loaded print the counts and the limits in loaded.json python -m core.loaded --update write new limits:
the modules, and the lines rounded up to the next thousand
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from programs.paths import ROOT

LIMITS = Path(__file__).with_name("loaded.json")

PROGRAMS = {
    "logistic regression on uno": "linear-uno",
    "forest on cortex-m4": "forest-m4",
    ".tflite on cortex-m4": "tflite-m4",
}
"""Compilations, by their programs in programs.py."""

STEP = 1000
"""The lines of which a limit is a multiple, so that not every line has to be counted."""

_CODE = """
import runpy, sys
runpy.run_path(sys.argv[1])["main"](*sys.argv[2:])
files = {getattr(module, "__file__", None) for name, module in sys.modules.items() if name.startswith("tinyml")}
print(*sorted(filter(None, files)), sep="\\n")
"""


class Loaded(NamedTuple):
    """The modules of tinyml that a process has loaded, and the number of lines in their files."""

    modules: int
    lines: int


def loaded(program: str) -> Loaded:
    """The modules that a compilation has loaded at its end, in a separate Python process."""
    with tempfile.TemporaryDirectory() as folder:
        script = ROOT / "tests" / "core" / "programs.py"
        command = [sys.executable, "-W", "ignore", "-c", _CODE, str(script), str(Path(folder, "out")), program]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    files = [Path(line) for line in done.stdout.splitlines() if line.endswith(".py")]
    return Loaded(len(files), sum(file.read_text("utf-8").count("\n") for file in files))


def limits() -> dict[str, Loaded]:
    return {name: Loaded(**limit) for name, limit in json.loads(LIMITS.read_text()).items()}


def main(*options: str) -> None:
    found = {name: loaded(program) for name, program in PROGRAMS.items()}
    if "--update" in options:
        least = {name: count._replace(lines=-(-count.lines // STEP) * STEP) for name, count in found.items()}
        LIMITS.write_text(json.dumps({name: limit._asdict() for name, limit in least.items()}, indent=2) + "\n")
    for name, limit in limits().items():
        count = found[name]
        print(f"{name}: {count.modules} modules of {limit.modules}, {count.lines:,} lines of {limit.lines:,}")


if __name__ == "__main__":
    main(*sys.argv[1:])
