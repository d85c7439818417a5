"""The tensors of a program at L1, as data and as a drawing of their values in the ranges of their formats."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.utils.hints import isa

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.loops.operation_names import operation_name
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.tools.reports.facts.plain_terms import plain_format, plain_operation
from tinyml.tools.reports.svg import COLOURS, Drawing, shortened

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINS = 48
"""The bars of a histogram."""

MAX_RANGE_RATIO = 1e6
"""Maximum ratio of a format's range to its values for which the axis shows the range; the range of floats is
useless.
"""

WIDTH, ROW = 960, 34

MAX_TENSORS = 60
"""Maximum number of tensors that are drawn."""

AXIS = 430, 850
"""The left and right end of the axes, in pixels."""

KINDS = {"input": COLOURS[2], "constant": COLOURS[0], "value": COLOURS[1]}


@dataclass(frozen=True)
class TensorFacts:
    """A tensor: its name, shape, format as in the IR, bits of an element and kind: "input", "constant" or "value".

    words: the format in words.
    low, high: the least and greatest value of the tensor, in reals; None if unknown.
    axis: the limits of the axis in the figure, in reals: the range of the format, or else of the values.
    counts: the number of values in each of `BINS` equal parts of the axis; None if unknown.
    quantiles: quantiles of the values over the validation set.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    format: str
    words: str
    bits: int
    low: float | None
    high: float | None
    axis: tuple[float, float] | None
    counts: tuple[int, ...] | None
    quantiles: tuple[float, ...] = ()

    @property
    def elements(self) -> int:
        """The number of elements of the tensor."""
        return int(np.prod(self.shape))


def tensor_facts(formats: ModuleOp, inputs: NDArray[Any] | None = None) -> list[TensorFacts]:
    """The tensors of a program at L1 in order; constants of one element are omitted.

    inputs: real inputs (samples, elements), from which histograms of all values are computed; without inputs, only
        constants have histograms.
    """
    seen = {} if inputs is None else _observed(formats, inputs)
    return [_facts(*found, seen) for found in _tensors(formats)]


def _tensors(formats: ModuleOp) -> Iterator[tuple[SSAValue, str, str, NumberFormat]]:
    function = defined_functions(formats)[0]
    values = [(value, "input") for value in function.body.block.args]
    for op in function.walk():
        if isinstance(op.parent_op(), tdsl.MapOp) or op.name.startswith("scf."):
            continue
        kind = "constant" if isinstance(op, tdsl.ConstOp) else "value"
        values += [(result, kind) for result in op.results]
    for value, kind in values:
        format, users = _format(value), [*value.uses]
        if format is None or not users or (kind == "constant" and int(np.prod(tdsl.shape_of(value))) == 1):
            continue
        name = value.name_hint or (
            operation_name(value.owner) if isinstance(value.owner, tdsl.TensorOp) else users[0].operation.name
        )
        yield value, kind, name, format


def _format(value: SSAValue) -> NumberFormat | None:
    return number_format(value.type.get_element_type()) if isa(value.type, TensorType[Attribute]) else None


def _facts(
    value: SSAValue, kind: str, name: str, format: NumberFormat, seen: dict[SSAValue, NDArray[Any]]
) -> TensorFacts:
    values, low, high, quantiles = seen.get(value), None, None, ()
    if isinstance(value.owner, tdsl.ConstOp):
        values = np.asarray(format.decode(value.owner.raws), np.float64).ravel()
    elif profiles := list(_profiles(value)):
        low, high = min(one.low.data for one in profiles), max(one.high.data for one in profiles)
        quantiles = tuple(each.data for each in profiles[0].percentiles)
    if values is not None:
        values = values[np.isfinite(values)]
        if values.size:
            low, high = float(values.min()), float(values.max())
    axis = None if low is None or high is None else _axis(format, tdsl.shape_of(value), low, high)
    counts = None
    if values is not None and values.size and axis is not None:
        counts = tuple(np.histogram(values, BINS, axis)[0].tolist())
    return TensorFacts(
        name,
        kind,
        tdsl.shape_of(value),
        str(format.type),
        plain_format(format),
        format.bits,
        low,
        high,
        axis,
        counts,
        quantiles,
    )


def _profiles(value: SSAValue) -> Iterator[tdsl.Profile]:
    yield from tdsl.result_profiles(value)
    if isinstance(value, BlockArgument) and isinstance(function := value.block.parent_op(), func.FuncOp):
        given = function.arg_attrs
        profile = None if given is None else given.data[value.index].data.get(tdsl.PROFILE)
        if isinstance(profile, tdsl.Profile):
            yield profile


