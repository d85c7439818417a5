"""Commands whose output path is an existing file or a link to one."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

from fuzz.kinds.files import tour
from fuzz.kinds.outputs import compiled, contents
from fuzz.verdicts import ACCEPTED, OPT, TINYML, Harm, call
from tinyml.tools.cli.atomic_output import pending_output

WRITTEN = {"run": {".npz"}, "pack": {".csv", ".svg"}, "opt": {".mlir", ".txt"}}
BUFFERS = "id,lower,upper,size\na,0,3,4\nb,1,2,3\n"


def overwriting(number: int, random: Random, folder: Path) -> str:
    """Write an output to an existing or a new file, and return the verdict.

    An existing file may be replaced unless it is an input, a model or an array file, or a link to a target outside its
    folder. Raises `Harm` if a file changes that may not be replaced, or if a file other than the output is created.
    """
    work, other = folder / "work", folder / "other"
    shutil.copytree(tour(), work)
    shutil.copytree(compiled(), work / "o")
    other.mkdir()
    for place in (work, other):
        (place / "a.csv").write_text(BUFFERS)
        (place / "notes.txt").write_text("mine")
    shutil.copy(work / "val.npz", other / "x.npz")
    names = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.is_file()]
    for name in ("work/link.csv", "work/link.npz", "work/o/link.mlir"):
        (folder / name).symlink_to(folder / random.choice(names))
    for name in ("work/hard.csv", "work/hard.npz"):
        (folder / name).hardlink_to(folder / random.choice(names))
    targets = sorted(path for path in folder.rglob("*") if path.is_file())
    target = random.choice([*targets, work / "new.csv", work / "new.npz"])
    pending = pending_output(target)
    pending.close()
    # A folder of the user's with the name of a temporary one.
    leftover = pending.folder
    leftover.mkdir()
    (leftover / "notes.txt").write_text("mine")
    before = contents(folder)
    kind = random.choice(sorted(WRITTEN))
    match kind:
        case "run":
            read, arguments = [work / "val.npz"], ["run", work / "o", "--data", work / "val.npz", "--save", target]
        case "pack":
            read, option = [work / "a.csv"], random.choice(["-o", "--picture"])
            arguments = ["pack", work / "a.csv", option, target]
        case _:
            read, arguments = [work / "tour.sd", *work.glob("*.npy")], [work / "tour.sd", "-o", target]
    read += list((work / "o").rglob("*")) if kind == "run" else []
    protected = any(target.exists() and target.samefile(path) for path in read)
    verdict = call(OPT if kind == "opt" else TINYML, *arguments)
    after = contents(folder)
    changed = {folder / name for name in before if after.get(name) != before[name]}
    allowed = {target, target.resolve()} if verdict == ACCEPTED and not protected else set[Path]()
    if changed - allowed:
        raise Harm("lost", f"{kind} to {target.relative_to(folder)} changed {sorted(map(str, changed - allowed))}")
    if changed and target.suffix in {".sd", ".npy", ".onnx"}:
        raise Harm("lost", f"{kind} wrote over {target.name}")
    if changed and target.is_symlink() and not target.resolve().is_relative_to(target.parent):
        raise Harm("lost", f"{kind} followed {target.name} to {target.resolve()}")
    if extra := after.keys() - before.keys() - {str(target.relative_to(folder))}:
        raise Harm("left behind", str(sorted(extra)))
    return verdict
