"""Every registered number format with values to test it, and functions of scalar num ops that are lowered to L4.

Formats are found through the entry points `xdsl.universe`, so that formats of installed packages are tested, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any, TypeAlias, cast, get_args

import numpy as np
from interpreters.bits import run
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, bf16, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from programs.spread import EXHAUSTIVE
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import format_spelled
from tinyml.dialects.formats.number_format import Bound, Factor, Function, NumberFormat, Product, number_format
from tinyml.lowering.exact_to_arith import LowerExactToArithPass
from tinyml.lowering.num_to_exact import LowerNumToExactPass

Array: TypeAlias = "NDArray[Any]"

FUNCTIONS: tuple[Function, ...] = get_args(Function)

WIDTHS = (8, 16, 32)
"""Widths that are tried of every format that has them, beside its usual one."""

RANGES = ((-1.0, 1.0), (0.0, 0.1), (-7.5, 6.0), (-100.0, 90.0))
"""The ranges of values for which the variants of a format with scales are made."""

TO_EVEN = (
    "!fixed.q<8, 7, even>",
    "!fixed.q<16, 15, even>",
    "!fixed.s<8, 7, even>",
    "!fixed.s<32, 31, even>",
    "!zeroskew.q<8, 0.0078125, 0, even>",
)
"""Types that state another rounding than the usual one of their format."""

SAMPLED = 8_000
"""Values or pairs tried where not all of them can be."""


@dataclass(frozen=True)
class Sort:
    """A format family with a width, and its formats for the ranges in `RANGES`.

    name: the name in the ids of tests.
    option: the values of `--format` and `--width` that select the sort.
    variants: the formats.
    """

    name: str
    option: tuple[str, int]
    variants: tuple[NumberFormat, ...]

    def __str__(self) -> str:
        return self.name


def _prototypes() -> Iterator[tuple[str, str, type[NumberFormat]]]:
    """Yield for each format the name of its type, its name in `--format`, and its class."""
    for builtin in (f32, bf16):
        yield str(builtin), str(builtin), type(cast(NumberFormat, number_format(builtin)))
    for entry in entry_points(group="xdsl.universe"):
        if entry.name != "xdsl":
            universe = cast(Universe, entry.load())
            for dialect in (make() for make in universe.all_dialects.values()):
                for attribute in dialect.attributes:
                    if issubclass(attribute, NumberFormat):
                        yield attribute.name, dialect.name, attribute


def _sorts() -> Iterator[Sort]:
    for name, option, prototype in _prototypes():
        for width in dict.fromkeys((*WIDTHS, prototype.of_width(None).bits)):
            try:
                format = prototype.of_width(width)
            except InputError:
                continue
            yield Sort(f"{name}-{width}", (option, width), _variants(format))
    for text in TO_EVEN:
        format = format_spelled(context(), text)
        name = text.removeprefix("!").partition("<")[0]
        yield Sort(f"{name}-{format.bits}-even", (name.partition(".")[0], format.bits), _variants(format))


def _variants(format: NumberFormat) -> tuple[NumberFormat, ...]:
    variants = {one.type: one for one in (format.for_range(*bounds) for bounds in RANGES)}
    return tuple(variants.values())


SORTS = tuple(_sorts())
FORMATS = tuple(format for sort in SORTS for format in sort.variants)


def some_sorts(sort: Sort) -> Sequence[Sort]:
    """Every fourth sort; `sort` determines with which of the first four they begin. All sorts in `make exhaustive`."""
    return SORTS if EXHAUSTIVE in os.environ else SORTS[SORTS.index(sort) % 4 :: 4]


def pairings(sort: Sort, others: Sequence[Sort], turn: int = 0) -> Iterator[tuple[NumberFormat, NumberFormat]]:
    """Yield pairs of formats. If `others` contain `sort`, each variant of `sort` is paired with the variant `turn`
    places after it. For each different sort in `others`, one variant of `sort` is paired with one variant of that
    sort.

    From sort to sort, the indices of the two variants advance at different rates, so that different ranges are
    combined.
    """
    own = sort.variants
    for shift, other in enumerate(others, turn):
        if other == sort:
            yield from ((one, own[(place + turn) % len(own)]) for place, one in enumerate(own))
        else:
            yield own[shift // 2 % len(own)], other.variants[shift % len(other.variants)]


@cache
def raws_of(format: NumberFormat) -> Array:
    """All raws with finite values of a format of at most 16 bits; for wider formats the extremes and many raws of all
    magnitudes.

    Raws that `encode` never returns are omitted.
    """
    bits = format.dtype.itemsize * 8
    if bits <= 16:
        raws = np.arange(1 << bits).astype(f"u{bits // 8}").view(format.dtype)
    else:
        random = np.random.default_rng(bits)
        patterns = random.integers(0, 1 << bits, SAMPLED, np.uint64).astype(np.uint32)
        small = patterns[: SAMPLED // 2].view(np.int32) >> random.integers(0, bits, SAMPLED // 2).astype(np.int32)
        reals = np.concatenate([extremes(format), [0.0], random.normal(size=SAMPLED // 4), np.arange(-99.5, 99)])
        raws = np.concatenate([patterns.view(format.dtype), small.view(format.dtype), format.encode(reals)])
    with np.errstate(all="ignore"):
        reals = format.decode(raws)
        legal = np.isfinite(reals) & (format.encode(np.nan_to_num(reals)) == raws)
    return np.unique(raws[legal])


@cache
def some_raws_of(format: NumberFormat) -> Array:
    """A sample of `raws_of` that includes both ends and the raws around zero. All of them if there are at most
    `SAMPLED`, and in `make exhaustive`.
    """
    raws = raws_of(format)
    if len(raws) <= SAMPLED or EXHAUSTIVE in os.environ:
        return raws
    reals = format.decode(raws)
    order = np.argsort(reals, kind="stable")
    zero = int(np.searchsorted(reals[order], 0.0))
    around = np.arange(zero - 300, zero + 300).clip(0, len(raws) - 1)
    drawn = np.random.default_rng(len(raws)).choice(len(raws), SAMPLED // 4)
    ends = [*range(8), *range(len(raws) - 8, len(raws))]
    return raws[np.unique(order[np.concatenate([ends, around, drawn])])]


def extremes(format: NumberFormat) -> NDArray[np.float64]:
    """The least and the greatest real of a format. In a format that wraps around, these are the extremes of all
    raws.
    """
    if format.AS_PUBLISHED:
        info = np.iinfo(format.dtype)
        return format.decode(np.array([info.min, info.max], format.dtype))
    with np.errstate(all="ignore"):
        far = format.decode(format.encode(np.array([-3.0e38, 3.0e38])))
    assert np.isfinite(far).all()
    return far


def pairs_of(lhs: NumberFormat, rhs: NumberFormat, every: bool = True) -> tuple[Array, Array]:
    """All pairs of 8-bit raws; for wider formats, pairs of edge cases and random pairs.

    every: False for random pairs of 8-bit values, too, except in `make exhaustive`.
    """
    a, b = raws_of(lhs), raws_of(rhs)
    if len(a) * len(b) <= (1 << 16 if every or EXHAUSTIVE in os.environ else SAMPLED):
        return np.repeat(a, len(b)), np.tile(b, len(a))
    random = np.random.default_rng(0)
    x, y = random.choice(a, SAMPLED), random.choice(b, SAMPLED)
    # Every edge with every edge, then each edge with many others.
    x[:4], y[:4] = np.repeat(lhs.encode(extremes(lhs)), 2), np.tile(rhs.encode(extremes(rhs)), 2)
    x[4:204] = np.resize(x[:4], 200)
    y[204:404] = np.resize(y[:4], 200)
    return x, y


@dataclass(frozen=True)
class Lowered:
    """A module at L4. A call of the instance runs one of its functions on arrays."""

    module: ModuleOp

    def __call__(self, *arguments: Array, name: str = "f") -> Array:
        return run(self.module, name, *arguments)


Body: TypeAlias = Callable[[Sequence[SSAValue]], Operation | Sequence[Operation]]


def function(name: str, arguments: Sequence[Attribute], body: Body) -> func.FuncOp:
    """A function that returns the result of the last op that `body` creates from the arguments."""
    holder = func.FuncOp(name, (arguments, [f32]))
    made = body(holder.body.block.args)
    ops = [made] if isinstance(made, Operation) else made
    holder.body.block.add_ops([*ops, func.ReturnOp(*ops[-1].results)])
    holder.update_function_type()
    return holder


def lowered(*functions: func.FuncOp) -> Lowered:
    module = ModuleOp(list(functions))
    module.verify()
    LowerNumToExactPass().apply(Context(), module)
    LowerExactToArithPass().apply(Context(), module)
    module.verify()
    return Lowered(module)


def lowered_op(arguments: Sequence[NumberFormat], body: Body) -> Lowered:
    """A module at L4 that contains one num op on scalars of the given formats."""
    return lowered(function("f", [format.type for format in arguments], body))


def assert_same_bits(emitted: Array, computed: Array, *operands: Array) -> None:
    computed, emitted = np.broadcast_arrays(computed, emitted)
    assert emitted.dtype == computed.dtype
    bits = f"u{computed.dtype.itemsize}" if computed.dtype.kind == "f" else computed.dtype
    different = np.flatnonzero(np.ascontiguousarray(emitted).view(bits) != np.ascontiguousarray(computed).view(bits))
    if len(different):
        at = different[0]
        given = ", ".join(str(np.broadcast_to(operand, computed.shape).flat[at]) for operand in operands)
        results = f"emitted {emitted.flat[at]}, numpy {computed.flat[at]}"
        raise AssertionError(f"({given}): {results}; {len(different)} of {computed.size} differ")


def narrowed_to_fit(
    result: NumberFormat, lhs: NumberFormat, rhs: NumberFormat, length: int
) -> tuple[NumberFormat, NumberFormat, Bound | None]:
    """Operand formats of a dot product, narrowed until an accumulator is proved to hold the sum, and the bound of the
    sum. Raises `AssertionError` if no narrowing suffices.

    length: the number of products.
    """
    for bits in range(16):
        a, b = lhs.narrowed(bits), rhs.narrowed(bits)
        bound = result.sum_bound([Product(length, Factor(a), Factor(b))])
        try:
            result.accumulator(a, b, bound)
        except (InputError, VerifyException):
            continue
        return a, b, bound
    raise AssertionError(f"no accumulator for {length} products of {lhs.type} and {rhs.type}")
