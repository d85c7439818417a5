"""The step counts of forests in C, compared with counts computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tinyml.dialects.layouts.trees import ForestCode, Trees
from tinyml.targets.c.composer.forests_in_c import CODE, PLAIN, TABLES, forest_code, forest_inline, forest_tables

VOTES = np.array([[5], [-3], [2], [7]], np.int16)


def trees(thresholds: list[float], element: str) -> Trees:
    """Two trees. The first tests feature 0 at the root, then feature 1 in the first child and feature 0 in the second
    child. The second tree tests feature 2. A quarter of the samples reach the first child of the first tree's root,
    and three quarters the second child.

    thresholds: those of the four nodes.
    element: the type of thresholds.
    """
    features = np.array([0, 1, 0, 2])
    children = np.array([[1, 2], [-1, -2], [-3, -4], [-1, -4]])
    shares = np.array([[0.25, 0.75], [0.125, 0.125], [0.5, 0.25], [1.0, 0.0]])
    return Trees(features, np.array(thresholds, element), children, np.array([0, 3]), shares)


INTEGERS = trees([-1, 100, -300, 5000], "int16")


@pytest.mark.parametrize(
    ("votes", "form"),
    [
        (VOTES, {"only": 1, "only first": 1, "only first vote": 1, "only vote int16_t": 1, "only vote of int8_t": 2}),
        (
            np.tile(VOTES, 3),
            {"short": 1, "short first": 1, "short first vote": 3, "short vote int16_t": 3, "short vote of int8_t": 6},
        ),
        (np.tile(VOTES, 4) * np.int16(99), {"row": 2, "row vote int16_t": 8}),
        (np.eye(4, dtype=np.int16) * np.int16(999), {"list": 2, "list vote int16_t": 2}),
    ],
    ids=["only", "short", "row", "list"],
)
def test_the_ways_to_add_votes(votes: NDArray[np.int16], form: dict[str, float]) -> None:
    merged = "merged " if votes.shape[1] <= 3 else ""
    tests = {
        f"{merged}node int16_t": 3,
        **({"repeated node": 0} if merged else {}),
        # Of the second node that asks feature 0, the first has loaded it.
        f"{'kept ' if merged else ''}feature int16_t": 2.25,
        f"{merged}byte threshold": 0.25,
        f"{merged}negative threshold": 0,
        f"{merged}short threshold": 0.75,
        f"{merged}long threshold": 1,
    }
    assert steps(CODE, INTEGERS, votes) == {"call": 1, "result int16_t": votes.shape[1], **tests, **form}


def test_tests_of_floats_and_those_in_tables_are_all_alike() -> None:
    floats = trees([-1, 100, -300, 5000], "float32")
    assert [step for step in steps(CODE, floats, np.tile(VOTES, 4)) if "node" in step or "threshold" in step] == [
        "node float"
    ]
    tables = steps(TABLES, INTEGERS, VOTES)
    assert tables["node int16_t"] == 3
    assert (tables["only"], tables["only vote int16_t"]) == (2, 2)


def test_few_features_stay_in_registers_of_a_small_chip() -> None:
    three = steps(PLAIN, INTEGERS, VOTES)
    assert (three["merged node int16_t"], three["feature int16_t"]) == (3, 2.25)
    two = Trees(
        INTEGERS.features % 2, *(getattr(INTEGERS, name) for name in ("thresholds", "children", "roots", "shares"))
    )
    found = steps(PLAIN, two, VOTES)
    # Feature 0 is loaded once, feature 1 by the quarter of samples that ask it. That quarter is below the threshold -1
    # of feature 0 in the first tree, and thus below the 5000 in the second.
    assert (found["merged node int16_t"], found["kept feature int16_t"]) == (2.75, 1.25)
    assert (found["tree"], found["only vote int16_t"]) == (2, 1.75)


@pytest.mark.parametrize("name", [CODE, PLAIN])
def test_a_later_tree_does_not_repeat_a_comparison(name: str) -> None:
    again = Trees(
        np.array([0, 1, 0, 0]),
        np.array([-1, 100, -300, -1], np.int16),
        *(getattr(INTEGERS, name) for name in ("children", "roots", "shares")),
    )
    found = steps(name, again, VOTES)
    # The root of the second tree makes the comparison of the first one's root, so that its votes are constants.
    assert (found["merged node int16_t"], found["repeated node"]) == (2, 0)
    assert found["only vote int16_t"] == {CODE: 0, PLAIN: 1}[name]


def test_a_tree_with_a_new_comparison_repeats_others() -> None:
    again = Trees(
        np.array([0, 1, 0, 0, 2]),
        np.array([-1, 100, -300, -1, 7], np.int16),
        np.array([[1, 2], [-1, -2], [-3, -4], [-1, 4], [-2, -4]]),
        INTEGERS.roots,
        np.array([[0.25, 0.75], [0.125, 0.125], [0.5, 0.25], [0.25, 0.75], [0.5, 0.25]]),
    )
    found = steps(CODE, again, VOTES)
    # Three quarters of the samples reach the second node of the second tree, which makes a new comparison.
    assert (found["merged node int16_t"], found["repeated node"]) == (2.75, 0.75)
    assert found["only vote int16_t"] == 0.75


def steps(name: str, made: Trees, votes: NDArray[np.int16]) -> dict[str, float]:
    coder = {CODE: forest_code, TABLES: forest_tables, PLAIN: forest_inline}[name]
    composed = coder("forest", ForestCode(made, votes)).composed
    assert composed is not None
    return {step.removeprefix(f"{name} "): count for step, count in composed.counts.items()}
