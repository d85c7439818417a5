"""Packages with faulty entry points. Commands must succeed, or report an error in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

from fuzz.kinds.files import tour
from fuzz.verdicts import ACCEPTED, REFUSED, Harm

GROUPS = ("tinyml.chips", "tinyml.frontends", "tinyml.packages", "xdsl.universe")

UNIVERSE = "from xdsl.universe import Universe\n"

PACKAGING = "from tinyml.tools.driver.packages.packaging import Packaging\n"
NAMES = ("'evil'", "'evil'", "'evil'", "'../up'", "'ir'", "3")
PATHS = ("'a.txt'", "'a/b.txt'", "'../tour.c'", "'../../escaped'", "'/tmp/fuzz-escaped'", "''", "'.'", "'a\\0'", "3")
TEXTS = ("'text'", "'text'", "b'bytes'", "None", "'\\udc80'")

INTERRUPTED = "raise KeyboardInterrupt"

BODIES = (
    "import sys; sys.exit({code})",
    "import os; raise SystemExit('bye')",
    "raise ValueError('deliberately')",
    INTERRUPTED,
    "class E(Exception):\n    def __str__(self): raise E\nraise E",
    "import nothing_of_this_name",
    "syntax error(",
    "X = {value}",
    "def X(*given): return {value}",
    "def X(*given): raise RuntimeError('two\\nlines')",
    "def X(*given):\n    import sys; sys.exit({code})",
    UNIVERSE + "X = Universe(all_dialects={{}}, all_passes={{'evil': lambda: {value}}}, all_targets={{}})",
    UNIVERSE + "X = Universe(all_dialects={value}, all_passes={value}, all_targets={{}})",
    "Y = 1",
    *(PACKAGING + "X = Packaging({name}, lambda model: {{{path}: {text}}})",) * 4,
    PACKAGING + "X = Packaging('evil', lambda model: {value}, archive=lambda model: {value})",
)
VALUES = ("None", "3", "'text'", "[]", "{}", "object()", "type", "lambda: None", "b'\\xff'")

POINTS = ("[{group}]\nevil = evil_mod:X\n",) * 6 + (
    "[{group}]\nevil = evil_mod\n",
    "[{group}]\nevil = nowhere:X\n",
    "[{group}]\nevil\n",
    "[{group}\nevil = evil_mod:X\n",
    "[{group}]\n = evil_mod:X\n",
    "[{group}]\nevil = evil_mod:X.y.z\n",
    "[{group}]\nevil = :::\n",
    "\0\1\2",
    "",
)


def plugins(number: int, random: Random, folder: Path) -> str:
    """Run a command in an environment with a faulty package, in another process because entry points are cached, and
    return the verdict.

    Raises `Harm` for a traceback, for an error message of several lines, for files outside the output folder, and for a
    compilation with exit code 0 that writes no report.
    """
    site, out = folder / "site", folder / "out"
    info = site / "evil-1.0.dist-info"
    info.mkdir(parents=True)
    group, body = random.choice(GROUPS), random.choice(BODIES)
    if "{" in body:
        some = {"name": NAMES, "path": PATHS, "text": TEXTS, "value": VALUES, "code": (0, 0, 1, 3)}
        body = body.format(**{name: random.choice(values) for name, values in some.items()})
    (site / "evil_mod.py").write_text(body + "\n")
    (info / "entry_points.txt").write_text(random.choice(POINTS).format(group=group))
    metadata = "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n"
    (info / "METADATA").write_bytes(random.choice([metadata.encode()] * 4 + [b"", b"Name:", b"\xff"]))
    (folder / "x.evil").write_text("nothing")
    arguments = random.choice(
        (
            ("main", "compile", tour() / "tour.sd", "--val", tour() / "val.npz", "--target", "host", "-o", out),
            ("main", "compile", folder / "x.evil", "--val", tour() / "val.npz", "--target", "host", "-o", out),
            ("main", "compile", tour() / "tour.sd", "--val", tour() / "val.npz", "--target", "evil", "-o", out),
            *(("main", "compile", tour() / "tour.sd", "--val", tour() / "val.npz", "--package", "evil", "-o", out),)
            * 2,
            ("tinyml_opt", tour() / "tour.sd", "-p", "canonicalize"),
            ("tinyml_opt", tour() / "tour.sd", "-p", "evil"),
        )
    )
    module, *rest = map(str, arguments)
    done = subprocess.run(
        [sys.executable, "-m", f"tinyml.tools.{module}", *rest],
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stderr.splitlines()
    if (folder / "escaped").exists() or Path("/tmp/fuzz-escaped").exists() or (out.parent / "tour.c").exists():
        raise Harm("left behind", f"{body!r} in {group}: a file outside of the output folder")
    if "Traceback" in done.stderr:
        raise Harm("traceback", f"{body!r} in {group}: {said[-1][:200]}")
    if done.returncode == 0:
        if "compile" in rest and not (out / "report.json").exists():
            raise Harm("lost", f"{body!r} in {group}: exit code 0, and nothing is written")
        return ACCEPTED
    # Nobody can tell a package that pretends to be interrupted from one that is.
    ends = (1, 130) if body == INTERRUPTED else (1,)
    if done.returncode not in ends or [line for line in said if line.startswith("error: ")] != said[-1:]:
        raise Harm("not one line", f"{body!r} in {group}: exit code {done.returncode}: {done.stderr[-200:]!r}")
    return REFUSED
