"""The imports between the folders of a top-level package form no cycle."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from layout.sources import MODULES, module_of, name_of, source


def folder_of(path: Path) -> str | None:
    """The top folder inside a top-level package that contains a file; None for a file directly in a top-level
    package.
    """
    parts = name_of(path).split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else None


def arrows() -> Counter[tuple[str, str]]:
    """For each pair of folders of the same top-level package, the number of imports from the first folder to the
    second.

    Imports in functions count. Imports only for type checkers do not.
    """
    files, found = {module_of(path): path for path in MODULES}, Counter[tuple[str, str]]()
    for path in MODULES:
        read, here = source(path), folder_of(path)
        for line, name in read.imports:
            file = files.get(name) or files.get(name.rpartition(".")[0])
            there = None if file is None or line in read.for_types else folder_of(file)
            if here is not None and there is not None and here != there and here.split("/")[0] == there.split("/")[0]:
                found[here, there] += 1
    return found


def in_circles(found: Counter[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """The imports that belong to a cycle, with their counts. An import from A to B belongs to a cycle if other imports
    lead from B back to A.
    """
    reached: dict[str, set[str]] = {}
    for start, end in found:
        reached.setdefault(start, set()).add(end)

    def leads_back(start: str, end: str) -> bool:
        seen, waiting = set[str](), [end]
        while waiting:
            if (here := waiting.pop()) == start:
                return True
            if here not in seen:
                seen.add(here)
                waiting += reached.get(here, ())
        return False

    return {arrow: count for arrow, count in found.items() if leads_back(*arrow)}


@pytest.mark.long
def test_folders_form_no_circles():
    assert in_circles(arrows()) == {}, "imports that lead back: let one of the folders do without the other"


def test_circles_are_found():
    line = Counter({("a", "b"): 1, ("b", "c"): 2})
    assert in_circles(line) == {}
    assert in_circles(line + Counter({("c", "a"): 3})) == {("a", "b"): 1, ("b", "c"): 2, ("c", "a"): 3}
