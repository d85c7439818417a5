"""Codebooks have nearly the least error for a constant, and models with codebooks lose little accuracy."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.paths import TESTS

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.codebook import CodebookType
from tinyml.dialects.formats.least_squares import lloyd_max
from tinyml.dialects.formats.lookup import USUAL_FORMAT, format_named
from tinyml.lowering import pipelines
from tinyml.runtime.model.data import load_data
from tinyml.tools.driver.measure import accuracy
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.reals.profile import ProfilePass

MODEL = TESTS / "models" / "bonsai-mnist16"


def error(numbers: NDArray[np.float64], reals: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    return float((weights * (np.abs(reals[:, None] - numbers).min(1)) ** 2).sum())


def test_few_numbers_are_kept_as_they_are():
    reals = np.array([0.5, -3.0, 0.5, 0.25, 0.0])
    assert lloyd_max(reals, np.ones(5), 3).tolist() == [-3.0, 0.0, 0.25, 0.5]


@pytest.mark.parametrize("seed", range(8))
def test_numbers_are_nearly_the_best(seed: int):
    """The error of a codebook of two bits is at most 1.2 times the minimum over all codebooks.

    Such a codebook has 0, at most two negative numbers and at most one positive number.
    """
    random = np.random.default_rng(seed)
    reals, weights = random.normal(size=12), random.uniform(0.1, 3, 12)
    found = lloyd_max(reals, weights, 2)
    assert 0.0 in found
    assert (found < 0).sum() <= 2
    assert (found > 0).sum() <= 1
    order = np.sort(reals)
    splits = [np.split(order, cut) for cut in combinations(range(13), 3)]
    weight_of = dict(zip(reals.tolist(), weights.tolist(), strict=True))

    def centre(part: NDArray[np.float64]) -> float:
        mass = [weight_of[x] for x in part.tolist()]
        return float(np.average(part, weights=mass)) if len(part) else 0.0

    books = [np.array([*(centre(part) for part in (parts[0], parts[1], parts[3])), 0.0]) for parts in splits]
    legal = [book for book in books if (book < 0).sum() <= 2 and (book > 0).sum() <= 1]
    assert error(found, reals, weights) <= 1.2 * min(error(book, reals, weights) for book in legal)


def test_numbers_of_great_inputs_count_more():
    random = np.random.default_rng(0)
    importance = 10.0 ** random.uniform(-3, 2, 30)
    constant = random.normal(size=(20, 30)) / np.sqrt(importance)
    prototype = CodebookType.of_width(3)
    plain, weighted = (prototype.fitted_to(constant, one, rows=True) for one in (None, importance))
    errors = [
        float((importance * (book.decode(book.encode(constant)) - constant) ** 2).sum()) for book in (plain, weighted)
    ]
    assert errors[1] < 0.8 * errors[0]
    assert all(len(book.entries) <= 8 for book in (plain, weighted))


def test_it_has_few_bits_more_than_places():
    book = CodebookType.of_width(4).fitted_to(np.random.default_rng(0).normal(size=1000), None, rows=False)
    assert max(map(abs, book.integer_limits)) < 1 << 9
    assert book.narrowed(3).integer_limits[1] < 1 << 6
    assert CodebookType.of_width(4).fitted_to(np.zeros(3), None, rows=False).decode(np.zeros(1, np.int8)) == 0
    with pytest.raises(InputError, match="from 2 to 8 bits, got 9"):
        CodebookType.of_width(9)


@pytest.mark.long
@pytest.mark.parametrize(("options", "lost"), [({"weights": "codebook:5"}, 0.5), ({"format": "codebook"}, 1.0)])
def test_a_model_loses_little(options: dict[str, str], lost: float):
    """A model with codebooks of 5 bits for its weights (first case) or of the default 4 bits loses at most `lost`
    points of accuracy. Other tensors, including small constants, have the default format.
    """
    ctx = context()
    [program] = MODEL.glob("*.sd")
    validation = str(MODEL / "val.npz")
    formats = load_program(program, ctx)
    options = {"data": validation, **options}
    passes = pipelines.flatten("reals-to-formats", options)
    profiled = next(i for i, step in enumerate(passes) if isinstance(step, ProfilePass)) + 1
    pipelines.run(formats, ctx, passes[:profiled])
    reals = formats.clone()
    pipelines.run(formats, ctx, passes[profiled:])
    found = accuracy(reals, formats, load_data(validation))
    assert found.formats is not None
    assert found.reals is not None
    assert found.formats >= found.reals - lost
    constants = {type(tdsl.format_of(op.result)) for op in formats.walk() if isinstance(op, tdsl.ConstOp)}
    assert constants == {CodebookType, type(format_named(ctx, USUAL_FORMAT, None))}