def _axis(format: NumberFormat, shape: tuple[int, ...], low: float, high: float) -> tuple[float, float]:
    """The least and the greatest value of an axis that contains the format's range and the values of a tensor.

    If the format's range is infinite or too wide (`MAX_RANGE_RATIO`), the limits are the range of the values, extended
    by 1 on both sides if all values are equal.

    low, high: the least and the greatest value of the tensor.
    """
    with np.errstate(all="ignore"):
        # Rows and channels may have separate scales.
        least, greatest = (np.asarray(format.decode(end), np.float64) for end in format.ends(shape))
    ends, most = (float(least.min(initial=np.inf)), float(greatest.max(initial=-np.inf))), max(abs(low), abs(high))
    if np.isfinite(ends).all() and 0 < max(map(abs, ends)) <= MAX_RANGE_RATIO * most and ends[0] < ends[1]:
        return min(ends[0], low), max(ends[1], high)
    return (low, high) if low < high else (low - 1, high + 1)


def _observed(formats: ModuleOp, inputs: NDArray[Any]) -> dict[SSAValue, NDArray[Any]]:
    """For each tensor, the values that it has for the given inputs, in reals."""
    parts: defaultdict[SSAValue, list[NDArray[Any]]] = defaultdict(list)

    def observe(value: SSAValue, raws: NDArray[Any]) -> None:
        if (format := _format(value)) is not None:
            parts[value].append(np.asarray(format.decode(raws), np.float64).ravel())

    evaluate(formats, encode_inputs(formats, inputs), observe=observe)
    return {value: np.concatenate(arrays) for value, arrays in parts.items()}


def draw_formats(tensors: Sequence[TensorFacts]) -> Drawing:
    """Draw a row for each tensor: name, format, bits, and the values on an axis. Tensors after the first `MAX_TENSORS`
    are only counted.

    Values are drawn as a histogram. If only their profile is known, a bar from the least to the greatest value replaces
    the histogram. The bar is thicker between the outer percentiles and has a line at the median.
    """
    shown = tensors[:MAX_TENSORS]
    more = len(tensors) - len(shown)
    title = "Number formats of the tensors, and their values within what the formats represent"
    picture = Drawing(WIDTH, ROW * len(shown) + 30 + (18 if more else 0), title)
    left, right = AXIS
    for x, text in ((4, "tensor"), (190, "format"), (left, "least that is represented")):
        picture.text(x, 14, text, "start")
    picture.text(right, 14, "greatest", "end")
    picture.text(WIDTH - 4, 14, "bits", "end")
    for row, tensor in enumerate(shown):
        _row(picture, tensor, 24 + row * ROW)
    if more:
        picture.text(4, 24 + len(shown) * ROW + 14, f"and {more} tensors more", "start")
    return picture


def plain_tensor(tensor: TensorFacts) -> str:
    """The name of a tensor. A constant without a name in the model is named after the operation that uses it."""
    reader = tensor.name.partition(".")[2] if tensor.kind == "constant" else ""
    return plain_operation(f"{reader}()" if reader else tensor.name)


def _row(picture: Drawing, tensor: TensorFacts, y: float) -> None:
    left, right = AXIS
    base = y + ROW - 6
    shape = "x".join(map(str, tensor.shape)) or "1"
    picture.text(4, y + 14, shortened(plain_tensor(tensor), 30), "start")
    picture.text(4, y + 26, f"{tensor.kind}, {shape}", "start", kind="small")
    picture.text(190, y + 18, shortened(tensor.words, 40), "start")
    picture.rectangle(WIDTH - 100, y + 8, 2 * min(tensor.bits, 32), 12, fill=KINDS[tensor.kind])
    picture.text(WIDTH - 4, y + 18, str(tensor.bits), "end")
    picture.line(0, y + ROW - 1, WIDTH, y + ROW - 1, kind="faint")
    picture.line(left, base, right, base)
    if tensor.axis is None or tensor.low is None or tensor.high is None:
        return
    low, high = tensor.axis

    def x(value: float) -> float:
        return left + (right - left) * (min(max(value, low), high) - low) / (high - low)

    if low < 0 < high:
        picture.line(x(0), y + 4, x(0), base, "2 2")
    tip = f"{tensor.name}, {tensor.format}: {tensor.low:.4g} to {tensor.high:.4g}, the format {low:.4g} to {high:.4g}"
    if tensor.counts is not None:
        most, width = max(tensor.counts) or 1, (right - left) / len(tensor.counts)
        for i, count in enumerate(tensor.counts):
            if count:
                # The square root keeps rare values visible.
                tall = max((ROW - 12) * (count / most) ** 0.5, 1)
                picture.rectangle(left + i * width, base - tall, width, tall, fill=KINDS[tensor.kind])
        picture.rectangle(left, y + 2, right - left, ROW - 8, fill="#fff", tip=tip, opacity=0.001)
        return
    colour, ends = KINDS[tensor.kind], (x(tensor.low), x(tensor.high))
    picture.rectangle(ends[0], base - 9, max(ends[1] - ends[0], 1), 6, fill=colour, tip=tip, opacity=0.55)
    if tensor.quantiles:
        first, last = x(tensor.quantiles[0]), x(tensor.quantiles[-1])
        picture.rectangle(first, base - 14, max(last - first, 1), 16 - 5, fill=colour, tip=tip)
        median = x(tensor.quantiles[len(tensor.quantiles) // 2])
        picture.line(median, base - 18, median, base)
