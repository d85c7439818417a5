"""Packing problems that exact cover decides: generated ones, and that of a network whose results overlap operands.

`make figures ONLY=packing-decided,packing-programs` measures all classes, and all programs of `make hashes`.
"""

import pytest
from hashes.corpus import CLASSIFIERS, NUMBERS
from measured.measures.decided_packings import WORK, decided_by, is_hard, problem
from programs.spread import spread

import tinyml
from tinyml.transforms.buffers.packing import Effort, Proof, Rectangle, lower_bound, pack
from tinyml.transforms.buffers.packing.bound_checks import Verdict, check_bound
from tinyml.transforms.buffers.packing.validator import complaints

SEEDS = 0, 1
"""Problems of the class `aligned-24` that branch and bound leaves open."""

STEPS = 30_000_000
"""Steps of branch and bound, a tenth of the default."""

PADDED = [*(Rectangle(f"b{i}", 1, 4, 0, 1) for i in range(3)), Rectangle("word", 4, 1, 0, 0)]
"""Three bytes at multiples of 4, and four bytes anywhere."""


def test_padding_that_the_lower_bound_does_not_contain():
    """At most three bytes are free between two of the aligned buffers, so that the four bytes lie below or above all of
    them, and 13 bytes are needed. The lower bound from the live bytes is 9.
    """
    effort = Effort()
    placement = pack(PADDED, "auto", effort)
    assert is_hard(PADDED)
    assert lower_bound(PADDED) == 9
    assert (placement.height, placement.lower_bound, placement.proof) == (13, 13, Proof.EXACT_COVER)
    assert decided_by(placement, effort) == "exact-cover"


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("seed", spread(SEEDS, 1))
def test_exact_cover_proves_what_branch_and_bound_leaves_open(seed: int):
    """For 24 buffers that occupy at most half of their alignment, exact cover finds the optimum and proves it; branch
    and bound proves no bound of this height. A second run of exact cover on bytes confirms the bound.
    """
    given = problem("aligned-24", seed)
    placement = pack(given, "exact-cover", Effort(work=WORK))
    assert placement.optimal
    assert placement.proof is Proof.EXACT_COVER
    assert not list(complaints(given, placement))
    assert pack(given, "branch-and-bound", Effort(steps=STEPS)).lower_bound < placement.height
    assert check_bound(given, placement.lower_bound, WORK).verdict is not Verdict.REFUTED


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
def test_a_network_whose_packing_exact_cover_proves():
    """Of the buffers of a network of accelerations, four may overlap an operand. Exact cover proves that no arena has
    fewer than 192 bytes; live bytes, less those that overlaps may save, are 171 at most. `check-packing` accepts the
    proof: branch and bound proves the same bound.
    """
    model = CLASSIFIERS["accelerometer-dynamo"]
    assert model.data is not None
    data = model.data()
    program = tinyml.compile(
        model.file, data["x"], data.get("y"), board="cortex-m4", outputs="class", **NUMBERS["minifloat 8"]
    )
    memory = program.report.memory
    assert (memory["height"], memory["lower_bound"]) == (192, 192)
    assert (memory["packer"], memory["proof"], memory["checked"]) == ("exact-cover", "exact-cover", "branch-and-bound")
    assert any(buffer["overlaps"] for buffer in memory["map"])
