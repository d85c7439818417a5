"""`check-sharing`: proves that functions that share one arena do not overwrite each other's state (L2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import error_at
from tinyml.dialects.scratch import ViewOp, bytes_of
from tinyml.transforms.buffers.check_packing import CheckPackingPass
from tinyml.transforms.buffers.liveness.live_ranges import arena_views
from tinyml.transforms.buffers.packing import Placement, Proof
from tinyml.transforms.buffers.packing.bound_checks import BOUND_CHECKS, Verdict
from tinyml.transforms.buffers.packing.validator import complaints
from tinyml.transforms.buffers.share_arena import SharedArena, SharedProblem, shared_problem


@dataclass(frozen=True)
class CheckSharingPass(ModulePass):
    """Verify the arena that the functions of a module share, without changing the functions.

    Each function is verified by `check-packing`. No buffer with state may share a byte with any buffer of another
    function. The recorded size must equal the highest end of a buffer. A validator, which shares no code with the
    packers, checks the offsets under the assumption that the functions run one after another.

    Algorithm X and branch and bound each search for a packing below the recorded bound. The module records the name of
    each algorithm that proves that there is no such packing. On a large problem, an algorithm may reach its limit of
    steps without a proof.

    Raises `InputError` if the packing or the bound is wrong.
    """

    name = "check-sharing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        arena = SharedArena.of(op)
        functions = [*defined_functions(op)]
        CheckPackingPass().apply(ctx, op)
        for keeping, other in permutations(functions, 2):
            check_state(keeping, other)
        problem = shared_problem(functions)
        _check_size(problem, arena)
        agreed: list[str] = []
        for name, check_bound in BOUND_CHECKS.items():
            check = check_bound(problem.rectangles, arena.lower_bound)
            if check.verdict is Verdict.REFUTED:
                raise InputError(
                    f"the lower bound of the shared arena is {arena.lower_bound} bytes, {name} needs fewer"
                )
            if check.verdict is Verdict.AGREED:
                agreed.append(name)
        replace(arena, checked=tuple(agreed)).record(op)


def check_state(keeping: func.FuncOp, other: func.FuncOp) -> None:
    """Raise `InputError` if a buffer of `other` shares bytes with a state buffer of `keeping`."""
    for state in arena_views(keeping):
        if state.state is None:
            continue
        (start, end), name = _bytes(state), state.result.name_hint or "a state"
        for view in arena_views(other):
            first, last = _bytes(view)
            if first < end and start < last:
                what = (
                    f"@{other.sym_name.data} writes {view.result.name_hint or 'a buffer'} (bytes {first} to {last - 1})"
                )
                raise error_at(view, f"{what} over {name} of @{keeping.sym_name.data}, which keeps its value")


def _bytes(view: ViewOp) -> tuple[int, int]:
    start = view.offset.value.data
    return start, start + bytes_of(view.result)


def _check_size(problem: SharedProblem, arena: SharedArena) -> None:
    offsets = tuple(members[0].offset.value.data for members in problem.places)
    placement = Placement(offsets, arena.bytes, arena.lower_bound, proof=Proof(arena.proof))
    for complaint in complaints(problem.rectangles, placement):
        raise InputError(f"the shared arena: {complaint}")
