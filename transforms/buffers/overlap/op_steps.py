"""The steps in which an op on buffers loads and stores elements, and the positions of these elements (L2).

Two analyses of loops use this module and share no other code, so that each detects errors of the other.
`overlap_distance.py` executes loops symbolically, for the packers. `byte_times.py` executes loops iteration by
iteration, for the check.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.loops import index_value
from tinyml.dialects.plugins import expected
from tinyml.dialects.scratch import SliceOp, root
from tinyml.dialects.tdsl import MovementOp, TensorOp, Visits, WindowOp, shape_of
from tinyml.dialects.tdsl.index_maps import visits_of_moves
from tinyml.transforms.ir.buffers import first_element, is_handed_on
from tinyml.transforms.ir.indices import AffineSum, affine_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.ir.affine import AffineMap

    from tinyml.dialects.tdsl.base import Visits
    from tinyml.dialects.tdsl.windows import WindowOp

    Numbers = NDArray[np.int64]

MAX_STEPS = 20_000_000
"""Limit on the pixels of an op's windows, and on the steps of an access over all iterations of symbolic loops."""


class Unknown(Exception):
    """Raised if the bytes that an op accesses cannot be determined at compile time."""


class Steps(NamedTuple):
    """The loads of an op from the memref `value`, or its stores to this memref.

    start: the position of the memref's first element in its buffer.
    writes: true for stores, false for loads.
    times: the time of each access, counted from the start of the op; loads have even times, stores odd ones.
    elements: the positions of the accessed elements in the memref, of shape (times, elements per time).
    window: the op whose window (`WindowOp.span`) contains the accessed elements, if they depend on indices; None if
        `elements` lists them.
    """

    value: SSAValue
    start: AffineSum
    writes: bool
    times: Numbers
    elements: Numbers
    window: WindowOp | None = None


def touches(op: Operation, buffers: Collection[SSAValue]) -> bool:
    """Whether an op accesses one of the buffers, or is a loop around such an op.

    Raises `Unknown` for an op with such an access that is neither a tensor op nor a loop without carried values, and
    for a memref that loops or branches may select.
    """
    if isinstance(op, SliceOp):
        return False
    operands = [operand for inner in op.walk() for operand in inner.operands]
    if any(map(is_handed_on, operands)):
        raise Unknown
    if not any(root(operand) in buffers for operand in operands):
        return False
    if not (isinstance(op, TensorOp) and op.dest is not None) and (not isinstance(op, scf.ForOp) or op.iter_args):
        raise Unknown
    return True


def steps_of(op: TensorOp, buffers: Collection[SSAValue]) -> list[Steps]:
    """The steps in which an op accesses elements of the given buffers. Raises `Unknown` for too many steps.

    An operand that the op does not access element by element in known steps counts as read completely at the end. A
    copy of windows to a buffer that is not in `buffers` is one step, which reads the whole image.
    """
    assert op.dest is not None
    if isinstance(op, WindowOp) and root(op.dest) not in buffers:
        image = np.arange(prod(shape_of(op.image)))[None]
        return [Steps(op.image, first_element(op.image), False, np.array([0]), image, op if op.ring is None else None)]
    windows = () if op.pairs else filter(None, map(op.checked_footprint, op.inputs))
    if any(prod(shape_of(op.out)) * prod(window.kernel) > MAX_STEPS for window in windows):
        raise Unknown
    found: list[Steps] = []
    time = 0
    for run, read, written in _runs(op):
        times = time + 2 * np.arange(len(run.stores))
        for operand, elements in run.loads:
            found.append(Steps(operand, first_element(operand).plus(read), False, times, elements))
        found.append(Steps(op.dest, first_element(op.dest).plus(written), True, times + 1, run.stores[:, None]))
        time += 2 * len(run.stores)
    stepwise = {steps.value for steps in found if not steps.writes}
    for operand in dict.fromkeys(op.inputs):
        if operand not in stepwise:
            whole = np.arange(prod(shape_of(operand)))[None]
            found.append(Steps(operand, first_element(operand), False, np.array([time]), whole))
    return [steps for steps in found if root(steps.value) in buffers and steps.elements.size]


_AT_OFFSETS = "tdsl.slice", "tdsl.insert_slice"
"""The ops on parts of tensors that start at computed offsets, one for each axis."""


def _runs(op: TensorOp) -> Iterator[tuple[Visits, AffineSum, AffineSum]]:
    """Yield the runs of steps of an op, each with the distances, in elements, by which its loads and its stores are
    shifted. Parts at computed offsets are shifted by these offsets.
    """
    nothing = AffineSum(0, {})
    if not isinstance(op, MovementOp) or op.name not in _AT_OFFSETS:
        yield from ((expected(run, Visits, type(op)), nothing, nothing) for run in op.visits)
        return
    for move in op.moves:
        for run in visits_of_moves([move], op.out, fills=False):
            yield run, _shift(move.source, move.operand, op.indices), _shift(move.target, op.out, op.indices)


def _shift(map: AffineMap, value: SSAValue, offsets: Sequence[SSAValue]) -> AffineSum:
    """The distance, in elements of `value`, by which offsets shift the element to which a map of a part maps an
    index. Along an axis, the map adds the offset of the axis or nothing.
    """
    zeros, shape, total = [0] * map.num_dims, shape_of(value), AffineSum(0, {})
    for axis, (expression, offset) in enumerate(zip(map.results, offsets, strict=True)):
        if expression.eval(zeros, [1] * len(offsets)):
            total = total.plus(affine_sum(offset), prod(shape[axis + 1 :]))
    return total


def index_of(index: SSAValue, known: Mapping[SSAValue, Any]) -> Any:
    """The number or array that an index has if `known` maps other indices to their values. Raises `Unknown` for an
    index that depends on data.
    """
    if (found := index_value(index, known)) is None:
        raise Unknown
    return found


def sum_of(start: AffineSum, known: Mapping[SSAValue, Any]) -> Any:
    return start.constant + sum(factor * index_of(index, known) for index, factor in start.factors.items())
