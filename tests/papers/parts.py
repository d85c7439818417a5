"""Parts of a long measurement, each stored as soon as it ends: a run that was cut off goes on with the next."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from figures.store import head, is_current, read, write
from programs.paths import ROOT

from papers.row import Values

FOLDER = ROOT / "build/papers"
"""A file for each measurement; what is complete goes to the figures of its rows."""


def by_parts(name: str, parts: Sequence[str], measure: Callable[[str], Values]) -> dict[str, Values]:
    """The figures of each part; only those that the product of this working tree has not given yet are measured.

    name: the measurement, as its file is named. Raises what `measure` raises; the parts before stay stored.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = FOLDER / f"{name}.json"
    stored = {part: entry for part, entry in read(file).items() if is_current(entry["commit"])}
    for number, part in enumerate(parts, 1):
        if part not in stored:
            print(f"{name}: {part}, {number} of {len(parts)}", file=sys.stderr)
            commit = head()
            stored[part] = {"commit": commit, **measure(part)}
            complete = file.with_suffix(".new")
            write(complete, stored)
            complete.replace(file)
    return {part: {key: value for key, value in stored[part].items() if key != "commit"} for part in parts}
