"""The known name that a misspelled name probably means, for error messages."""

from __future__ import annotations

import re
from collections.abc import Iterable


def most_similar(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most similar to a misspelled name; None if no known name is similar.

    A known name is similar if `name` contains at most one mistake per four letters, rounded up, and none in the first
    letter. A mistake is an extra letter, a missing letter, a wrong letter or two swapped letters. If `name` only swaps
    letters or repeats a letter, the first letter may also differ. In short names, only such mistakes are allowed. A
    name is short if it has up to three letters, and an op name is short if it has up to four letters after the dot. The
    dialects of two op names must be equal.

    Except for op names, a known name is also similar if `name` is one of its parts between separators (at least three
    letters), or its prefix (at least four letters).
    """
    typed = name.lower()
    near = [(wrong, len(each), each) for each in known if (wrong := _mistakes(typed, each.lower())) is not None]
    return min(near)[2] if near else None


def _mistakes(typed: str, known: str) -> int | None:
    """The number of spelling mistakes in `typed` compared with the known name `known`; None if `known` is not similar
    by the rules of `most_similar`.

    The number is 0 if `typed` is a part of `known` between separators, and 1 if it is a prefix.
    """
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
"""The maximum length of short names, in which a wrong letter does not count as a misspelling."""


def _distance(first: str, second: str) -> int:
    """The least number of insertions, deletions, substitutions and swaps of neighbours that turn the first text into
    the second.
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
