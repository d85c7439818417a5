"""Rooms are small, and a name stands for one thing: files in a folder, classes, and files of one name."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from programs.paths import ROOT

from layout.sources import MODULES, name_of, source

MOST_FILES = 12
"""Python files directly in a folder, besides `__init__.py`."""

LARGE = {
    "dialects/tdsl": "a file for each kind of op",
    "transforms/buffers/packing": "a file for each packer",
    "dialects/formats": "a file for each number format",
    "tools/commands": "a file for each command",
    "transforms/formats": "a file for each pass of the level",
    "transforms/reals": "a file for each pass of the level",
}
"""Folders whose files are what there is one of, and what each file is."""


def folders() -> dict[str, int]:
    return Counter(name_of(path.parent) for path in MODULES if path.stem != "__init__")


def test_folders_are_small():
    large = {folder for folder, files in folders().items() if files > MOST_FILES}
    assert large <= LARGE.keys(), "divide a folder by what its files have in common"
    assert all((ROOT / folder).is_dir() for folder in LARGE)


def classes() -> dict[str, list[Path]]:
    """The files that define a class of a name."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in MODULES:
        for name in source(path).classes:
            found[name].append(path)
    return found


def are_ops_of_dialects(name: str, paths: list[Path]) -> bool:
    """Ops of one name in different dialects, such as `tdsl.add` and `num.add`."""
    rooms = [path.relative_to(ROOT).parts[:2] for path in paths]
    return name.endswith("Op") and all(room == "dialects" for room, _ in rooms) and len(set(rooms)) == len(rooms)


def test_no_two_classes_have_one_name():
    shared = {name for name, paths in classes().items() if len(paths) > 1 and not are_ops_of_dialects(name, paths)}
    assert not shared


MOST_NAMESAKES = 2

PARALLEL = ("targets", "lowering/frontends", "dialects/formats")
"""Rooms whose folders are alike: chips have a `chip.py`, frontends an `importer.py`, formats a `type.py`."""


def families() -> dict[str, set[Path]]:
    """The folders with a file of a name, those of one parallel room as one; operators of frontends do not count."""
    found: dict[str, set[Path]] = defaultdict(set)
    for path in MODULES:
        if path.stem == "__init__":
            continue
        parallel = next((ROOT / room for room in PARALLEL if is_parallel(path, ROOT / room)), None)
        if parallel != ROOT / "lowering/frontends":
            found[path.stem].add(parallel or path.parent)
    return found


def is_parallel(path: Path, room: Path) -> bool:
    """Whether a file lies in one of the alike folders of a room, not in what these share."""
    if room not in path.parents or path.parent == room:
        return False
    return path.relative_to(room).parts[0] not in ("c", "composer", "layers")


def test_few_files_have_one_name():
    shared = {stem for stem, folders in families().items() if len(folders) > MOST_NAMESAKES}
    assert not shared


@pytest.mark.parametrize("room", PARALLEL)
def test_parallel_rooms_have_folders(room: str):
    assert any(is_parallel(path, ROOT / room) for path in MODULES)
