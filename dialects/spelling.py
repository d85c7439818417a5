"""Spelling mistakes in names."""

from __future__ import annotations

import re


def mistakes(typed: str, known: str) -> int | None:
    """The number of spelling mistakes in `typed`, compared with `known` or its best matching part; None if too many."""
    before, dot, last = typed.rpartition(".")
    if dot and not known.startswith(before + dot):
        return None
    if dot:
        typed, known = last, known[len(before) + 1 :]
    elif len(typed) >= _SHORT_LENGTH and typed in re.split(r"[^a-z0-9]", known):
        return 0
    elif len(typed) > _SHORT_LENGTH and known.startswith(typed):
        return 1
    allowed = (len(typed) + 3) // 4
    # Swapped or doubled letters, which are unambiguous even in short names.
    if sorted(typed) == sorted(known) or _once(typed) == _once(known):
        found = _distance(typed, known)
        return found if found <= allowed else None
    if len(typed) <= _SHORT_LENGTH + bool(dot) or typed[0] != known[:1] or abs(len(typed) - len(known)) > allowed:
        return None
    found = _distance(typed, known)
    return found if found <= allowed else None


def _once(text: str) -> str:
    """The text with each run of equal letters reduced to one letter."""
    return re.sub(r"(.)\1+", r"\1", text)


_SHORT_LENGTH = 3
"""The length up to which a name with a different letter counts as a different name."""


def _distance(first: str, second: str) -> int:
    """The number of insertions, deletions, substitutions and swaps of neighbours that turn the first text into the
    second.
    """
    rows = [list(range(len(second) + 1))]
    for i, letter in enumerate(first, 1):
        row = [i]
        for j, other in enumerate(second, 1):
            least = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != other))
            if i > 1 and j > 1 and (letter, first[i - 2]) == (second[j - 2], other):
                least = min(least, rows[-2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]
