"""The output folder of `tinyml compile`: its files, and its creation in one step."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from tinyml.runtime.model.data import Data
    from tinyml.targets.board import Board
    from tinyml.tools.driver.stages import Compiled

REPORT = "report.json"

MEASURED_SAMPLES = 5
"""Number of inputs that are run on the device for the report."""

SAMPLES = "samples.npz"
"""The file of these inputs."""

SEARCH_PICTURE = "search.svg"
"""The picture of a search's choices and candidates, written if matplotlib is installed."""

MEMORY_PICTURE = "memory.svg"
"""The picture of the arena over time, written if matplotlib is installed."""


@contextmanager
def new_folder(out: Path) -> Generator[Path]:
    """A temporary folder beside `out` that replaces it if the context ends without an exception.

    Raises `InputError` if `out` exists and is neither empty nor an earlier output, and if it cannot be written.
    """
    if out.exists() and not (out / REPORT).is_file() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError("exists already and is no output of tinyml", file=str(out))
    # A symbolic link is kept; the folder that it points to is replaced.
    out = out.resolve()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        waiting = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise InputError(f"cannot write there: {error.strerror}", file=str(out)) from error
    try:
        yield waiting
        waiting.chmod(0o755)
        if out.exists():
            shutil.rmtree(out)
        os.replace(waiting, out)
    finally:
        shutil.rmtree(waiting, ignore_errors=True)


def read_report(folder: Path) -> dict[str, Any]:
    """The report in a folder written by `tinyml compile`; raises `InputError` for any other folder."""
    with suppress(OSError, ValueError):
        report = json.loads((folder / REPORT).read_text(encoding="utf-8"))
        if isinstance(report, dict) and {"target", "optimize"} <= report.keys():
            return cast("dict[str, Any]", report)
    raise InputError("expected a folder written by tinyml compile", file=str(folder))


def write_sources(folder: Path, compiled: Compiled, board: Board, data: Data) -> None:
    """Write NAME.c, NAME.h, the IR of every level, the measured samples and, for Arduino boards, a sketch."""
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.targets.registry import chip_of
    from tinyml.tools.driver.arduino_sketch import arduino_sketch

    name = interface_of(compiled.formats).name
    files = {f"{name}.c": compiled.source, f"{name}.h": compiled.header}
    files |= {f"ir/{stage.file}": stage.text for stage in compiled.stages}
    sketch = chip_of(board.name).sketch
    if sketch is not None:
        files |= {f"{name}/{name}.c": compiled.source, f"{name}/{name}.h": compiled.header}
        files[f"{name}/{name}.ino"] = arduino_sketch(sketch, compiled.formats, data)
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _write_samples(folder / SAMPLES, data)


def _write_samples(file: Path, data: Data) -> None:
    np.savez(file, x=data.x[:MEASURED_SAMPLES])
