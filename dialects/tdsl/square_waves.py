"""Products of a signal with square waves, without a multiplication."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.arrays.values import Arithmetic, Array
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, shaped, spell

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TURN", "SquareWavesOp"]

TURN = 1 << 14
"""The units of a phase in a period."""


@irdl_op_definition
class SquareWavesOp(TensorOp):
    """The mean products of a chunk, 1 x D, with square waves of M frequencies, in quadrature: the result is 2 x M.

    A column of A in equations (25) and (26) of Gural and Murmann, appendix D.2, divided by D: `result[0, m]` is that of
    the in-phase wave, a quarter of a period later, `result[1, m]` that of the other one. first: the number of the
    chunk's first sample. steps: by which the phase of each frequency advances with a sample, in parts of `TURN`.
    """

    name = "tdsl.square_waves"
    STORES_LAST: ClassVar[bool] = False
    KEEPS_INTERVAL: ClassVar[bool] = False
    input = operand_def(SHAPED)
    first = operand_def(IndexType)
    steps = prop_def(DenseArrayBase.constr(i64))
    assembly_format = (
        "$input `from` $first attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, input: SSAValue, first: SSAValue, steps: Sequence[int], element: Attribute | None = None):
        result = TensorType(element or shaped(input).get_element_type(), (2, len(steps)))
        build(self, [input, first], result, {"steps": DenseArrayBase.from_list(i64, steps)})

    @property
    def advances(self) -> NDArray[np.int64]:
        """The steps as an array."""
        return np.array(cast("DenseArrayBase[IntegerType[Any, Any]]", self.steps).get_values(), np.int64)

    @property
    def length(self) -> int:
        """The number of samples in a chunk."""
        return shape_of(self.input)[1]

    def infer_shape(self) -> Shape:
        shape = shape_of(self.input)
        if len(shape) != 2 or shape[0] != 1:
            raise VerifyException(f"takes a chunk of 1 x D samples, got shape {spell(shape)}")
        steps = self.advances
        if not len(steps) or steps.min() < 1 or steps.max() > TURN // 2:
            raise VerifyException(f"phases advance by 1 to {TURN // 2} with a sample, got {steps.tolist()}")
        return (2, len(steps))

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        chunk, steps = x[0][:, 0], self.advances
        first = np.broadcast_to(np.asarray(x[1], np.int64), len(chunk))[:, None]
        shape = len(chunk), 2, len(steps)
        total = arithmetic.no_total(self.input, self.length, shape)
        for k in range(self.length):
            phase = (first + k) * steps % TURN
            early = np.stack([(phase - TURN // 4) % TURN < TURN // 2, phase < TURN // 2], 1)
            sample = chunk[:, k, None, None]
            total = arithmetic.tally(self.input, total, np.where(early, sample, self._negative(arithmetic, sample)))
        return arithmetic.average(self.out, format_of(self.input), total, self.length, over_axes=False)

    def _negative(self, arithmetic: Arithmetic, sample: Array) -> Array:
        format = format_of(self.input)
        return -sample if arithmetic.machine is None else format.neg(arithmetic.machine, sample, format)
