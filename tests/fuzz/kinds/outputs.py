"""Output folders that were changed after compilation, and commands that are killed."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from random import Random

from fuzz.kinds.files import tour
from fuzz.verdicts import ACCEPTED, REFUSED, TINYML, Harm, call


def compile_into(out: Path) -> list[str | Path]:
    """The command line that compiles the smallest model into a folder."""
    return ["compile", tour() / "tour.sd", "--val", tour() / "val.npz", "--target", "host", "-o", out]


@cache
def compiled() -> Path:
    """A compiled output folder, which all cases share and must not change."""
    out = Path(tempfile.mkdtemp(prefix="fuzz-compiled-")) / "out"
    assert call(TINYML, *compile_into(out)) == ACCEPTED
    return out


def contents(folder: Path) -> dict[str, bytes | str]:
    """The content of each file in a folder, and the target of each link."""
    return {
        str(path.relative_to(folder)): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def change(out: Path, random: Random) -> None:
    """Change an output folder in one random way."""
    files = [path for path in sorted(out.rglob("*")) if path.is_file() and not path.is_symlink()]
    file = random.choice(files or [out / "report.json"])
    match random.randrange(8):
        case 0:
            (file.parent / random.choice(["notes.txt", "model.sd"])).write_text("mine")
        case 1:
            file.write_bytes(file.read_bytes() + b"?")
        case 2:
            file.unlink(missing_ok=True)
        case 3:
            (out / "mine").mkdir(exist_ok=True)
            (out / "mine" / "notes.txt").write_text("mine")
        case 4:
            file.unlink(missing_ok=True)
            file.symlink_to(tour() / "tour.sd")
        case 5:
            (out / "report.json").unlink(missing_ok=True)
            (out / "report.json").write_text(random.choice(["{}", "[]", "null", "", '{"files": {}}', '{"tinyml": 1}']))
        case 6:
            (out / "link").unlink(missing_ok=True)
            (out / "link").symlink_to(tour())
        case _:
            shutil.rmtree(out)
            out.mkdir()
            (out / "notes.txt").write_text("mine")


def damaged(number: int, random: Random, folder: Path) -> str:
    """Compile into an output folder that was changed, or run its program, and return the verdict.

    Raises `Harm` if a compilation changes or removes files that are not tinyml's, or leaves temporary files behind, and
    if a refused compilation changes the folder.
    """
    out = folder / "out"
    shutil.copytree(compiled(), out, symlinks=True)
    for _ in range(random.randint(1, 2)):
        change(out, random)
    if random.random() < 0.3:
        return call(TINYML, "run", out, "--data", tour() / "val.npz")
    before, source = contents(out), contents(tour())
    verdict = call(TINYML, *compile_into(out))
    if contents(tour()) != source:
        raise Harm("lost", "a file that the output linked to")
    if verdict == REFUSED and contents(out) != before:
        raise Harm("lost", "a refused command changed the folder")
    foreign = dict(before.items() - contents(compiled()).items())
    if verdict == ACCEPTED and foreign:
        raise Harm("lost", f"files that are not tinyml's were replaced: {sorted(foreign)}")
    if {path.name for path in folder.iterdir()} != {"out"}:
        raise Harm("left behind", str(sorted(path.name for path in folder.iterdir())))
    return verdict


def killed(number: int, random: Random, folder: Path) -> str:
    """Kill a compilation at a random time, and return the verdict.

    Raises `Harm` unless the output folder is then complete, or missing if it did not exist before, and the next run
    succeeds and removes temporary files. Also raises `Harm` for a traceback of tinyml.
    """
    out = folder / "out"
    old = random.random() < 0.5
    if old:
        shutil.copytree(compiled(), out)
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    (folder / "tmp").mkdir()
    command = [sys.executable, "-m", "tinyml.tools.main", *map(str, compile_into(out))]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(random.uniform(0, 1.5))
    process.send_signal(random.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
    _, said = process.communicate()
    # Python itself reports an interrupt that comes before `main` is called; its own start has a `main`, too.
    if re.search(r'tools/main\.py", line \d+, in main\n', said):
        raise Harm("traceback", said.strip().splitlines()[-1])
    whole = contents(compiled())
    if out.exists() and contents(out).keys() != whole.keys():
        raise Harm("lost", f"the output has {sorted(contents(out))}")
    if old and not out.exists():
        raise Harm("lost", "the old output is gone")
    if call(TINYML, *compile_into(out)) != ACCEPTED:
        raise Harm("left behind", "the next run is refused")
    if {path.name for path in folder.iterdir()} != {"out", "tmp"}:
        raise Harm("left behind", str(sorted(path.name for path in folder.iterdir())))
    return ACCEPTED if process.returncode == 0 else REFUSED
