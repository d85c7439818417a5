"""Count the modules of tinyml that three compilations load, and the lines of these modules, and compare them with
limits.

Two counts of lines have limits: the lines outside docstrings, and all lines.

python -m core.loaded            prints the counts and the limits in loaded.json
python -m core.loaded --update   writes new limits: the modules, and both counts of lines rounded up to the next 100
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from layout.same_code import is_docstring
from programs.paths import ROOT

LIMITS = Path(__file__).with_name("loaded.json")

PROGRAMS = {
    "logistic regression on uno": "linear-uno",
    "forest on cortex-m4": "forest-m4",
    ".tflite on cortex-m4": "tflite-m4",
}
"""Compilations, by their programs in programs.py."""

STEP = 100
"""The number of lines of which a limit is a multiple, so that not every line has to be counted."""

_CODE = """
import runpy, sys
runpy.run_path(sys.argv[1])["main"](*sys.argv[2:])
files = {getattr(module, "__file__", None) for name, module in sys.modules.items() if name.startswith("tinyml")}
print(*sorted(filter(None, files)), sep="\\n")
"""


class Loaded(NamedTuple):
    """The modules of tinyml that a process has loaded, and the number of lines in their files.

    modules: the number of modules.
    lines: the number of lines outside docstrings.
    all_lines: the number of lines with docstrings.
    """

    modules: int
    lines: int
    all_lines: int


def loaded_files(program: str) -> list[Path]:
    """The files of the modules that are loaded when the compilation of `program`, in a separate Python process, has
    ended.
    """
    with tempfile.TemporaryDirectory() as folder:
        script = ROOT / "tests" / "core" / "programs.py"
        command = [sys.executable, "-W", "ignore", "-c", _CODE, str(script), str(Path(folder, "out")), program]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [Path(line) for line in done.stdout.splitlines() if line.endswith(".py")]


def loaded(files: list[Path]) -> Loaded:
    """The number of modules and lines in files."""
    texts = [file.read_text("utf-8") for file in files]
    return Loaded(len(files), sum(map(code_lines, texts)), sum(text.count("\n") for text in texts))


def code_lines(text: str) -> int:
    """The number of lines of a module outside docstrings, as `layout.same_code` defines docstrings."""
    docstrings = [node for node in ast.walk(ast.parse(text)) if is_docstring(node)]
    return text.count("\n") - sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in docstrings)


def limits() -> dict[str, Loaded]:
    return {name: Loaded(**limit) for name, limit in json.loads(LIMITS.read_text()).items()}


def _rounded(count: Loaded) -> Loaded:
    """The limits for a count."""
    return Loaded(count.modules, *(-(-lines // STEP) * STEP for lines in (count.lines, count.all_lines)))


def main(*options: str) -> None:
    found = {name: loaded(loaded_files(program)) for name, program in PROGRAMS.items()}
    if "--update" in options:
        least = {name: _rounded(count) for name, count in found.items()}
        LIMITS.write_text(json.dumps({name: limit._asdict() for name, limit in least.items()}, indent=2) + "\n")
    for name, limit in limits().items():
        count = found[name]
        modules, lines = f"{count.modules} modules of {limit.modules}", f"{count.lines:,} lines of {limit.lines:,}"
        print(f"{name}: {modules}, {lines}, {count.all_lines:,} of {limit.all_lines:,} with docstrings")


if __name__ == "__main__":
    main(*sys.argv[1:])
