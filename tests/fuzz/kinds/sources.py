"""Models in SeeDot's language, generated from its grammar; some contain errors."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

from fuzz.kinds.files import damaged, tour
from fuzz.verdicts import OPT, call

NUMBERS = ("0", "1", "2", "3", "4", "0.5", "-1.0", "1e30", "0.0", "1e999", "9" * 30)
BINARY = ("+", "-", "*", "<*>", "|*|", "<+>", "^T *")
ORDERS = ("1, 2", "2, 1", "1", "0, 3")
CALLS = ("exp", "tanh", "sigmoid", "relu", "argmax", "sgn", "relu6", "normaliseL2", "softmax")


def expression(random: Random, names: list[str], depth: int) -> str:
    """A random expression over the names in scope.

    depth: the maximum number of nested operations.
    """
    if depth == 0 or random.random() < 0.2:
        return random.choice([*names, *names, random.choice(NUMBERS)])

    def inner(scope: list[str] | None = None) -> str:
        return expression(random, scope or names, depth - 1)

    extent = random.choice([0, 1, 2, 3, 4, 1000])
    match random.randrange(12):
        case 0 | 1 | 2:
            return f"({inner()} {random.choice(BINARY)} {inner()})"
        case 3 | 4:
            return f"{random.choice(CALLS)}({inner()})"
        case 5:
            return f"{random.choice(names)}[{random.choice(['0', '1', '-1', 'i', inner()])}]"
        case 6:
            return f"reshape({inner()}, ({extent}, {random.choice([1, 2, 4])}), ({random.choice(ORDERS)}))"
        case 7:
            return f"$(i = [0:{extent}]) ({inner([*names, 'i'])})"
        case 8:
            return f"loop(i = [0:{extent}], {random.choice(names)}) ({inner([*names, 'i'])})"
        case 9:
            return f"({inner()} >= 0 ? {inner()} : {inner()})"
        case 10:
            return f"(-{inner()})"
        case _:
            name = random.choice(["A", "C", "X", "H"])
            return f"let {name} = {inner()} in {inner([*names, name])}"


def model(random: Random) -> str:
    """A model whose input is X and whose parameters are W and B. In some models, a line is repeated."""
    lines = [
        "let X = (4, 1) in [-1.0, 1.0] in",
        "let W = (2, 4) in [-1.25, 2.0] in",
        "let B = (2, 1) in [-0.25, 0.125] in",
        f"let H = {expression(random, ['X', 'W', 'B'], random.randint(1, 4))} in",
        random.choice(["argmax(H)", "H", expression(random, ["X", "W", "B", "H"], 2)]),
    ]
    if random.random() < 0.2:
        lines.insert(random.randrange(len(lines)), random.choice(lines))
    return "\n".join(lines)


def models(number: int, random: Random, folder: Path) -> str:
    """Import a model, and return the verdict. About half of the cases also compile the model to C."""
    for file in tour().iterdir():
        shutil.copy(file, folder)
    text = model(random)
    if random.random() < 0.25:
        text = damaged(text.encode(), random).decode("utf-8", "replace")
    (folder / "tour.sd").write_text(text)
    passes = ["-p", f'reals-to-c{{data="{folder / "val.npz"}"}}'] if random.random() < 0.5 else []
    return call(OPT, folder / "tour.sd", *passes)
