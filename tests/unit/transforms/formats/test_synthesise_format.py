"""Lists of numbers synthesised for constants have at most the error of fitted formats, within their limits."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinyml.dialects.formats.codebook import CodebookType
from tinyml.dialects.formats.number_format import NumberFormat, Reals
from tinyml.transforms.formats import synthesise_format
from tinyml.transforms.formats.constants.number_lists import NumberLists

SYNTHESIS: Any = synthesise_format
POWERS = SYNTHESIS.POWERS


def lost(format: NumberFormat, reals: Reals, weights: Reals) -> float:
    return float(weights @ (format.decode(format.encode(reals)) - reals) ** 2)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.sampled_from(["normal", "laplace", "uniform", "exponential"]))
def test_no_more_is_lost_than_by_the_list_of_least_squares(seed: int, bits: int, shape: str):
    random = np.random.default_rng(seed)
    reals = getattr(random, shape)(size=200) * 2.0 ** random.integers(-6, 6)
    weights = random.exponential(size=200) ** 2
    prototype = CodebookType.of_width(bits)
    made = NumberLists(prototype, bits + 6).made_for(reals, weights)
    fitted = prototype.for_range(reals.min(), reals.max()).fitted_to(reals, weights, rows=False)
    assert lost(made, reals, weights) <= 1.002 * lost(fitted, reals, weights)


@pytest.mark.parametrize("most_bits", [4, 5, 8])
def test_integers_have_as_few_bits_as_was_asked_for(most_bits: int):
    random = np.random.default_rng(0)
    reals, weights = random.normal(size=300), np.ones(300)
    made = NumberLists(CodebookType.of_width(4), most_bits).made_for(reals, weights)
    assert isinstance(made, CodebookType)
    assert max(abs(entry.data) for entry in made.entries) < 1 << most_bits - 1
    # No single step of an integer helps.
    entries = [entry.data for entry in made.entries]
    for index, entry in enumerate(entries):
        for step in (-1, 1):
            other = [*entries[:index], entry + step, *entries[index + 1 :]]
            if entry and len({*other}) == len(entries) and abs(entry + step) < 1 << most_bits - 1:
                assert lost(CodebookType(4, made.scale, other), reals, weights) >= lost(made, reals, weights)


def test_constants_share_a_list_at_scales_of_their_own():
    random = np.random.default_rng(0)
    scales = 2.0 ** np.array([-7, 0, 3])
    constants = [(random.normal(size=200) * scale, np.full(200, scale**-2)) for scale in scales]
    made = NumberLists(CodebookType.of_width(4), 10).made_for_all(constants)
    assert all(isinstance(each, CodebookType) for each in made)
    assert len({str(each.entries) for each in made if isinstance(each, CodebookType)}) == 1
    for (reals, weights), format in zip(constants, made, strict=True):
        own = NumberLists(CodebookType.of_width(4), 10).made_for(reals, weights)
        assert lost(format, reals, weights) <= 2 * lost(own, reals, weights)


@pytest.mark.parametrize("scale", [0.0, 2.0**-70, 2.0**60])
def test_constants_of_any_size_have_a_list(scale: float):
    reals = np.random.default_rng(0).normal(size=100) * scale
    made = NumberLists(CodebookType.of_width(3), 9).made_for(reals, np.ones(100))
    assert lost(made, reals, np.ones(100)) <= float((reals**2).sum())


def made(losses: dict[str, float], *, shared: bool = False) -> str:
    """The lists with which a synthesis ends, as a text with one digit for each constant: the index in `POWERS` of the
    power of its weights.

    losses: the loss of the program for each such text; infinite for texts that are missing.
    """
    synthesis: Any = object.__new__(SYNTHESIS._Synthesis)
    constants = range(len(next(iter(losses))))

    def lists(power: float) -> dict[int, str]:
        return {index: str(POWERS.index(power)) for index in constants}

    def loss(lists: dict[int, str]) -> float:
        return losses.get("".join(lists.values()), math.inf)

    synthesis.constants = {index: index for index in constants}
    synthesis.options = SimpleNamespace(shared=shared, integer_bits=8)
    synthesis._lists, synthesis._loss = lists, loss
    return "".join(synthesis.made().values())


def test_all_constants_have_the_power_with_the_least_loss():
    assert made({"00": 3.0, "11": 2.0}) == "11"
    assert made({"00": 2.0, "11": 2.0}) == "00"
    assert made({"00": math.inf}) == ""


def test_a_power_of_its_own_saves_more_than_a_hundredth():
    most = 0.99 * 2.0
    assert made({"00": 2.0, "10": most}) == "00"
    assert made({"00": 2.0, "10": math.nextafter(most, 0.0)}) == "10"
    assert made({"00": 2.0, "10": 1.0}, shared=True) == "00"


def test_the_second_constant_is_compared_with_the_best_of_the_first():
    losses = {"00": 2.0, "10": 1.5, "01": 1.0}
    assert made(losses) == "10"
    assert made({**losses, "12": 1.49}) == "10"
    assert made({**losses, "12": 1.48}) == "12"
