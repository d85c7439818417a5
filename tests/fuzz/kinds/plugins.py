"""Packages whose entry points misbehave: each is reported by name, and what does not need it goes on working."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

from fuzz.kinds.files import tour
from fuzz.verdicts import ACCEPTED, REFUSED, Harm

GROUPS = ("tinyml.chips", "tinyml.frontends", "xdsl.universe")

UNIVERSE = "from xdsl.universe import Universe\n"

BODIES = (
    "import sys; sys.exit({code})",
    "import os; raise SystemExit('bye')",
    "raise ValueError('deliberately')",
    "raise KeyboardInterrupt",
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
    """Run a command in an environment with such a package; in another process, since entry points are cached."""
    site, out = folder / "site", folder / "out"
    info = site / "evil-1.0.dist-info"
    info.mkdir(parents=True)
    group, body = random.choice(GROUPS), random.choice(BODIES)
    if "{" in body:
        body = body.format(code=random.choice([0, 0, 1, 3]), value=random.choice(VALUES))
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
    if "Traceback" in done.stderr:
        raise Harm("traceback", f"{body!r} in {group}: {said[-1][:200]}")
    if done.returncode == 0:
        if "compile" in rest and not (out / "report.json").exists():
            raise Harm("lost", f"{body!r} in {group}: exit code 0, and nothing is written")
        return ACCEPTED
    if done.returncode != 1 or [line for line in said if line.startswith("error: ")] != said[-1:]:
        raise Harm("not one line", f"{body!r} in {group}: exit code {done.returncode}: {done.stderr[-200:]!r}")
    return REFUSED
