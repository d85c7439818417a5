"""The changes that the warning about a faster program names beside a choice of `auto`."""

# Stubs have few types.
# pyright: basic

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from tinyml.targets.registry import board
from tinyml.tools.driver.choice.candidates import Outcome
from tinyml.tools.driver.choice.choose import Bounds
from tinyml.tools.driver.choice.faster_programs import _of_choice
from tinyml.tools.driver.choice.statistics import Loss
from tinyml.tools.driver.choice.trials import EstimatedCost

BOUNDS = Bounds(flash=30_000, ram=2_000, loss=0.5)
COMPILATION: Any = SimpleNamespace(board=board("uno"), request=SimpleNamespace(flash=None, ram=None))

NARROW = SimpleNamespace(name="fixed 8", options={"format": "fixed", "width": 8})


def lost(points: float, **more: Any) -> Loss:
    return Loss(points, points + 1, round(10 * points), 0, 1000, 1000, **more)


def row(time: float | None, **more: Any) -> Any:
    """A refused candidate in 8-bit fixed point."""
    fields = {"loss": None, "look": None, "schedule": {}, "outcome": Outcome.TOO_LOSSY, "flash": 1000, **more}
    cost = EstimatedCost(time, fields.pop("flash"), 500, guessed=fields.pop("guessed", 0.0))
    return SimpleNamespace(alternative=NARROW, cost=cost, time=time, is_measured=False, **fields)


def named(time: float, *rows: Any) -> Any:
    choice: Any = SimpleNamespace(taken=None, tried=rows, bounds=BOUNDS)
    return _of_choice(COMPILATION, choice, time)


def test_a_little_more_loss_is_named() -> None:
    """An LSTM of Keras takes 20.8 million cycles in floats. In 8 bits, it takes 693,097 and loses 1.87 points."""
    found = named(20_767_321, row(693_097, loss=lost(1.87)))
    assert found is not None
    assert found.change == "--loss 1.9"
    assert found.costs == "loses 1.87 points with fixed 8"
    assert found.factor == pytest.approx(20_767_321 / 693_097)
    assert (found.time, found.unit) == (693_097, "cycles")


@pytest.mark.parametrize(
    ("time", "points", "expected"),
    [
        (1000.0, 0.6, False),
        (999.0, 0.6, True),
        (999.0, 1.5, True),
        (999.0, 1.6, False),
        (3000 / 27, 3.5, True),
        (3000 / 27, 3.6, False),
    ],
)
def test_the_factor_exceeds_three_and_permits_the_loss(time: float, points: float, expected: bool) -> None:
    """The limit is three times the time, with one point of loss for each factor of three above the permitted loss."""
    assert (named(3000.0, row(time, loss=lost(points))) is not None) == expected


def test_what_is_not_estimated_is_not_named() -> None:
    assert named(3000.0, row(None, loss=lost(0.6))) is None
    # A tenth of the time may be guessed.
    assert named(3000.0, row(500, loss=lost(0.6), guessed=50)) is not None
    assert named(3000.0, row(500, loss=lost(0.6), guessed=51)) is None
    assert named(3000.0, row(500)) is None


def test_other_refusals_name_their_own_change() -> None:
    uncertain = named(3000.0, row(500, loss=lost(0.4), outcome=Outcome.UNCERTAIN))
    assert uncertain is not None
    assert uncertain.change == "--format fixed --width 8"
    assert uncertain.costs == "loses 0.40 points, but the samples do not prove it"
    looked = named(3000.0, row(500, look=lost(1.2), outcome=Outcome.LESS_SAFE))
    assert looked is not None
    assert looked.costs == "loses 1.20 points or less"
    assert named(3000.0, row(500, loss=lost(0.6, scores=0.06))) is None


def test_a_larger_board_of_the_same_chip_is_a_change() -> None:
    fits = row(500, flash=38_962, outcome=Outcome.TOO_LARGE, look=lost(0.1))
    found = named(3000.0, fits)
    assert found is not None
    assert (board(found.change.removeprefix("--target ")).flash or 0) >= 38_962
    assert found.costs == "loses 0.10 points, needs 38,962 bytes of flash and 500 of RAM with fixed 8"
    assert named(3000.0, row(500, flash=38_962, outcome=Outcome.TOO_LARGE, look=lost(0.6))) is None
    assert named(3000.0, row(500, flash=math.inf, outcome=Outcome.TOO_LARGE, look=lost(0.1))) is None
