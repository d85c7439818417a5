"""`leave-sample-room`: bounds the samples that another training of an estimator may store, and adds samples without
effect up to this number (L0).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.tdsl.attributes import PROFILE, Profile
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.ir.sample_room import SAMPLE_ROOM, known_sample_room, multiplies_samples
from tinyml.transforms.reals.leave_room import beyond_room, power_above


@dataclass(frozen=True)
class LeaveSampleRoomPass(ModulePass):
    """Set `tinyml.sample_room` on the function of the model to a number of samples. Pad the matrix of an estimator's
    samples with zero rows up to this number, and the matrix that multiplies the values computed from the samples
    with zero columns.

    For nearest neighbours, the number that measures how near an added sample is lies below all numbers in the profile.
    In a format that saturates it is the least number, so that every other sample is chosen before an added one.

    weights_margin: the factor by which `tinyml.sample_room` exceeds the number of samples or, if it is already set, its
        previous value.

    Raises `InputError` if the estimator stores more samples than the new `tinyml.sample_room`, and if operations for
    which samples cannot be added read values of the samples.
    """

    name = "leave-sample-room"
    weights_margin: float = 1.0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = predict_function(op)
        if (stored := tdsl.read_interface(function).stored) is None:
            return
        sums = [each for each in op.walk() if multiplies_samples(each, stored.number)]
        if not sums:
            return
        room = math.ceil(self.weights_margin * (known_sample_room(function) or stored.number))
        if stored.number > room:
            raise InputError(beyond_room("model", stored.number, stored.what, room))
        function.attributes[SAMPLE_ROOM] = IntegerAttr(room, i64)
        widening = _Widening(stored.number, room)
        for each in sums:
            # A result may happen to have as many rows.
            if each not in widening.last:
                widening.begin(each)


@dataclass(frozen=True)
class _Widening:
    """The change of values with a row for each sample to values with `room` rows.

    last: the products that sum over the samples.
    """

    samples: int
    room: int
    last: set[Operation] = field(default_factory=set[Operation])

    def begin(self, op: Operation) -> None:
        assert isinstance(op, tdsl.MatrixProductsOp)
        for lhs, _ in op.pairs:
            self._pad(op, lhs, 0)
        if (initial := op.initial) is not None:
            self._pad(op, initial, 0, self._lowest(op) if _are_ranked(op.out) else 0.0)
        elif _are_ranked(op.out):
            raise error_at(op, "--weights-at: nearest samples need an addend for each sample")
        self._widen(op.out)

    def _lowest(self, op: tdsl.MatrixProductsOp) -> float:
        known = next(tdsl.result_profiles(op.out), None)
        if known is None:
            raise error_at(op, "the product has no profile: run the profile pass first")
        return -2 * power_above(known.magnitude)

    def _widen(self, narrow: SSAValue) -> None:
        type = cast("TensorType[Attribute]", narrow.type)
        wide = TensorType(type.element_type, (self.room, *type.get_shape()[1:]))
        value = Rewriter.replace_value_with_new_type(narrow, wide)
        for user in [use.operation for use in value.uses]:
            match user:
                case tdsl.MatrixProductsOp() if any(rhs is value for _, rhs in user.pairs):
                    self.last.add(user)
                    for lhs, rhs in user.pairs:
                        if rhs is value:
                            self._pad(user, lhs, 1)
                case tdsl.ElementwiseOp() | tdsl.TopKMaskOp():
                    for operand in user.operands:
                        if isinstance(operand.owner, tdsl.ConstOp) and tdsl.shape_of(operand)[0] == self.samples:
                            self._pad(user, operand, 0)
                    if tdsl.shape_of(user.out)[0] == self.samples:
                        self._widen(user.out)
                case _:
                    raise error_at(user, f"--weights-at: {user.name} reads numbers of samples, whose number may change")

    def _pad(self, op: Operation, value: SSAValue, axis: int, filling: float = 0.0) -> None:
        if not isinstance(constant := value.owner, tdsl.ConstOp) or constant.raws.shape[axis] != self.samples:
            raise error_at(op, "--weights-at: a matrix beside the samples is not constant, or of another length")
        added = [(0, self.room - self.samples if axis == each else 0) for each in range(constant.raws.ndim)]
        format = tdsl.format_of(constant.result)
        new = constant.with_raws(np.pad(constant.raws, added, constant_values=filling), format)
        known = next(tdsl.result_profiles(constant.result), None)
        if known is not None and filling < min(known.low.data, 0.0):
            new.attributes[PROFILE] = ArrayAttr([Profile(filling, known.high.data, known.percentiles)])
        Rewriter.insert_op(new, InsertPoint.before(op))
        op.operands = [new.result if operand is value else operand for operand in op.operands]
        if not value.uses:
            Rewriter.erase_op(constant)


def _are_ranked(value: SSAValue) -> bool:
    users: Sequence[Operation] = [use.operation for use in value.uses]
    return any(
        isinstance(user, tdsl.TopKMaskOp) or (isinstance(user, tdsl.ElementwiseOp) and _are_ranked(user.out))
        for user in users
    )
