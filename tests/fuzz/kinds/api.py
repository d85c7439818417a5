"""Invalid arguments for `tinyml.load`, `tinyml.compile` and the methods of a program."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import tinyml
from fuzz.kinds.files import tour
from fuzz.verdicts import ACCEPTED, REFUSED, Harm, described

KEYWORDS = (
    *("cells", "classes", "feature_scales", "flash", "fold_affine", "functions", "input", "input_order", "input_unit"),
    *("instances", "load_weights", "loss", "optimize", "outputs", "packed", "plan", "ram", "row_scales", "stride"),
    *("votes", "weights", "width", "nonsense"),
)
"""Options that are tried; not those that take long, or write where they like."""

CHECKS = "arguments.py", "data_files.py"
"""The files that raise `TypeError` for a value of another type."""


class Lying:
    """An object that raises an exception whenever numpy inspects it.

    error: the class of the exception.
    """

    shape, ndim, dtype = (5, 4), 2, np.dtype("f4")

    def __init__(self, error: type[BaseException]):
        self.error = error

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise self.error("deliberately")

    def __len__(self) -> int:
        raise self.error("deliberately")


def objects(one: object) -> np.ndarray:
    """An array of shape (2, 4) and dtype object, each of whose elements is `one`. It is created so that numpy does not
    inspect `one`.
    """
    made = np.empty((2, 4), object)
    made.fill(one)
    return made


@cache
def samples() -> tuple[np.ndarray, np.ndarray]:
    with np.load(tour() / "val.npz") as file:
        return file["x"][:40], file["y"][:40]


@cache
def program() -> tinyml.Program:
    return tinyml.compile(tour() / "tour.sd", *samples(), board="host", format="fixed", width=8)


ODD: list[Any] = [None, 5, -1, 1.5, float("nan"), 10**30, True, "", "abc", "\0", "\ud800", b"abc", [], {}]


def hostile(random: Random) -> Any:
    """A random argument that no caller should pass, or that is almost valid."""
    x, y = samples()
    error = random.choice([ValueError, KeyError, TypeError, AttributeError, SystemExit, RuntimeError, OSError])
    dtype = random.choice(["i1", "u8", "f2", "f8", "longdouble", "complex", "bool", "U", "O", "M8[s]"])
    values: list[Callable[[], Any]] = [
        lambda: random.choice(ODD),
        lambda: x[: random.randrange(4)].astype("i4").astype(dtype),
        lambda: np.resize(x, [random.randrange(5) for _ in range(random.randrange(5))]),
        lambda: x * random.choice([np.nan, np.inf, 1e30, -1, 1e-40]),
        lambda: [[1, 2], [3]],
        lambda: x.tolist(),
        lambda: Lying(error),
        lambda: objects(Lying(error)),
        lambda: random.choice([y, -y, y[:3], y + 5, y + 0.5, y.astype(str), np.eye(2)[y], y[:, None]]),
        lambda: {1, 2},
        lambda: (row for row in x),
        lambda: np.zeros((5, 4), [("a", "f4")]),
        lambda: np.ma.masked_array(x, x > 0),
        lambda: random.choice([tour() / "val.npz", tour() / "tour.sd", Path("nowhere.npz"), object, len]),
        lambda: ["a", "b", "c"][: random.randrange(4)],
    ]
    return random.choice(values)()


def calls(number: int, random: Random, folder: Path) -> str:
    """Call a function with one or two invalid arguments, and return the verdict (`verdict`). The call may return, raise
    an error with a message of one line, or raise `TypeError`.
    """
    x, y = samples()
    first, second = hostile(random), hostile(random)
    keyword = random.choice(KEYWORDS)
    untyped: Any = tinyml
    known: Any = program()
    tries: list[Callable[[], Any]] = [
        lambda: known.predict(first, raw=random.choice([False, True, second])),
        lambda: known.scores(first),
        lambda: known.score(random.choice([x, first]), second),
        lambda: known.measure(random.choice([x, first]), limit=random.choice([1, second]), board="host"),
        lambda: known.measure(x, board=first, limit=1),
        lambda: known.listen(first, rate=random.choice([None, 8000])),
        lambda: untyped.load(first),
        lambda: untyped.compile(tour() / "tour.sd", first, random.choice([None, y, second]), board="host", width=8),
        lambda: untyped.compile(tour() / "tour.sd", x, y, board="host", format="fixed", **{keyword: first}),
    ]
    return verdict(random.choice(tries))


def verdict(call: Callable[[], Any]) -> str:
    """`accepted` if a call returns, `refused` if it rejects its values; raises `Harm` for any other outcome."""
    try:
        call()
    except tinyml.InputError as error:
        if len(str(error).splitlines()) > 1:
            raise Harm("not one line", str(error)[:300]) from error
        return REFUSED
    except TypeError as error:
        raised = traceback.extract_tb(error.__traceback__)[-1].filename
        if Path(raised).name not in CHECKS and "keyword argument" not in str(error):
            raise Harm("traceback", described(error)) from error
        return REFUSED
    except SystemExit as error:
        raise Harm("crash", f"it ends the program with exit code {error.code}") from error
    except Exception as error:
        raise Harm("traceback", described(error)) from error
    return ACCEPTED
