"""Files of boosted trees with changed fields, lines or bytes: XGBoost's JSON, LightGBM's text and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, cast

from programs.paths import ROOT

from fuzz.kinds.files import damaged
from fuzz.verdicts import OPT, call

FOLDER = ROOT / "tests/models/boosted"

LONG = "a number of many digits"
"""Stands for digits that `json` itself refuses to write."""

VALUES: tuple[Any, ...] = (
    *(-1, 0, 1, 3, 99, 0.7, 1e30, 10**9, 2**31, 2**63, 10**30, 10**400, 1e308, -1e308, 1e-320),
    *(float("nan"), float("inf"), -float("inf"), LONG, "nan", "inf", "-1", "1e400", "9" * 5000, "1_0", "[1E0,2E0]"),
    *("", "x", "two\nlines", "=", "==", "<=", "1||2", None, True, [], [[]], [1.0], {}, {"x": 1}, "ü" * 300),
)
"""What may stand in the place of a value."""

WORDS = ("nan", "inf", "-inf", "1e400", "-1", "0.7", "99", "1e30", "9" * 5000, "x", "", "0 0", "1=2", "2147483648", "6")
"""What may stand in the place of a number in a text."""


def inner(value: Any) -> Iterator[Any]:
    """Yield all non-empty lists and objects in a JSON value, including the value itself."""
    if keys := keys_of(value):
        yield value
        for key in keys:
            yield from inner(value[key])


def keys_of(value: Any) -> list[Any]:
    """The names of an object's fields, or the indices of a list's entries; empty for any other JSON value."""
    if isinstance(value, dict):
        return [*cast("dict[str, Any]", value)]
    return [*range(len(cast("list[Any]", value)))] if isinstance(value, list) else []


def change(holder: Any, random: Random, others: list[Any]) -> None:
    """Remove, duplicate, shuffle, replace or add entries of a JSON list or object in place. A replacement is an unusual
    value or one of `others`.
    """
    key = random.choice(keys_of(holder))
    match random.randrange(8):
        case 0:
            del holder[key]
        case 1:
            holder[key] = json.loads(json.dumps(random.choice(others)))
        case 2 if isinstance(holder, list):
            holder[key:key] = holder[key : key + 1]
        case 3 if isinstance(holder, list):
            random.shuffle(cast("list[Any]", holder))
        case 4 if isinstance(holder, dict):
            holder[random.choice(["num_class", "best_iteration", "leaf_coeff", "scikit_learn", "split_type"])] = 10**9
        case _:
            holder[key] = random.choice(VALUES)


def changed_json(text: str, random: Random) -> bytes:
    model = json.loads(text)
    for _ in range(random.choice([1, 1, 2, 4])):
        holders = [*inner(model)]
        # Most values are in trees, most checks elsewhere.
        holders = holders[: random.choice([6, 20, len(holders)])]
        if holders:
            change(random.choice(holders), random, holders)
    return json.dumps(model).replace(f'"{LONG}"', "9" * 5000).encode()


def changed_text(text: str, random: Random) -> bytes:
    lines = text.split("\n")
    for _ in range(random.choice([1, 1, 2, 4])):
        number = random.randrange(len(lines))
        name, equals, value = lines[number].partition("=")
        words = value.split()
        match random.randrange(6):
            case 0:
                del lines[number]
            case 1:
                lines.insert(random.randrange(len(lines)), lines[number])
            case 2:
                lines[number] = f"{name}={random.choice(WORDS)}"
            case _ if words:
                words[random.randrange(len(words))] = random.choice(WORDS)
                lines[number] = name + equals + " ".join(words)
            case _:
                lines[number] = f"num_tree_per_iteration={random.choice(WORDS)}"
    return "\n".join(lines).encode()


def boosted(number: int, random: Random, folder: Path) -> str:
    """Import a file of boosted trees that was changed, and return the verdict."""
    file = random.choice(sorted(path for path in FOLDER.iterdir() if path.suffix in (".json", ".txt")))
    text = file.read_text()
    data = changed_json(text, random) if file.suffix == ".json" else changed_text(text, random)
    if random.random() < 0.2:
        data = damaged(data, random)
    (folder / file.name).write_bytes(data)
    return call(OPT, folder / file.name)
