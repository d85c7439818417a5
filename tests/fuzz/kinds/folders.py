"""Output folders in which a file was changed or added, and the commands that read them."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from random import Random
from typing import Any, cast

from fuzz.kinds.files import damaged, tour
from fuzz.kinds.outputs import compiled
from fuzz.verdicts import ACCEPTED, TINYML, Harm, call

PLANTED = "\n__attribute__((constructor)) static void planted(void) { __builtin_trap(); }\n"
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    7,
    1.5,
    1e300,
    10**40,
    "",
    "x",
    "\0",
    "é" * 3,
    [],
    [1],
    {},
    {"a": []},
    "<b>",
    "rows",
    "uno",
)


def places(value: object) -> list[tuple[Any, Any]]:
    """Every position in a JSON value: pairs of a list and an index, or of an object and a key."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner: list[tuple[Any, Any]] = [*cast("dict[str, Any]", value).items()]
    else:
        inner = [*enumerate(cast("list[Any]", value))] if isinstance(value, list) else []
    for key, one in inner:
        found += [(value, key), *places(one)]
    return found


def change_report(file: Path, random: Random) -> None:
    """Replace or remove one or three values of a report."""
    report = json.loads(file.read_text())
    for _ in range(random.choice([1, 1, 1, 3])):
        place, key = random.choice(places(report))
        if random.random() < 0.2:
            del place[key]
        else:
            other, of = random.choice(places(report))
            place[key] = copy.deepcopy(random.choice([random.choice(VALUES), other[of]]))
    file.write_text(json.dumps(report))


def folders(number: int, random: Random, folder: Path) -> str:
    """Change or add a file of an output folder, run a command on the folder, and return the verdict. Raises `Harm` if
    the command accepts changed C, which is never executed.
    """
    out = folder / "out"
    shutil.copytree(compiled(), out)
    files = sorted(path for path in out.rglob("*") if path.is_file())
    planted = False
    match random.randrange(6):
        case 0 | 1 | 2:
            change_report(out / "report.json", random)
        case 3:
            file = random.choice(sorted(out.glob("ir/[0-2]*")))
            file.write_bytes(damaged(file.read_bytes(), random))
        case 4:
            file = random.choice([out / "tour.c", out / "tour.h", out / "more.c", out / "stdint.h"])
            planted = file.exists()
            with file.open("a") as stream:
                stream.write(PLANTED)
        case _:
            file = random.choice(files)
            file.write_bytes(damaged(file.read_bytes(), random))
    data = tour() / "val.npz"
    command = random.choice(
        (
            ["open", out],
            ["open", out, "--text"],
            ["open", out, "--levels"],
            ["compare", compiled(), out],
            ["run", out, "--data", data],
        )
    )
    verdict = call(TINYML, *command)
    if planted and verdict == ACCEPTED:
        raise Harm("lost", f"{command[0]} took C that the IR does not give")
    return verdict
