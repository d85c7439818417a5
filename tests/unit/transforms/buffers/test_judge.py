"""Exact cover as the judge of branch and bound; `make figures ONLY=packing-judged` judges 2,000 problems."""

from typing import Any

import pytest
from measured.measures.judged_packings import problem, trials
from programs.spread import spread

from tinyml.transforms.buffers.packing import Effort, Overlap, Rectangle, branch_and_bound, pack
from tinyml.transforms.buffers.packing.judge import Verdict, judge, judge_height

SEEDS = spread(range(200), 20)

PADDED = [
    Rectangle("a", 3, 2, 0, 1),
    Rectangle("b", 5, 4, 1, 2, (Overlap(0, 3),)),
    Rectangle("c", 2, 1, 1, 2),
]
"""b may lie 3 bytes below a."""


def test_a_height_and_the_byte_below_it():
    """By hand: b at 0, a at 4 (3 is odd) to 6, c above b at 7; or c at 5, where a has to begin at 8."""
    least = pack(PADDED, "branch-and-bound").height
    assert least == 9
    assert judge_height(PADDED, least).verdict is Verdict.AGREED
    assert judge_height(PADDED, least - 1).verdict is Verdict.REFUTED
    assert judge(PADDED, least).verdict is Verdict.AGREED
    refuted = judge(PADDED, least + 1)
    assert refuted.verdict is Verdict.REFUTED
    assert max(start + shape.size for start, shape in zip(refuted.offsets, PADDED, strict=True)) == least


@pytest.mark.parametrize("overlapping", [False, True])
def test_exact_cover_agrees_with_branch_and_bound(overlapping: bool):
    found = [trial.verdict for trial in trials(SEEDS, overlapping)]
    assert Verdict.REFUTED not in found
    assert found.count(Verdict.AGREED) >= 0.9 * len(found)


def test_an_error_in_branch_and_bound_is_found(monkeypatch: pytest.MonkeyPatch):
    """The seeded error: what is still to be placed in a section counts a byte too much."""
    given = [problem(seed, overlapping=False) for seed in range(6)]

    def verdicts() -> list[Verdict]:
        effort = [Effort(nodes=3_000, core=False) for _ in given]
        bounds = [pack(each, "branch-and-bound", limit).lower_bound for each, limit in zip(given, effort, strict=True)]
        return [judge(each, bound).verdict for each, bound in zip(given, bounds, strict=True)]

    assert verdicts() == [Verdict.AGREED] * len(given)
    searches = branch_and_bound._Search  # pyright: ignore[reportPrivateUsage]
    sound = searches.__init__

    def too_full(self: Any, *arguments: Any) -> None:
        sound(self, *arguments)
        self.waiting = [bytes_ + 1 for bytes_ in self.waiting]

    monkeypatch.setattr(searches, "__init__", too_full)
    assert Verdict.REFUTED in verdicts()


def test_what_is_too_large_stays_undecided():
    many = [Rectangle(f"b{i}", 1, 1, i, i + 1) for i in range(300)]
    assert judge(many, 2).verdict is Verdict.UNDECIDED
    assert judge(problem(99, overlapping=True), 12, nodes=0).verdict is not Verdict.REFUTED
