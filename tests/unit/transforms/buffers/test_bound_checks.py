"""Exact cover as an independent check of branch and bound; `make figures ONLY=packing-judged` checks 2,000 problems."""

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from random import Random
from types import FrameType, SimpleNamespace
from typing import Any

import pytest
from measured.measures.judged_packings import problem, trials
from programs.paths import MODELS
from programs.spread import spread

from tinyml.dialects.context import context
from tinyml.dialects.scratch import ArenaOp, ViewOp
from tinyml.lowering import pipelines
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.buffers.packing import Effort, Overlap, Proof, Rectangle, branch_and_bound, lower_bound, pack
from tinyml.transforms.buffers.packing.bound_checks import (
    WORK_LIMIT,
    Verdict,
    check_bound,
    check_bound_by_search,
    check_height,
    other_check,
)

SEEDS = spread(range(200), 20)

PADDED = [
    Rectangle("a", 3, 2, 0, 1),
    Rectangle("b", 5, 4, 1, 2, (Overlap(0, 3),)),
    Rectangle("c", 2, 1, 1, 2),
]
"""b may lie 3 bytes below a."""


def test_a_height_and_the_byte_below_it():
    """For the buffers a, b and c of `PADDED`, exact cover confirms the least height, 9, and refutes 8.

    The reason, found by hand: within 8 bytes, b occupies bytes 0 to 4. If a lies directly above b, it occupies bytes 4
    to 6: it may overlap b from byte 3 on, but its address must be even. In this case, c occupies bytes 7 and 8. If c
    lies directly above b, it occupies bytes 5 and 6, and a occupies bytes 8 to 10.
    """
    least = pack(PADDED, "branch-and-bound").height
    assert least == 9
    assert check_height(PADDED, least).verdict is Verdict.AGREED
    assert check_height(PADDED, least - 1).verdict is Verdict.REFUTED
    assert check_bound(PADDED, least).verdict is Verdict.AGREED
    refuted = check_bound(PADDED, least + 1)
    assert refuted.verdict is Verdict.REFUTED
    assert max(start + shape.size for start, shape in zip(refuted.offsets, PADDED, strict=True)) == least


@pytest.mark.long
@pytest.mark.parametrize("overlapping", [False, True])
def test_exact_cover_agrees_with_branch_and_bound(overlapping: bool):
    found = [trial.verdict for trial in trials(SEEDS, overlapping)]
    assert Verdict.REFUTED not in found
    assert found.count(Verdict.AGREED) >= 0.9 * len(found)


@pytest.mark.long
def test_an_error_in_branch_and_bound_is_found(monkeypatch: pytest.MonkeyPatch):
    """An error that is inserted into branch and bound is found. With this error, the search overestimates by one the
    bytes that are still to be placed in a section.
    """
    given = [problem(seed, overlapping=False) for seed in range(6)]

    def verdicts() -> list[Verdict]:
        effort = [Effort(nodes=3_000, core=False) for _ in given]
        bounds = [pack(each, "branch-and-bound", limit).lower_bound for each, limit in zip(given, effort, strict=True)]
        return [check_bound(each, bound).verdict for each, bound in zip(given, bounds, strict=True)]

    assert verdicts() == [Verdict.AGREED] * len(given)
    searches = branch_and_bound._Search  # pyright: ignore[reportPrivateUsage]
    sound = searches.__init__

    def too_full(self: Any, *arguments: Any) -> None:
        sound(self, *arguments)
        self.waiting = [bytes_ + 1 for bytes_ in self.waiting]

    monkeypatch.setattr(searches, "__init__", too_full)
    assert Verdict.REFUTED in verdicts()


def buffers(count: int, largest: int, alignments: Sequence[int]) -> list[Rectangle]:
    """Buffers of random sizes in bytes. Each is live for up to 8 points, so that about 4 buffers are live at each
    point.

    largest: the greatest size.
    alignments: the alignments that may occur, in bytes.
    """
    random = Random(count)
    made: list[Rectangle] = []
    for i in range(count):
        first, size = random.randrange(count), random.randint(1, largest)
        made.append(Rectangle(f"b{i}", size, random.choice(alignments), first, first + random.randrange(8)))
    return made


@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (buffers(30, 80_000, (1, 2, 4)), Verdict.AGREED),
        (buffers(90, 9_000, (1,)), Verdict.AGREED),
        (buffers(2_000, 80_000, (1, 2, 4)), Verdict.UNDECIDED),
        (buffers(20, 1 << 40, (1, 1 << 90)), Verdict.UNDECIDED),
    ],
    ids=["30 of 80 kB", "90 of 9 kB", "2,000 of 80 kB", "20 of 1 TB"],
)
def test_a_judgement_keeps_its_limit_on_work(given: Sequence[Rectangle], verdict: Verdict):
    """A judgement ends within its limit on work, whatever the problem. The test measures work as function calls."""
    bound = lower_bound(given)
    with calls() as made:
        check = check_bound(given, bound)
    assert check.verdict is verdict
    assert check.work <= WORK_LIMIT + max(len(given), 4 + bound // 4096)
    assert made.count < WORK_LIMIT / 4


@contextmanager
def calls() -> Generator[SimpleNamespace]:
    """A context that counts function calls, including those in C."""
    made = SimpleNamespace(count=0)

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        made.count += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        yield made
    finally:
        sys.setprofile(None)


@pytest.mark.long
@pytest.mark.parametrize(("name", "buffers"), [("fastgrnn", 3), ("protonn", 5), ("bonsai", 12)])
def test_programs_of_classifiers_are_judged(name: str, buffers: int):
    """If `judge` requests it, exact cover confirms the packings of classifiers, which have the given numbers of
    buffers.
    """
    file = MODELS[name]
    module = load_program(file, context())
    options = {"format": "fixed", "width": 8, "data": str(file.with_name("val.npz"))}
    pipelines.run(module, context(), pipelines.flatten("reals-to-formats", options))
    for by, checked in (("none", None), ("exact-cover", "exact-cover")):
        packed = module.clone()
        pipelines.run(packed, context(), pipelines.flatten("formats-to-buffers", {**options, "judge": by}))
        [arena] = (op for op in packed.walk() if isinstance(op, ArenaOp))
        assert (arena.checked and arena.checked.data) == checked
        assert sum(isinstance(op, ViewOp) for op in packed.walk()) == buffers


def test_what_is_too_large_stays_undecided():
    dense = problem(99, overlapping=False)
    bound = pack(dense, "branch-and-bound").lower_bound
    assert check_bound(dense, bound, work=10).verdict is Verdict.UNDECIDED
    assert check_bound(dense, bound).verdict is Verdict.AGREED


def test_branch_and_bound_judges_what_exact_cover_proved():
    assert other_check("exact-cover", "exact-cover") == other_check("branch-and-bound", None) == "branch-and-bound"
    assert other_check("exact-cover", "branch-and-bound") == other_check("exact-cover", None) == "exact-cover"
    assert other_check("other", "branch-and-bound") == "exact-cover"
    assert other_check("other", "exact-cover") == "branch-and-bound"
    least = pack(PADDED, "exact-cover")
    assert (least.height, least.proof) == (9, Proof.EXACT_COVER)
    assert check_bound_by_search(PADDED, 9).verdict is Verdict.AGREED
    assert check_bound_by_search(PADDED, 10).verdict is Verdict.REFUTED
