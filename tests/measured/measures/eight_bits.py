"""Programs with all values in 8 bits in Shiftry's arithmetic, as its figure 5 defines it and with one rule changed at a
time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

from measured.commands import model_path
from measured.measures.classifiers import FAMILIES, is_guessing, names
from measured.store import Values
from measured.tables import shown
from tinyml.dialects.context import context
from tinyml.dialects.formats.number_format import Product
from tinyml.dialects.formats.published.shiftry import PrintedShiftryType, ShiftryNumber, ShiftrySum, ShiftryType
from tinyml.dialects.machine.machine import Int, Machine
from tinyml.lowering import pipelines
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.runtime.model.data import load_data
from tinyml.tools.driver.stages import find_model, load_program

ON_USPS = {"protonn": "protonn-usps10", "bonsai": "bonsai-usps10", "fastgrnn": "fastgrnn-usps10-genuine"}


@contextmanager
def divided_as_in_c() -> Generator[None]:
    """A context in which divisions by powers of two round towards zero, as in the C of the released code, instead of
    being arithmetic shifts.
    """

    def divided(_format: Any, m: Machine[Any], x: Int[Any], right: int) -> Int[Any]:
        x = m.narrowed(x)
        return m.quotient(x, min(right, x.width - 1))

    with patch.object(ShiftryNumber, "divided", classmethod(divided)):
        yield


@contextmanager
def summed_in_printed_width() -> Generator[None]:
    """A context in which trees of sums use temporaries of the width that figure 5 of Shiftry specifies.

    The halvings in the trees are unchanged.
    """
    tree = ShiftryType.sum_of

    def sum_of(format: ShiftryType, product: Product, levels: int) -> ShiftrySum:
        halved, exact = tree(format, product, levels), PrintedShiftryType.sum_of(PRINTED, product, levels)
        shifts = halved.lhs.data, halved.rhs.data, halved.product.data
        return ShiftrySum.of_level(exact.width.data, halved.frac.data, shifts, halved.level.data)

    with patch.object(ShiftryType, "sum_of", sum_of):
        yield


PRINTED: Any = PrintedShiftryType.of_width(8)

WAYS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "trees": (nullcontext, {}),
    "wide": (summed_in_printed_width, {}),
    "exact": (nullcontext, {"format": "shiftry_printed"}),
    "towards_zero": (divided_as_in_c, {}),
    "input": (nullcontext, {"zooms": ("X:1",)}),
    "functions": (nullcontext, {"functions": "seedot"}),
    "operands": (nullcontext, {"format": "seedot", "functions": "shiftry"}),
}
"""Rules by name: trees that halve by arithmetic shifts, then one change each."""


def on_usps(models: Path | None) -> Values:
    """The percentages of right answers on the test sets, under the keys `{family}_{way}`, where a way is a set of
    changed rules.
    """
    found: dict[str, float] = {}
    for family, name in ON_USPS.items():
        for way, (rule, options) in WAYS.items():
            with rule():
                found[f"{family}_{way}"] = _right(model_path(name, models), options)
    return found


def by_figure_5(models: Path | None) -> Values:
    """The change of accuracy from floating point in the arithmetic of figure 5, in points, for each model and as the
    mean of each family.

    `near` counts the models that lose at most a point. `guessing` counts the models at most ten points better than
    guessing.
    """
    floats = shown("searches-compared")
    right = {
        family: {name: _right(model_path(name, models), {"format": "shiftry_printed"}) for name in names(family)}
        for family in FAMILIES
    }
    changes = {
        family: {name: round(value - float(floats[name]["float"]), 2) for name, value in of.items()}
        for family, of in right.items()
    }
    every = [change for of in changes.values() for change in of.values()]
    return {
        **{family: round(sum(of.values()) / len(of), 2) for family, of in changes.items()},
        "models": len(every),
        "near": sum(change >= -1 for change in every),
        "guessing": sum(is_guessing(name, value) for of in right.values() for name, value in of.items()),
        "changes": changes,
    }


def _right(folder: Path, options: dict[str, Any]) -> float:
    program, val, test = find_model(folder)
    module = load_program(program, context())
    given = {"format": "shiftry", "width": 8, "data": str(val), **options}
    pipelines.run(module, context(), pipelines.flatten("reals-to-formats", given))
    data = load_data(str(test))
    assert data.y is not None
    labels = evaluate(module, encode_inputs(module, data.x.reshape(len(data.x), -1))).labels
    assert labels is not None
    return round(100 * float((labels == data.y).mean()), 2)
