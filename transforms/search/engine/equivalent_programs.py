"""Programs on reals with equal results, among which a search may choose.

Loop-carried sums are exact in accumulators, which take twice the memory of 16 bits. Rounded sums (`round-sums`) leave
more memory to other tensors, but less of it the more factors are held at once. Which program loses least is only known
after formats have been found for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import StringAttr

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.transforms.ir.sums.rounded_sums import round_carried_sums
from tinyml.transforms.reals.analysis.profiles import record_profiles

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

BLOCKS = (16, 1)
"""The most iterations whose products are rounded at once: the factors of a block take memory, a single one none."""


def with_rounded_sums(module: ModuleOp, inputs: NDArray[Any]) -> Iterator[ModuleOp]:
    """Yield profiled programs that carry sums in the format of their elements; each differs from all earlier ones.

    inputs: reals of shape (samples, elements) for the profile.
    """
    programs = [module]
    for block in BLOCKS:
        rounded = module.clone()
        round_carried_sums(rounded, block)
        if not any(map(rounded.is_structurally_equivalent, programs)):
            programs.append(rounded.clone())
            record_profiles(rounded, inputs)
            yield rounded


def in_modes(module: ModuleOp, modes: Sequence[str]) -> Iterator[ModuleOp]:
    """Yield the program in each mode of `plan-execution`.

    Raises `InputError` for unknown modes, for `auto`, and for modes with roundings that candidates are not evaluated
    with.
    """
    from tinyml.runtime.evaluator.evaluator import predict_function
    from tinyml.transforms.schedules.table import AUTO, ORDINARY, schedule_named

    for mode in modes:
        if schedule_named(mode).rounds or mode == AUTO:
            raise InputError(f"a search cannot choose the mode of execution '{mode}'")
    for mode in modes:
        program = module.clone()
        if mode != ORDINARY:
            predict_function(program).attributes[tdsl.MODE] = StringAttr(mode)
        yield program
