"""`assign-format`: from reals (L0) to formats (L1), every tensor with the scale that its profile asks for.

The data-driven scales of Shiftry 6.1, algorithm 10: each tensor's greatest magnitude on the validation set fixes its
scale. Tensors that share bits (a loop's carried value, the operands and results of ops that only move data) share one
format, chosen for the widest of their ranges.

Two things that algorithm 10 does not know keep 8 bits accurate. What only tanh, sigmoid or exp read needs no scale for
magnitudes at which they do not change any more. And the width that was asked for is that of what is stored: single
numbers live in registers, where they have the precision that registers have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ArrayAttr, MemRefType, ModuleOp, StringAttr, TensorType, f32
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.format_lookup import format_named
from tinyml.dialects.number_format import NumberFormat, Reals
from tinyml.dialects.places import error_at
from tinyml.dialects.products import Factor, Product
from tinyml.transforms.round_weights import Moments, moments_of_inputs, round_weights
from tinyml.transforms.tensor_uses import are_scalars, is_scalar_op, readers

ACCUMULATOR_BITS = 32
"""Operands give up bits of precision where this makes a sum of products fit an accumulator of this width..."""

SPARE_BITS = 7
"""...but fewer than this many: beyond, a wider accumulator costs less than the lost accuracy."""

MEDIAN = tdsl.PERCENTILES.index(50.0)


@dataclass(frozen=True)
class AssignFormatPass(ModulePass):
    """Gives every tensor of a profiled f32 program a format of one family and width.

    format: a dialect that defines a number format, or a builtin type. width: bits of each element; the format's usual
    width by default. functions: the scheme, one of the format's `SCHEMES`, by which exp, tanh and sigmoid are computed;
    as suits the formats best by default. data: .npz file with inputs `x`, on which the weights of products are rounded
    so that the sums are right on average (`round_weights`); without it they are rounded to nearest. Where a sum of
    products could just not be held in 32 bits, its operands are narrowed by fewer than `SPARE_BITS` bits each until it
    is proven to fit. Raises `InputError` for an unknown format, width or scheme, for data that do not fit, and for a
    program that has no profile or formats already.
    """

    name = "assign-format"
    format: str = "fixed"
    width: int | None = None
    functions: str | None = None
    data: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        prototype = format_named(ctx, self.format, self.width)
        if self.functions is not None and self.functions not in prototype.SCHEMES:
            known = f"one of {', '.join(prototype.SCHEMES)}" if prototype.SCHEMES else "it has none"
            raise InputError(f"format '{self.format}' has no scheme '{self.functions}' for functions ({known})")
        inputs = None if self.data is None else _inputs(op, self.data)
        functions = [one for one in op.ops if isinstance(one, func.FuncOp) and not one.is_declaration]
        for function in functions:
            for one in function.walk():
                if any(isinstance(value.type, MemRefType) for value in (*one.operands, *one.results)):
                    raise error_at(one, "assign-format expects tensors, not buffers")
            _Assignment(function, prototype).apply(op, inputs)
            for one in function.walk():
                if isinstance(one, tdsl.FunctionOp):
                    one.scheme = None if self.functions is None else StringAttr(self.functions)


def _inputs(module: ModuleOp, file: str) -> Reals:
    """The inputs of a data file that a program takes."""
    from tinyml.runtime.data import load_data
    from tinyml.runtime.model_interface import interface_of

    return load_data(file, elements=interface_of(module).input_length).x.astype("f8")


class _Assignment:
    """One function's tensors in classes of equal format, by union-find."""

    def __init__(self, function: func.FuncOp, prototype: NumberFormat):
        self.function = function
        self.prototype = prototype
        self.parent: dict[SSAValue, SSAValue] = {}
        self.moments: dict[tdsl.ConstOp, Moments] = {}
        self.values = list(_tensor_values(function))
        for value in self.values:
            if cast("TensorType[Attribute]", value.type).element_type != f32:
                raise InputError(f"assign-format expects a program of f32 tensors, found {value.type}")
        for op in function.walk():
            for group in _sharing(op):
                for other in group[1:]:
                    self.unite(group[0], other)

    def find(self, value: SSAValue) -> SSAValue:
        while (parent := self.parent.get(value, value)) is not value:
            value = parent
        return value

    def unite(self, a: SSAValue, b: SSAValue) -> None:
        a, b = self.find(a), self.find(b)
        if a is not b:
            self.parent[b] = a

    def apply(self, module: ModuleOp, inputs: Reals | None) -> None:
        """Retype the function; inputs: reals of shape (samples, elements) to round weights on, if there are any."""
        ranges: dict[SSAValue, tuple[float, float]] = {}
        for value in self.values:
            root = self.find(value)
            for low, high in _ranges(self.function, value):
                before = ranges.get(root, (low, high))
                ranges[root] = min(before[0], low), max(before[1], high)
        for value in self.values:
            if self.find(value) not in ranges:
                raise InputError(f"%{value.name_hint or '?'} has no profile: run the profile pass first")
        self.ranges = ranges
        self.members = {root: [value for value in self.values if self.find(value) is root] for root in ranges}
        self.formats = {root: self.prototype.for_range(*bounds) for root, bounds in ranges.items()}
        self._widen_scalars()
        self._limit_arguments()
        self._spare_accumulators()
        self._align_starts()
        self._align_addends()
        if inputs is not None:
            formats = {value: self.formats[self.find(value)] for value in self.values}
            self.moments = moments_of_inputs(module, inputs, formats)
        for value in self.values:
            self._retype(value)
        block = self.function.body.block
        last = cast(func.ReturnOp, block.last_op)
        self.function.update_function_type()
        assert tuple(self.function.function_type.outputs) == tuple(last.operand_types)

    def _widen_scalars(self) -> None:
        """Single numbers are wide where only single numbers are computed from them, or where most would be zero.

        Before the latter get wide, the greatest 0.1 % of them may saturate.
        """
        for root, members in self.members.items():
            if not are_scalars(members):
                continue
            if all(is_scalar_op(reader) and not isinstance(reader, tdsl.FunctionOp) for reader in readers(members)):
                self.formats[root] = self.formats[root].in_register()
            elif self._vanishes(members):
                usual = [profile.percentiles.data for value in members for profile in _profiles(value)]
                bounds = min(found[0].data for found in usual), max(found[-1].data for found in usual)
                self.formats[root] = self.prototype.for_range(*bounds)
                if self._vanishes(members):
                    self.formats[root] = self.formats[root].in_register()

    def _vanishes(self, members: Sequence[SSAValue]) -> bool:
        """Is more than half of what lies on one side of zero less than what the format tells from zero?"""
        import numpy as np

        root = self.find(members[0])
        low, high = self.ranges[root]
        medians = [profile.percentiles.data[MEDIAN].data for value in members for profile in _profiles(value)]
        format = self.formats[root]
        return low * high >= 0 and any(m and not format.decode(format.encode(np.array(m / 2))) for m in medians)

    def _limit_arguments(self) -> None:
        """What only functions read has the scale of the range in which they change, and their results' precision."""
        for root, members in self.members.items():
            functions = [reader for reader in readers(members) if isinstance(reader, tdsl.FunctionOp)]
            if not functions or len(functions) < len(list(readers(members))):
                continue
            results = [self.formats[self.find(function.out)] for function in functions]
            useful = [
                result.useful_range(function.FUNCTION, *self.ranges[root])
                for function, result in zip(functions, results, strict=True)
            ]
            self.formats[root] = self.prototype.for_range(
                min(low for low, _ in useful), max(high for _, high in useful)
            )
            if are_scalars(members) and any(result.bits > self.prototype.bits for result in results):
                self.formats[root] = self.formats[root].in_register()

    def _spare_accumulators(self) -> None:
        """Narrow operands until sums are proven to fit: in turn, so that both lose alike, a constant first."""
        for op in self.function.walk():
            if isinstance(op, tdsl.ContractionOp):
                narrowings = [self._narrowed(op, bits) for bits in range(2 * SPARE_BITS - 1)]
                held = [self._accumulator_bits(op, {**self.formats, **narrowed}) for narrowed in narrowings]
                # The narrow accumulator if it can be had, else the least narrowing that any accumulator holds.
                best = next((i for i, bits in enumerate(held) if bits is not None and bits <= ACCUMULATOR_BITS), None)
                if best is None:
                    best = next((i for i, bits in enumerate(held) if bits is not None), 0)
                self.formats |= narrowings[best]

    def _narrowed(self, op: tdsl.ContractionOp, bits: int) -> dict[SSAValue, NumberFormat]:
        """Both factors of each product with fewer bits, in turn."""
        narrowed: dict[SSAValue, NumberFormat] = {}
        for pair in op.pairs:
            first, second = sorted(map(self.find, pair), key=self._is_constant, reverse=True)
            narrowed[second] = self.formats[second].narrowed(bits // 2)
            narrowed[first] = self.formats[first].narrowed((bits + 1) // 2)
        return narrowed

    def _align_starts(self) -> None:
        """What sums start from has no finer scale than their products."""
        for op in self.function.walk():
            if isinstance(op, tdsl.ContractionOp) and op.initial is not None:
                root, result = self.find(op.initial), self.formats[self.find(op.out)]
                for lhs, rhs in op.pairs:
                    unit = result.accumulator(self.formats[self.find(lhs)], self.formats[self.find(rhs)], None)
                    found = next((format for format in self._coarser(root) if unit.starts(format)), None)
                    if found is None:
                        raise error_at(op, "the products are too great for any format of what they are added to")
                    self.formats[root] = found

    def _coarser(self, root: SSAValue) -> Iterator[NumberFormat]:
        """A tensor's format and ones of less and less precision: of fewer bits, then also for greater magnitudes."""
        format = self.formats[root]
        yield from (format.narrowed(bits) for bits in range(format.bits))
        reach = max(map(abs, self.ranges[root])) or 1.0
        while math.isfinite(reach := 2 * reach):
            yield self.prototype.for_range(-reach, reach).narrowed(format.bits)

    def _align_addends(self) -> None:
        """A constant that is only added needs no finer scale than what it is added to: then nothing is shifted."""
        for root, members in self.members.items():
            users = {use.operation for value in members for use in value.uses}
            sums = [user for user in users if isinstance(user, tdsl.AddOp | tdsl.SubOp)]
            moves = [user for user in users if isinstance(user, tdsl.TensorOp) and user.out in members]
            if not sums or len(sums) + len(moves) < len(users) or not self._is_constant(root):
                continue
            for user in sums:
                other = user.rhs if self.find(user.lhs) is root else user.lhs
                if self.find(other) is not root:
                    formats = self.formats[self.find(other)], self.formats[self.find(user.out)]
                    self.formats[root] = self.formats[root].addend(*formats)

    def _is_constant(self, root: SSAValue) -> bool:
        return all(tdsl.constant_root(value) is not None for value in self.members[root])

    def _accumulator_bits(self, op: tdsl.ContractionOp, formats: dict[SSAValue, NumberFormat]) -> int | None:
        """The width of the accumulator that a product would need; None where no accumulator is wide enough."""
        result = formats[self.find(op.out)]
        products = [self._in_formats(lhs, rhs, formats) for lhs, rhs in op.pairs]
        initial = None
        if op.initial is not None:
            initial = self._in_format(tdsl.factor_of(op.initial), formats[self.find(op.initial)])
        bound = result.sum_bound(products, initial)
        units = [result.accumulator(product.lhs.format, product.rhs.format, None) for product in products]
        finest = next(p for p, unit in zip(products, units, strict=True) if all(map(unit.follows, units)))
        try:
            return result.accumulator(finest.lhs.format, finest.rhs.format, bound).bits
        except InputError:
            return None

    def _in_formats(self, lhs: SSAValue, rhs: SSAValue, formats: dict[SSAValue, NumberFormat]) -> Product:
        known = tdsl.product_of(lhs, rhs)
        return replace(
            known,
            lhs=self._in_format(known.lhs, formats[self.find(lhs)]),
            rhs=self._in_format(known.rhs, formats[self.find(rhs)]),
        )

    @staticmethod
    def _in_format(factor: Factor, format: NumberFormat) -> Factor:
        raws = None if factor.raws is None else format.encode(factor.format.decode(factor.raws))
        return replace(factor, format=format, raws=raws)

    @staticmethod
    def _reals(constant: tdsl.ConstOp):
        return tdsl.format_of(constant.result).decode(constant.raws)

    def _retype(self, value: SSAValue) -> None:
        format = self.formats[self.find(value)]
        type = cast("TensorType[Attribute]", value.type)
        op = value.owner
        if isinstance(op, tdsl.ConstOp):
            reals, moments = self._reals(op), self.moments.get(op)
            raws = format.encode(reals) if moments is None else round_weights(reals, format, moments)
            new = op.with_raws(raws, format)
            Rewriter.insert_op(new, InsertPoint.before(op))
            value.replace_all_uses_with(new.result)
            op.detach()
            op.erase()
        else:
            Rewriter.replace_value_with_new_type(value, TensorType(format.type, type.get_shape(), type.encoding))


def _tensor_values(function: func.FuncOp) -> Iterator[SSAValue]:
    yield from (a for a in function.body.block.args if isinstance(a.type, TensorType))
    for op in function.body.walk():
        yield from (result for result in op.results if isinstance(result.type, TensorType))
        if isinstance(op, scf.ForOp):
            yield from (a for a in op.body.block.args if isinstance(a.type, TensorType))


def _sharing(op: Operation) -> Iterator[list[SSAValue]]:
    """Groups of tensors that an op makes share their bits."""
    if isinstance(op, tdsl.TensorOp) and op.MOVES_BITS:
        yield [*op.inputs, op.out]
    if isinstance(op, scf.ForOp):
        yielded = cast(scf.YieldOp, op.body.block.last_op)
        for group in zip(op.iter_args, op.body.block.args[1:], yielded.operands, op.results, strict=True):
            if isinstance(group[0].type, TensorType):
                yield list(group)


def _ranges(function: func.FuncOp, value: SSAValue) -> Iterator[tuple[float, float]]:
    """The declared and profiled ranges of a value."""
    if isinstance(value, BlockArgument):
        if value.block is not function.body.block or function.arg_attrs is None:
            return
        given = function.arg_attrs.data[value.index].data
        for name in (tdsl.RANGE, tdsl.PROFILE):
            if isinstance(found := given.get(name), tdsl.Range | tdsl.Profile):
                yield found.low.data, found.high.data
        return
    for profile in _profiles(value):
        yield profile.low.data, profile.high.data


def _profiles(value: SSAValue) -> Iterator[tdsl.Profile]:
    """The profile of an op's result, if it has one."""
    if not isinstance(value, OpResult):
        return
    profiles = value.op.attributes.get(tdsl.PROFILE)
    if isinstance(profiles, ArrayAttr):
        found = cast("ArrayAttr[Attribute]", profiles).data[value.index]
        if isinstance(found, tdsl.Profile):
            yield found
