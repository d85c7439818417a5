"""The sums of a convolution or dense layer that a loop over channels accumulates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import prod
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.schedules.rewriting.channel_ops import ChannelOp
from tinyml.transforms.schedules.segments import NotTiled
from tinyml.transforms.schedules.tiling.padding import margins_of, padding
from tinyml.transforms.schedules.tiling.stored_image import StoredImage
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder

HEADROOM = {8: 1, 16: 8}
"""The range of rounded sums as a multiple of the result's, by width in bits: partial sums may exceed the result."""


class ChannelSums(ABC):
    """The sums of an op that accumulates the contributions of channels. They are stored in memory."""

    EXACT: bool

    def __init__(self, op: tdsl.ContractionOp) -> None:
        self.op = op
        [(self.weights, _)] = op.pairs
        self.extents: tuple[int, int] | None = None
        """Height and width of the tensor that holds the sums, if those are not the result's."""

    @property
    def shape(self) -> tdsl.Shape:
        """The shape of the sums, which is the shape of an image. The sums of a dense layer are an image, too."""
        shape = tdsl.shape_of(self.op.out)
        _, height, width, rows = shape if len(shape) == 4 else (1, 1, 1, shape[0])
        return 1, *(self.extents or (height, width)), rows

    def prepare(self, emit: TensorBuilder, channels: int, width: int) -> None:
        """Emit the weights in the order of iterations.

        channels: the number of channels.
        width: the number of channels in an iteration.
        """
        constant = self.weights.owner
        assert isinstance(constant, tdsl.ConstOp)
        # The weights of an iteration are contiguous.
        raws = constant.raws.reshape(self.op.rows, -1, channels // width, width).transpose(2, 0, 1, 3)
        weights = tdsl.ConstOp(raws.reshape(channels // width, self.op.rows, -1), tdsl.format_of(self.weights))
        self.by_channel = emit.insert(weights, constant)
        self.by_channel.name_hint = self.weights.name_hint

    def started(self, emit: TensorBuilder) -> SSAValue:
        """Emit the sums before the first channel, with a name hint, and return them."""
        start = self.start(emit)
        start.name_hint = f"{self.op.out.name_hint or 'result'}_sums"
        return start

    def weights_of(self, c: SSAValue, emit: TensorBuilder) -> SSAValue:
        return emit.insert(tdsl.IndexOp(self.by_channel, c))

    def added(self, c: SSAValue, part: SSAValue, held: SSAValue, emit: TensorBuilder) -> SSAValue:
        """Add the contribution of iteration c to the sums `held`, and return the new sums.

        part: the operand's channels of this iteration.
        """
        weights, sums = self.weights_of(c, emit), StoredImage.whole(held)
        if not isinstance(self.op, tdsl.Conv2dOp):
            zero = emit.index(0)
            return self._pixel(zero, zero, weights, part, sums, emit)
        image = StoredImage.whole(part)
        _, height, width, _ = self.shape

        def pixel(y: SSAValue, x: SSAValue, held: SSAValue) -> SSAValue:
            return self.added_to(y, x, weights, image, sums.now(held), emit)

        return emit.over(height, held, lambda y, rows: emit.over(width, rows, lambda x, held: pixel(y, x, held)))

    def added_to(
        self, y: SSAValue, x: SSAValue, weights: SSAValue, image: StoredImage, sums: StoredImage, emit: TensorBuilder
    ) -> SSAValue:
        """Add the products of an iteration to the sums of pixel (y, x) of a convolution. Return the sums of all pixels.

        weights: the weights of the iteration.
        image: the operand's channels of the iteration, without padding.
        """
        return self._pixel(y, x, weights, self._window(y, x, image, emit), sums, emit)

    def finished(self, sums: SSAValue, emit: TensorBuilder) -> SSAValue:
        """Emit the computation of the result from the complete sums, and return the result."""
        result = self.result(sums, emit)
        result.name_hint = self.op.out.name_hint
        return emit.reshaped(result, tdsl.shape_of(self.op.out))

    @abstractmethod
    def start(self, emit: TensorBuilder) -> SSAValue:
        """Emit the initial values of the sums, before the first channel, and return them."""

    @abstractmethod
    def update(self, before: SSAValue, weights: SSAValue, factors: SSAValue, emit: TensorBuilder) -> SSAValue:
        """Add products to the sums of a pixel, and return the new sums, of shape rows x 1.

        weights: rows x taps.
        factors: taps x 1.
        """

    @abstractmethod
    def result(self, sums: SSAValue, emit: TensorBuilder) -> SSAValue:
        """Emit the conversion of complete sums to the format of the result, and return the result."""

    def _window(self, y: SSAValue, x: SSAValue, image: StoredImage, emit: TensorBuilder) -> SSAValue:
        op = cast(tdsl.Conv2dOp, self.op)
        _, height, width, _ = tdsl.shape_of(op.lhs)
        pad = padding(op.rhs)
        margins = margins_of(pad)
        (down, across), (above, _, before, _) = op.steps, margins
        top, left = emit.plus(emit.times(y, down), -above), emit.plus(emit.times(x, across), -before)
        filling = 0.0 if pad is None else pad.filling
        return image.windows(top, left, (height, width), emit, op.spread, margins, filling)

    def _pixel(
        self, y: SSAValue, x: SSAValue, weights: SSAValue, factors: SSAValue, sums: StoredImage, emit: TensorBuilder
    ) -> SSAValue:
        rows = self.op.rows
        at = sums.place(y, x, emit)
        before = emit.reshaped(sums.part(at, 1, 1, emit), (rows, 1))
        column = emit.reshaped(factors, (prod(tdsl.shape_of(factors)), 1))
        after = emit.reshaped(self.update(before, weights, column, emit), (1, 1, 1, rows))
        return sums.inserted(after, at, emit).value


class ExactSums(ChannelSums):
    """Sums in accumulators. The products are those of ordinary execution, in a different order, and are rounded
    once at the end.
    """

    EXACT = True

    def __init__(self, op: tdsl.ContractionOp, accumulator: Accumulator) -> None:
        super().__init__(op)
        self.accumulator = accumulator

    def start(self, emit: TensorBuilder) -> SSAValue:
        type = TensorType(self.accumulator.type, self.shape)
        initial = self.op.initial
        if initial is None:
            return emit.insert(tdsl.ZeroOp(type), self.op)
        return emit.insert(tdsl.StartOp(emit.reshaped(initial, self.shape[3:]), type), self.op)

    def update(self, before: SSAValue, weights: SSAValue, factors: SSAValue, emit: TensorBuilder) -> SSAValue:
        kind = tdsl.MacOp if tdsl.shape_of(factors) == (1, 1) else tdsl.AccumulateOp
        return emit.insert(kind(before, weights, factors), self.op)

    def result(self, sums: SSAValue, emit: TensorBuilder) -> SSAValue:
        finish = tdsl.FinishOp(sums, tdsl.format_of(self.op.out).type, self.op.sum_bound)
        finish.row_shifts = self.op.row_shifts
        return emit.insert(finish, self.op)


class RoundedSums(ChannelSums):
    """Sums in a narrow number format, which are rounded after every iteration of the loop over channels (PEX, section
    3.4).

    In the paper, training determines the range of the sums. Here the range is derived from the range of the result,
    without training.
    """

    EXACT = False

    def __init__(self, op: tdsl.ContractionOp, bits: int) -> None:
        super().__init__(op)
        result = tdsl.format_of(op.out)
        greatest = float(np.abs(result.decode(np.stack(result.ends()))).max()) * HEADROOM[bits]
        try:
            self.format: NumberFormat = result.of_width(bits).for_range(-greatest, greatest)
        except InputError as error:
            raise NotTiled(str(error)) from None
        # An 8-bit format with a zero point has one more raw below zero than above.
        self.format, _ = self.format.without_offset()

    def start(self, emit: TensorBuilder) -> SSAValue:
        return emit.insert(tdsl.FillOp(0.0, TensorType(self.format.type, self.shape)), self.op)

    def added_at_once(self, c: SSAValue, part: SSAValue, held: SSAValue, emit: TensorBuilder) -> SSAValue:
        """Add the contribution of iteration c to the sums `held` for all pixels in one op, and return the new sums.

        part: the operand's channels of this iteration, including padding.
        """
        op = self.op
        if not isinstance(op, tdsl.Conv2dOp):
            return self.added(c, part, held, emit)
        weights = emit.insert(tdsl.IndexOp(self.by_channel, c))
        shape = *tdsl.shape_of(self.weights)[:3], tdsl.shape_of(part)[3]
        filter = emit.insert(tdsl.ReshapeOp(weights, shape))
        added = tdsl.Conv2dOp(filter, part, op.steps, op.spread, element=self.format.type)
        return self._added(held, added, emit)

    def update(self, before: SSAValue, weights: SSAValue, factors: SSAValue, emit: TensorBuilder) -> SSAValue:
        return self._added(before, tdsl.MatmulOp(weights, factors, self.format.type), emit)

    def _added(self, before: SSAValue, part: tdsl.ContractionOp, emit: TensorBuilder) -> SSAValue:
        part.acc, part.bound, part.row_shifts = self.op.acc, self.op.bound, self.op.row_shifts
        return emit.insert(tdsl.AddOp(before, emit.insert(part, self.op), self.format.type), self.op)

    def result(self, sums: SSAValue, emit: TensorBuilder) -> SSAValue:
        element, initial = tdsl.format_of(self.op.out).type, self.op.initial
        if initial is None:
            return emit.insert(tdsl.CastOp(sums, element), self.op)
        constant = initial.owner
        assert isinstance(constant, tdsl.ConstOp)
        reals = tdsl.format_of(initial).decode(constant.raws).reshape(-1)
        if self.op.shifts is not None:
            reals = np.ldexp(reals, -np.array(self.op.shifts))
        bias = tdsl.ConstOp(self.format.encode(reals), self.format)
        bias.result.name_hint = initial.name_hint
        return emit.insert(tdsl.AddOp(sums, emit.insert(bias, constant), element), self.op)


def exact_sums_of(accumulating: ChannelOp, bits: int) -> ExactSums | None:
    """The exact sums of an accumulating op with `bits` bits each. None if they need more bits.

    Raises `NotTiled` if the result depends on the order of the products.
    """
    op = accumulating.contraction
    accumulator = op.accumulator
    if not accumulator.INTEGER or accumulator.below is not None:
        raise NotTiled(f"sums in {accumulator.type} depend on the order of their products")
    exact = accumulator.widened(bits).in_memory
    return ExactSums(op, exact) if exact.bits == bits else None


def sums_of(accumulating: ChannelOp, bits: int) -> ChannelSums:
    """The sums of an accumulating op. They are exact if `bits` bits suffice, and rounded otherwise.

    Rounded sums are possible only for the widths in `HEADROOM`, and not in formats with `AS_PUBLISHED`. Raises
    `NotTiled` if neither exact nor rounded sums are possible, or if the result depends on the order of the products.
    """
    op = accumulating.contraction
    if (exact := exact_sums_of(accumulating, bits)) is not None:
        return exact
    if bits in HEADROOM and not tdsl.format_of(op.out).AS_PUBLISHED:
        return RoundedSums(op, bits)
    raise NotTiled(f"sums need more than {bits} bits")
