"""Cost estimates of programs in which code computes some rows of constant matrices (L3). Each estimate is for the
program after all later passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp

from tinyml.targets.costs import OPTIMIZE
from tinyml.targets.registry import board, offers
from tinyml.transforms.ir.cost.estimate import Estimate, estimate_on
from tinyml.transforms.ir.pipeline_names import LOOPS_TO_KERNELS, LoweringPasses
from tinyml.transforms.loops.flash.candidates import Group, RowsCandidate, TimeSaving
from tinyml.transforms.loops.kernels.constant_rows import ConstantRows, constant_rows


class Estimates:
    """Cost estimates of the variants of a module on a board with a cost table. In each variant, a different number of
    rows of each matrix is code.

    packed, pack_buffers: options of the later passes.
    matrices: the matrices whose rows can become code, by their indices.
    plain: the estimate without rows as code; None to compute it on demand.
    """

    def __init__(
        self, module: ModuleOp, target: str, packed: str, pack_buffers: bool, plain: Estimate | None = None
    ) -> None:
        self.module, self.target = module, target
        self.below = LoweringPasses((LOOPS_TO_KERNELS,), target=target, packed=packed, pack_buffers=pack_buffers)
        self.matrices = self._matrices()
        self._known: dict[tuple[tuple[int, int], ...], Estimate] = {} if plain is None else {(): plain}

    @property
    def plain(self) -> Estimate:
        return self.of({})

    def of(self, coded: Mapping[int, int]) -> Estimate:
        """The estimate of the variant in which some rows are code, after all later passes.

        coded: by the index of each matrix, the number of its rows that are code.
        """
        key = tuple(coded.items())
        if key not in self._known:
            module = self.module.clone()
            self.replace(constant_rows(module) if coded else (), coded)
            self.below.apply(module)
            estimate = estimate_on(module, self.target, OPTIMIZE)
            assert estimate is not None
            self._known[key] = estimate
        return self._known[key]

    def replace(self, found: Sequence[ConstantRows] | Mapping[int, ConstantRows], coded: Mapping[int, int]) -> None:
        for number, count in coded.items():
            found[number].replace(self.target, count)

    def groups(self) -> list[Group]:
        """For each matrix whose rows can become code, a group with one candidate: the code for as many rows as
        possible.
        """
        timing, plain = board(self.target).timing, self.plain
        per_unit = 1.0 if timing is None else timing.mean
        groups: list[Group] = []
        for number, matrix in self.matrices.items():
            count = matrix.choices[-1]
            estimate = self.of({number: count})
            units = plain.time - estimate.time
            saving = TimeSaving(units, units * per_unit)
            candidate = RowsCandidate(
                matrix.part, number, matrix.choices, count, saving, max(estimate.flash - plain.flash, 1)
            )
            groups.append({matrix.part: candidate})
        return groups

    def _matrices(self) -> dict[int, ConstantRows]:
        found = enumerate(constant_rows(self.module))
        return {number: matrix for number, matrix in found if any(offers(self.target, matrix.rows))}
