"""Which format each tensor of a program on reals gets, from a choice for each class of tensors and its profile.

The data-driven scales of Shiftry 6.1, algorithm 10: each tensor's greatest magnitude on the validation set fixes its
scale. Two things that algorithm 10 does not know keep 8 bits accurate. What only tanh, sigmoid or exp read needs no
scale for magnitudes at which they do not change any more. And the width that was asked for is that of what is stored:
single numbers live in registers, where they have the precision that registers have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xdsl.dialects import func
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.product import Factor
from tinyml.dialects.locations import error_at
from tinyml.transforms.formats.assignment.compute_formats import carriers_of
from tinyml.transforms.formats.assignment.tensor_classes import (
    TensorClass,
    are_collected,
    are_scalars,
    is_scalar_op,
    readers,
    tensor_classes,
)
from tinyml.transforms.formats.constants.input_moments import InputMoments

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Reals

ACCUMULATOR_BITS = 32
"""Operands give up bits of precision where this makes a sum of products fit an accumulator of this width..."""

SPARE_BITS = 7
"""...but fewer than this many: beyond, a wider accumulator costs less than the lost accuracy."""

MEDIAN = tdsl.PERCENTILES.index(50.0)


@dataclass(frozen=True)
class Choice:
    """What a class of tensors is asked to be.

    prototype: any format of the family and width. zoom: the scale is that of a range 2^zoom times narrower than the
    profiled one, so that values beyond it saturate; wider where negative.
    """

    prototype: NumberFormat
    zoom: int = 0

    def format_for(self, low: float, high: float) -> NumberFormat:
        """The format for values that the profile says to lie between low and high."""
        return self.prototype.for_range(math.ldexp(low, -self.zoom), math.ldexp(high, -self.zoom))


def with_choice(choices: Sequence[Choice], place: int, choice: Choice) -> list[Choice]:
    """The same choices but for one class of tensors."""
    return [*choices[:place], choice, *choices[place + 1 :]]


class FormatAssignment:
    """Formats for the classes of one profiled function on reals, for any number of choices; the IR stays as it is.

    inputs: reals of shape (samples, elements) on which constants are rounded and fitted; without them all numbers of a
    constant count alike. Raises `InputError` for a tensor without a profile.
    """

    def __init__(self, function: func.FuncOp, inputs: Reals | None = None):
        self.function = function
        self.moments = None if inputs is None else InputMoments(function, inputs)
        self._fitted: dict[object, NumberFormat] = {}
        self.classes = tensor_classes(function)
        self.class_of = {value: one for one in self.classes for value in one.members}
        self.contractions = [op for op in function.walk() if isinstance(op, tdsl.ContractionOp)]
        self._products = {op: [tdsl.product_of(*pair) for pair in op.pairs] for op in self.contractions}
        self._chosen: dict[tuple[Choice, ...], list[NumberFormat]] = {}
        self._bits: dict[object, int | None] = {}
        self._raws: dict[object, Factor] = {}

    def formats(self, choices: Sequence[Choice]) -> Sequence[NumberFormat]:
        """The formats of the classes, in their order, for a choice each.

        Where a sum of products could just not be held in 32 bits, its operands are narrowed by fewer than `SPARE_BITS`
        bits each until it is proven to fit. Raises `InputError` where no format is fit for what a sum starts from.
        """
        key = tuple(choices)
        if key not in self._chosen:
            chosen = _Formats(self, dict(zip(self.classes, choices, strict=True)))
            self._chosen[key] = [chosen.formats[one] for one in self.classes]
        return self._chosen[key]

    def formats_of_values(self, formats: Sequence[NumberFormat]) -> dict[SSAValue, NumberFormat]:
        """Formats of the classes, in their order, by tensor."""
        pairs = zip(self.classes, formats, strict=True)
        return {value: format for one, format in pairs for value in one.members}

    def carriers_of_values(self, formats: Sequence[NumberFormat]) -> dict[SSAValue, NumberFormat]:
        """In what format tensors are computed that are only stored in their own (`foreign_formats`)."""
        known = dict(zip(self.classes, formats, strict=True))
        carriers = carriers_of(known)
        for op in self.contractions if carriers else ():
            factors = {self.class_of[value] for pair in op.pairs for value in pair} & carriers.keys()
            for bits in range(SPARE_BITS):
                found = {**known, **carriers, **{one: carriers[one].narrowed(bits) for one in factors}}
                held = self.accumulator_bits(op, lambda value, found=found: found[self.class_of[value]])
                if held is not None and held <= ACCUMULATOR_BITS:
                    carriers = {one: found[one] for one in carriers}
                    break
        return {value: carrier for one, carrier in carriers.items() for value in one.members}

    def fitted(self, one: TensorClass, format: NumberFormat) -> NumberFormat:
        """What becomes of the format of a class by the numbers of the constant that it is, if it is one."""
        if not one.is_constant:
            return format
        key = one, format.type
        if key not in self._fitted:
            import numpy as np

            roots = list(dict.fromkeys(root for value in one.members if (root := tdsl.constant_root(value))))
            reals = [tdsl.format_of(root.result).decode(root.raws) for root in roots]
            [constant] = reals if len(reals) == 1 else [np.concatenate([part.ravel() for part in reals])]
            importance = self.moments.mean_squares(roots[0]) if self.moments and len(roots) == 1 else None
            self._fitted[key] = format.fitted_to(constant, importance, rows=_has_rows(one))
        return self._fitted[key]

    def accumulator_bits(self, op: tdsl.ContractionOp, format_of: Callable[[SSAValue], NumberFormat]) -> int | None:
        """The width of the accumulator that a product would need; None where no accumulator is wide enough."""
        key = op, format_of(op.out).type, *(format_of(value).type for value in op.inputs)
        if key not in self._bits:
            self._bits[key] = self._accumulator_bits(op, format_of)
        return self._bits[key]

    def _accumulator_bits(self, op: tdsl.ContractionOp, format_of: Callable[[SSAValue], NumberFormat]) -> int | None:
        result = format_of(op.out)
        products = [
            replace(
                known, lhs=self._in_format(known.lhs, format_of(lhs)), rhs=self._in_format(known.rhs, format_of(rhs))
            )
            for known, (lhs, rhs) in zip(self._products[op], op.pairs, strict=True)
        ]
        initial = None
        if op.initial is not None:
            initial = self._in_format(tdsl.factor_of(op.initial), format_of(op.initial))
        bound = result.sum_bound(products, initial)
        units = [result.accumulator(product.lhs.format, product.rhs.format, None) for product in products]
        finest = next((p for p, unit in zip(products, units, strict=True) if all(map(unit.follows, units))), None)
        if finest is None:
            return None
        try:
            return result.accumulator(finest.lhs.format, finest.rhs.format, bound).bits
        except InputError:
            return None

    def _in_format(self, factor: Factor, format: NumberFormat) -> Factor:
        if factor.raws is None:
            return replace(factor, format=format)
        key = id(factor.raws), format.type
        if key not in self._raws:
            raws = format.encode(factor.format.decode(factor.raws))
            self._raws[key] = replace(factor, format=format, raws=raws)
        return self._raws[key]


class _Formats:
    """The formats for one set of choices, found in steps."""

    def __init__(self, assignment: FormatAssignment, choices: dict[TensorClass, Choice]):
        self.assignment = assignment
        self.class_of = assignment.class_of
        self.choices = choices
        self.formats = {
            one: assignment.fitted(one, choice.format_for(*room_of(one, choice.prototype)))
            for one, choice in choices.items()
        }
        stored = dict(self.formats)
        self.carriers = carriers_of(stored)
        self.choices = {one: choice for one, choice in choices.items() if one not in self.carriers}
        self.formats |= self.carriers
        self._widen_scalars()
        self._limit_arguments()
        self._spare_accumulators()
        self._align_starts()
        self._align_addends()
        self._limit_results()
        self.formats |= {one: stored[one] for one in self.carriers}

    def of(self, value: SSAValue) -> NumberFormat:
        return self.formats[self.class_of[value]]

    def _widen_scalars(self) -> None:
        """Single numbers are wide where only single numbers are computed from them, or where most would be zero.

        Before the latter get wide, the greatest 0.1 % of them may saturate.
        """
        for one, choice in self.choices.items():
            if not (are_scalars(one.members) or are_collected(one.members)):
                continue
            if all(is_scalar_op(reader) and not isinstance(reader, tdsl.FunctionOp) for reader in readers(one.members)):
                self.formats[one] = self.formats[one].in_register()
            elif not choice.prototype.AS_PUBLISHED and self._vanishes(one):
                usual = [profile.percentiles.data for profile in one.profiles()]
                bounds = min(found[0].data for found in usual), max(found[-1].data for found in usual)
                self.formats[one] = choice.format_for(*bounds)
                if self._vanishes(one):
                    self.formats[one] = self.formats[one].in_register()

    def _vanishes(self, one: TensorClass) -> bool:
        """Is more than half of what lies on one side of zero less than what the format tells from zero?"""
        import numpy as np

        low, high = one.range
        medians = [profile.percentiles.data[MEDIAN].data for profile in one.profiles()]
        format = self.formats[one]
        return low * high >= 0 and any(m and not format.decode(format.encode(np.array(m / 2))) for m in medians)

    def _limit_arguments(self) -> None:
        """What only functions read has the scale of the range in which they change, and their results' precision."""
        for one, choice in self.choices.items():
            reading = list(readers(one.members))
            functions = [reader for reader in reading if isinstance(reader, tdsl.FunctionOp)]
            if not functions or len(functions) < len(reading):
                continue
            results = [self.of(function.out) for function in functions]
            useful = [
                result.useful_range(function.function, *one.range)
                for function, result in zip(functions, results, strict=True)
            ]
            self.formats[one] = choice.format_for(min(low for low, _ in useful), max(high for _, high in useful))
            if are_scalars(one.members) and any(result.bits > choice.prototype.bits for result in results):
                self.formats[one] = self.formats[one].in_register()

    def _spare_accumulators(self) -> None:
        """Narrow operands until sums are proven to fit: in turn, so that both lose alike, a constant first."""
        for op in self.assignment.contractions:
            best: dict[TensorClass, NumberFormat] | None = None
            for bits in range(2 * SPARE_BITS - 1):
                narrowed = self._narrowed(op, bits)
                held = self._accumulator_bits(op, narrowed)
                # The narrow accumulator if it can be had, else the least narrowing that any accumulator holds.
                if held is not None and held <= ACCUMULATOR_BITS:
                    best = narrowed
                    break
                if held is not None and best is None:
                    best = narrowed
            self.formats |= self._narrowed(op, 0) if best is None else best

    def _accumulator_bits(self, op: tdsl.ContractionOp, narrowed: dict[TensorClass, NumberFormat]) -> int | None:
        formats = {**self.formats, **narrowed}
        return self.assignment.accumulator_bits(op, lambda value: formats[self.class_of[value]])

    def _narrowed(self, op: tdsl.ContractionOp, bits: int) -> dict[TensorClass, NumberFormat]:
        """Both factors of each product with fewer bits, in turn once they are equally wide."""
        narrowed: dict[TensorClass, NumberFormat] = {}
        for pair in op.pairs:
            first, second = sorted((self.class_of[value] for value in pair), key=lambda one: not one.is_constant)
            wider = self._width(first) - self._width(second)
            alone = min(bits, abs(wider), SPARE_BITS - 1)
            shared = bits - alone
            narrowed[second] = self.formats[second].narrowed(shared // 2 + (alone if wider < 0 else 0))
            narrowed[first] = self.formats[first].narrowed((shared + 1) // 2 + (alone if wider > 0 else 0))
        return narrowed

    def _width(self, one: TensorClass) -> int:
        """The width that was asked for, or that a class is computed in."""
        return self.carriers[one].bits if one in self.carriers else self.choices[one].prototype.bits

    def _align_starts(self) -> None:
        """What sums start from has no finer scale than their products."""
        for op in self.assignment.contractions:
            if op.initial is not None:
                one, result = self.class_of[op.initial], self.of(op.out)
                for lhs, rhs in op.pairs:
                    unit = result.accumulator(self.of(lhs), self.of(rhs), None)
                    coarser = self._coarser(one, unit) if one in self.choices else iter([self.formats[one]])
                    found = next((format for format in coarser if unit.starts(format)), None)
                    if found is None:
                        raise error_at(op, "the products are too great for any format of what they are added to")
                    self.formats[one] = found

    def _coarser(self, one: TensorClass, unit: Accumulator) -> Iterator[NumberFormat]:
        """The format in which a class can start sums, and ones of less and less precision: of fewer bits, then also for
        greater magnitudes."""
        format = unit.start_constant(self.formats[one])
        yield from (format.narrowed(bits) for bits in range(format.bits))
        reach = max(map(abs, one.range)) or 1.0
        while math.isfinite(reach := 2 * reach):
            yield self.choices[one].format_for(-reach, reach).narrowed(format.bits)

    def _align_addends(self) -> None:
        """A constant that is only added needs no finer scale than what it is added to: then nothing is shifted."""
        for one in self.choices:
            users = {use.operation for value in one.members for use in value.uses}
            sums = [user for user in users if isinstance(user, tdsl.AddOp | tdsl.SubOp)]
            moves = [user for user in users if isinstance(user, tdsl.TensorOp) and user.out in one.members]
            if not sums or len(sums) + len(moves) < len(users) or not one.is_constant:
                continue
            for user in sums:
                other = user.rhs if self.class_of[user.lhs] is one else user.lhs
                if self.class_of[other] is not one:
                    self.formats[one] = self.formats[one].addend(self.of(other), self.of(user.out))

    def _limit_results(self) -> None:
        """No result has a scale that its operands cannot fill, in formats that know no such; around loops as well."""
        changed = True
        while changed:
            changed = False
            for op in self.assignment.function.walk():
                if not isinstance(op, tdsl.AddOp | tdsl.SubOp | tdsl.MulOp | tdsl.MatmulOp | tdsl.SpmvOp):
                    continue
                before, lhs, rhs = self.of(op.out), self.of(op.lhs), self.of(op.rhs)
                if self.class_of[op.out] in self.carriers:
                    continue
                sums = isinstance(op, tdsl.AddOp | tdsl.SubOp)
                after = before.of_sum(lhs, rhs) if sums else before.of_product(lhs, rhs)
                self.formats[self.class_of[op.out]] = after
                changed |= after != before


def _has_rows(one: TensorClass) -> bool:
    """Is a class a single matrix that only has its rows multiplied by vectors?"""
    [first, *others] = one.members
    users = [use.operation for use in first.uses]
    pairs = [pair for user in users if isinstance(user, tdsl.ContractionOp) for pair in user.pairs]
    return (
        not others
        and len(tdsl.shape_of(first)) == 2
        and all(isinstance(user, tdsl.ContractionOp) and user.initial is not first for user in users)
        and all(rhs is not first for _, rhs in pairs)
        and bool(users)
    )


def room_of(one: TensorClass, prototype: NumberFormat) -> tuple[float, float]:
    """The range of a class, with the room that a function's results ask for."""
    low, high = one.range
    for value in one.members:
        if isinstance(value.owner, tdsl.FunctionOp):
            low, high = prototype.result_range(value.owner.function, low, high)
    return low, high
