"""The formats of a program's tensors, derived from a choice for each class of tensors and from the profile.

The first step is that of Shiftry 6.1, algorithm 10: each tensor's greatest magnitude on the validation set determines
its scale. Two additions preserve accuracy in 8 bits. First, tanh, sigmoid and exp are constant for arguments of great
magnitude, so the scale of an argument covers only the range in which the function varies. Second, the requested width
applies only to tensors stored in memory. Single numbers are in registers, and their formats have the width of a
register.

The scale of a tensor, for posits the bounds and the shift, passes four choices. The first two propose a format
for the range, the last two change it for sums of products:

1. `FormatAssignment._first`: the format for the range (`NumberFormat.for_range`). For constants, `fitted_to`
   replaces it by that with the least error over their numbers.
2. `AssignmentSteps._fit_to_scores`, for formats with the rule `scores`, such as posits: among
   `NumberFormat.scalings`, or `NumberFormat.ranging` where range counts (`ScoreErrors.in_range`), `ScoreErrors.chosen`
   takes the cheapest whose effect on the scores is near the least. In programs with feedback, `feedback.refitted`
   repeats this choice.
3. `AssignmentSteps._spare_accumulators` removes low bits (`NumberFormat.narrowed`) until sums fit their accumulators.
4. `AssignmentSteps._reach_further` extends the range (`NumberFormat.reaching`) while sums still fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.grouping import Grouping
from tinyml.dialects.formats.lookup import received
from tinyml.dialects.formats.number_format import (
    BY_GREATEST,
    BY_SCORES,
    Factor,
    NumberFormat,
    Reals,
    ScaleBy,
    number_format,
)
from tinyml.dialects.functions import module_of
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.runtime.evaluator.evaluator import long_loop
from tinyml.transforms.formats.assignment.known_ranges import votes_of
from tinyml.transforms.formats.assignment.score_errors import ScoreErrors
from tinyml.transforms.formats.assignment.tensor_classes import (
    FormatChoice,
    TensorClass,
    compute_formats,
    is_scalar_op,
    tensor_classes,
)
from tinyml.transforms.formats.constants.cuts import ComparedConstant, Cuts, covering
from tinyml.transforms.formats.constants.input_moments import InputMoments
from tinyml.transforms.ir.sums import rounded_sums, squared_distances

ACCUMULATOR_BITS = 32
"""The accumulator width for which operands give up bits of precision if a sum of their products then fits."""

MIN_PRECISION = 2.0**-20
"""The maximum error of votes, as a share of the greatest, for which they are narrowed for their sums."""

SPARE_BITS = 7
"""Operands give up fewer than this many bits; beyond it, a wider accumulator costs less than the lost accuracy."""


class AccumulatorWidths:
    """A cache of the accumulator widths that sums of products need.

    contractions: the sums, in a program on reals.
    """

    def __init__(self, contractions: Sequence[tdsl.ContractionOp]):
        self.contractions = contractions
        self._products = {op: op.products for op in contractions}
        self._bits: dict[object, int | None] = {}
        self._encoded: dict[object, Factor] = {}

    def bits(self, op: tdsl.ContractionOp, format_of: Callable[[SSAValue], NumberFormat]) -> int | None:
        """The accumulator width in bits that a sum needs for given formats of its tensors. None if no width
        suffices.
        """
        key = op, format_of(op.out).type, *(format_of(value).type for value in op.inputs)
        if key not in self._bits:
            self._bits[key] = self._needed(op, format_of)
        return self._bits[key]

    def _needed(self, op: tdsl.ContractionOp, format_of: Callable[[SSAValue], NumberFormat]) -> int | None:
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
        if key not in self._encoded:
            reals = factor.format.decode(factor.raws)
            # Each matrix of a stack has rows with the scales of a format.
            raws = np.stack([format.encode(matrix) for matrix in reals]) if reals.ndim > 2 else format.encode(reals)
            self._encoded[key] = replace(factor, format=format, raws=raws)
        return self._encoded[key]


MEDIAN = tdsl.PERCENTILES.index(50.0)


def range_of(tensors: TensorClass, prototype: NumberFormat) -> tuple[float, float]:
    """The range of a class of tensors, extended to all results that its functions can have, and to the bounds of
    results that must be represented (`_reaches_bounds`).
    """
    low, high = tensors.range
    for value in tensors.members:
        op = value.owner
        if isinstance(op, tdsl.FunctionOp):
            low, high = prototype.result_range(op.function, low, high)
        if isinstance(op, tdsl.TensorOp) and not prototype.AS_PUBLISHED and _reaches_bounds(op):
            low, high = min(low, op.interval[0]), max(high, op.interval[1])
    return low, high


def scalings_of(tensors: TensorClass, prototype: NumberFormat, scale_by: ScaleBy | None) -> Sequence[NumberFormat]:
    """The formats among which the scaling rule `scores` chooses for a tensor: those of `prototype` with other scales.
    Empty if another rule applies, and for a tensor that must represent bounds beyond the data (`_reaches_bounds`).

    scale_by: the rule for all tensors; None for that of the format.
    """
    if prototype.AS_PUBLISHED or (scale_by or prototype.SCALED_BY) != BY_SCORES:
        return ()
    low, high = range_of(tensors, prototype)
    is_bounded = (low, high) != tensors.range and any(map(_is_bounded, tensors.members))
    return () if is_bounded else prototype.scalings(low, high)


def _is_bounded(value: SSAValue) -> bool:
    return isinstance(value.owner, tdsl.TensorOp) and _reaches_bounds(value.owner)


def _reaches_bounds(op: tdsl.TensorOp) -> bool:
    """Whether the format of an op's result must represent the op's bounds. True for masks and steps, whose results are
    0 or 1, and for bounded results that the program returns.

    For any other result, the range on the data is used, as for all tensors between layers.
    """
    if isinstance(op, tdsl.StepOp | tdsl.TopKMaskOp):
        return True
    is_returned = any(isinstance(use.operation, func.ReturnOp) for use in op.out.uses)
    return is_returned and not (op.MOVES_BITS or op.KEEPS_INTERVAL) and all(map(math.isfinite, op.interval))


class AssignmentSteps:
    """The formats for one set of choices. They are derived in steps, each of which changes some formats.

    bounding: the ops of a function whose operands bound their results.
    class_of: the class of each tensor of the function.
    accumulators: the widths of the accumulators of the function's sums.
    choices: the choice for each class. Classes whose format the interface prescribes or an option gives as a type have
        none, and the attribute also omits classes with a compute format.
    formats: the format of each class, initially as chosen.
    score_errors: the estimator for formats with the scaling rule `scores`; None without such formats.
    scale_by: the scaling rule of all tensors; None for the rules of their formats.
    bounded: the operands of sums whose accumulators are chosen later (`bounded_later`).
    compared: the constants with which tensors are compared.
    compute_formats: the compute formats of classes that are stored in a foreign family.
    """

    def __init__(
        self,
        bounding: Sequence[tdsl.TensorOp],
        class_of: Mapping[SSAValue, TensorClass],
        accumulators: AccumulatorWidths,
        choices: Mapping[TensorClass, FormatChoice],
        formats: Mapping[TensorClass, NumberFormat],
        score_errors: ScoreErrors | None,
        scale_by: ScaleBy | None,
        bounded: Set[SSAValue],
        compared: Collection[ComparedConstant],
    ):
        self.scale_by: ScaleBy | None = scale_by
        self.compared = compared
        self.bounding = bounding
        self.class_of = class_of
        self.accumulators = accumulators
        self.formats = dict(formats)
        stored = dict(self.formats)
        self.compute_formats = compute_formats(stored)
        self.choices = {tensors: choice for tensors, choice in choices.items() if tensors not in self.compute_formats}
        self.formats |= self.compute_formats
        self._widen_scalars()
        self._limit_arguments()
        if score_errors is not None:
            self._fit_to_scores(score_errors)
        self._spare_accumulators()
        self._align_starts()
        self._align_addends()
        self._align_compared()
        self._limit_results()
        if self._hold_sums():
            # Products of the sums now have different units.
            self._align_starts()
        self._reach_further(bounded)
        self.formats |= {tensors: stored[tensors] for tensors in self.compute_formats}

    def of(self, value: SSAValue) -> NumberFormat:
        return self.formats[self.class_of[value]]

    def _widen_scalars(self) -> None:
        """Widen the formats of single numbers to the width of a register. This applies to numbers from which only
        single numbers are computed, without a `FunctionOp`, and to classes of which many numbers round to zero
        (`_vanishes`).

        In the second case, the range is first reduced so that the outermost 0.1 % of the numbers saturate. The format
        is widened only if many numbers still round to zero.
        """
        for tensors, choice in self.choices.items():
            if not (tensors.are_scalars or tensors.are_collected):
                continue
            if not tensors.functions and all(map(is_scalar_op, tensors.readers)):
                self.formats[tensors] = self.formats[tensors].in_register()
            elif not choice.prototype.AS_PUBLISHED and self._vanishes(tensors):
                percentiles = [profile.percentiles.data for profile in tensors.profiles()]
                bounds = min(values[0].data for values in percentiles), max(values[-1].data for values in percentiles)
                self.formats[tensors] = choice.format_for(*bounds)
                if self._vanishes(tensors):
                    self.formats[tensors] = self.formats[tensors].in_register()

    def _vanishes(self, tensors: TensorClass) -> bool:
        """Whether a class has numbers of one sign only and, for one of its tensors, half the median of the profile
        rounds to zero.
        """
        low, high = tensors.range
        medians = [profile.percentiles.data[MEDIAN].data for profile in tensors.profiles()]
        format = self.formats[tensors]
        return low * high >= 0 and any(m and not format.decode(format.encode(np.array(m / 2))) for m in medians)

    def _limit_arguments(self) -> None:
        """Assign to the arguments of functions the scale that suits the range in which the functions vary. Only classes
        that are read by functions alone are changed.

        Arguments that are single numbers are also widened to the width of a register if the results are wider.
        """
        for tensors, choice in self.choices.items():
            functions = tensors.functions
            if not functions or len(functions) < len(tensors.readers):
                continue
            results = [self.of(function.out) for function in functions]
            useful = [
                result.useful_range(function.function, *tensors.range)
                for function, result in zip(functions, results, strict=True)
            ]
            self.formats[tensors] = choice.format_for(min(low for low, _ in useful), max(high for _, high in useful))
            if tensors.are_scalars and any(result.bits > choice.prototype.bits for result in results):
                self.formats[tensors] = self.formats[tensors].in_register()

    def _fit_to_scores(self, score_errors: ScoreErrors) -> None:
        """Assign to tensors with the scaling rule `scores` the formats, of unchanged width, that cause the least errors
        in the program's scores.

        Constants, tensors with a known range, tensors that are only compared, tensors whose format was widened or must
        represent bounds beyond the data (`_reaches_bounds`), and tensors with a `zoom` are unchanged.
        """
        offered: dict[TensorClass, Sequence[NumberFormat]] = {}
        ranging: dict[TensorClass, Sequence[NumberFormat]] = {}
        for tensors, choice in self.choices.items():
            by_value = tensors.is_constant or tensors.known or tensors.is_only_compared
            is_free = not (by_value or choice.zoom or choice.is_made)
            if not is_free or self.formats[tensors].bits != choice.prototype.bits:
                continue
            if others := scalings_of(tensors, choice.prototype, self.scale_by):
                offered[tensors] = list(dict.fromkeys([self.formats[tensors], *others]))
                ranging[tensors] = choice.prototype.ranging(*range_of(tensors, choice.prototype))
        if offered:
            self.formats |= score_errors.fitted(score_errors.in_range(offered, ranging), self.formats)

    def _reach_further(self, bounded: Set[SSAValue]) -> None:
        """Increase the ranges of formats, as far as the sums of products still fit their accumulators.

        bounded: the operands of sums whose accumulators are chosen later (`bounded_later`); their formats are
            unchanged.
        """
        for tensors, choice in self.choices.items():
            stays = tensors.is_constant or tensors.known or self.formats[tensors].bits != choice.prototype.bits
            if not stays and bounded.isdisjoint(tensors.members):
                further = (format for format in self.formats[tensors].reaching if self._still_fits(tensors, format))
                self.formats[tensors] = next(further, self.formats[tensors])

    def _still_fits(self, tensors: TensorClass, format: NumberFormat) -> bool:
        """Whether no accumulator exceeds `ACCUMULATOR_BITS` bits if a class has the format `format`. The width of an
        accumulator that is already wider must not increase. False if some sum has no accumulator in the new format.
        """
        for op in self.accumulators.contractions:
            if any(self.class_of.get(value) is tensors for value in op.inputs):
                before, after = (self._accumulator_bits(op, changed) for changed in ({}, {tensors: format}))
                if after is None or after > max(before or 0, ACCUMULATOR_BITS):
                    return False
        return True

    def _spare_accumulators(self) -> None:
        """Narrow the operands of sums until the sums are proven to fit their accumulators.

        Bits are removed from the two factors alternately. If no accumulator is wide enough otherwise, the factors may
        lose any number of bits, because the initial value of a sum may be far greater than the products.
        """
        for op in self.accumulators.contractions:
            best: dict[TensorClass, NumberFormat] | None = None
            for bits in range(sum(self._width(self.class_of[value]) for value in op.pairs[0])):
                if bits > 2 * (SPARE_BITS - 1) and best is not None:
                    break
                narrowed = self._narrowed(op, bits)
                width = self._accumulator_bits(op, narrowed)
                # The narrow accumulator if possible, else the least narrowing with which any accumulator fits.
                if width is not None and width <= ACCUMULATOR_BITS:
                    best = narrowed
                    break
                if width is not None and best is None:
                    best = narrowed
            self.formats |= self._narrowed(op, 0) if best is None else best

    def _accumulator_bits(self, op: tdsl.ContractionOp, narrowed: dict[TensorClass, NumberFormat]) -> int | None:
        formats = {**self.formats, **narrowed}
        return self.accumulators.bits(op, lambda value: formats[self.class_of[value]])

    def _narrowed(self, op: tdsl.ContractionOp, bits: int) -> dict[TensorClass, NumberFormat]:
        """The formats of both factors of each product, by class, narrowed by `bits` bits in total.

        The wider factor is narrowed first, then both factors are narrowed alternately.
        """
        narrowed: dict[TensorClass, NumberFormat] = {}
        for pair in op.pairs:
            first, second = sorted(
                (self.class_of[value] for value in pair), key=lambda tensors: not tensors.is_constant
            )
            wider = self._width(first) - self._width(second)
            alone = min(bits, abs(wider), SPARE_BITS - 1)
            shared = bits - alone
            narrowed[second] = self._with_fewer(second, shared // 2 + (alone if wider < 0 else 0))
            narrowed[first] = self._with_fewer(first, (shared + 1) // 2 + (alone if wider > 0 else 0))
        return narrowed

    def _with_fewer(self, tensors: TensorClass, bits: int) -> NumberFormat:
        format = self.formats[tensors]
        return format.narrowed(bits) if tensors in self.choices or tensors in self.compute_formats else format

    def _width(self, tensors: TensorClass) -> int:
        """The requested width of a class in bits. For a class with a prescribed or compute format, the width of
        this format.
        """
        if tensors in self.choices:
            return self.choices[tensors].prototype.bits
        return self.compute_formats.get(tensors, self.formats[tensors]).bits

    def _align_starts(self) -> None:
        for op in self.accumulators.contractions:
            if op.initial is not None:
                tensors, result = self.class_of[op.initial], self.of(op.out)
                for lhs, rhs in op.pairs:
                    unit = result.accumulator(self.of(lhs), self.of(rhs), None)
                    known = iter([self.formats[tensors]])
                    offered = self._coarser(tensors, unit) if tensors in self.choices else known
                    format = next((format for format in offered if unit.starts(format)), None)
                    if format is None and tensors not in self.choices:
                        raise error_at(
                            op,
                            f"sums of products of {self.of(lhs).type} and {self.of(rhs).type} cannot start from numbers"
                            f" of {self.formats[tensors].type}, the given type of their initial value: give another",
                        )
                    if format is None:
                        factors = (max(map(abs, self.class_of[value].range)) for value in (lhs, rhs))
                        raise error_at(
                            op,
                            f"the products reach {math.prod(factors):.1e}, and no format of this family that adds up"
                            f" such numbers holds their initial sum of {max(map(abs, tensors.range)):.1e}: train on"
                            " standardised features (StandardScaler), or compile with --format auto or f32",
                        )
                    self.formats[tensors] = format

    def _coarser(self, tensors: TensorClass, unit: Accumulator) -> Iterator[NumberFormat]:
        format = unit.start_constant(self.formats[tensors])
        yield from (format.narrowed(bits) for bits in range(format.bits))
        reach = max(map(abs, tensors.range)) or 1.0
        while math.isfinite(reach := 2 * reach):
            yield self.choices[tensors].format_for(-reach, reach).narrowed(format.bits)

    def _align_addends(self) -> None:
        """Coarsen the scale of constants that are only used as addends to the scale of the other addend, so that no
        addend needs a shift.
        """
        for tensors in self.choices:
            for (lhs, rhs), sum in tensors.sums if tensors.is_constant else ():
                addend = rhs if self.class_of[lhs] is tensors else lhs
                if self.class_of[addend] is not tensors:
                    self.formats[tensors] = self.formats[tensors].addend(self.of(addend), self.of(sum))

    def _align_compared(self) -> None:
        """Assign to constants of which only comparisons read the difference from a tensor the format of the tensor, so
        that equal numbers remain equal.
        """
        for each in self.compared:
            constant, format = self.class_of[each.constant.result], self.of(each.compared)
            if constant in self.choices and self.formats[constant].FAMILY == format.FAMILY:
                self.formats[constant] = format

    def _limit_results(self) -> None:
        changed = True
        while changed:
            changed = False
            for op in self.bounding:
                if (tensors := self.class_of[op.out]) not in self.choices:
                    continue
                before = after = self.formats[tensors]
                if op.addends is not None:
                    after = after.of_sum(*map(self.of, op.addends))
                for factors in op.pairs:
                    after = after.of_product(*map(self.of, factors))
                self.formats[tensors] = after
                changed |= after != before

    def _hold_sums(self) -> bool:
        held = [
            tensors
            for tensors in self.choices
            if tensors.forests and all(self.class_of.get(forest.votes) in self.choices for forest in tensors.forests)
        ]
        for forest in dict.fromkeys(forest for tensors in held for forest in tensors.forests):
            self._narrow_votes(forest)
        changed = False
        for tensors in held:
            is_limited = len(tensors.functions) == len(tensors.readers)
            if is_limited and not any(forest.out in tensors.members for forest in tensors.forests):
                continue
            sums = self._format_of_sums(tensors)
            if sums is not None:
                changed |= self.formats[tensors] != sums
                self.formats[tensors] = sums
        return changed

    def _narrow_votes(self, forest: tdsl.ForestOp) -> None:
        """Narrow the votes of a forest by the bits that none of the votes needs, to at least two bits. Votes that may
        change (`limit`) keep their bits.

        If the widest integers cannot represent the sums of the votes, the votes are narrowed until they can.
        """
        votes, reals = self.class_of[forest.votes], votes_of(forest)
        assert reals is not None
        format = self.formats[votes]
        rounded = format.decode(format.encode(reals))
        for narrower in map(format.narrowed, range(1, format.bits - 1) if forest.limit is None else ()):
            if not np.array_equal(narrower.decode(narrower.encode(reals)), rounded):
                break
            self.formats[votes] = narrower
        fitting = _holding_sums(self.formats[votes], reals, *forest.interval)
        if fitting is not None:
            self.formats[votes], _ = fitting

    def _format_of_sums(self, tensors: TensorClass) -> NumberFormat | None:
        low, high = tensors.known_range
        votes: list[tuple[float, NumberFormat, Reals]] = []
        for forest in tensors.forests:
            reals, format = votes_of(forest), self.formats[self.class_of[forest.votes]]
            assert reals is not None
            ends = forest.votes_between(format.decode(format.encode(reals)))
            exact = forest.votes_between(reals)
            low, high = low + float((ends[0] - exact[0]).min()), high + float((ends[1] - exact[1]).max())
            votes.append((float(np.abs(reals).max()), format, reals))
        votes.sort(key=lambda each: each[0])
        fitting = (_holding_sums(format, reals, low, high) for _, format, reals in votes)
        return next((sums for _, sums in filter(None, fitting)), None)


def _holding_sums(
    votes: NumberFormat, reals: Reals, low: float, high: float
) -> tuple[NumberFormat, NumberFormat] | None:
    """Narrow the format of votes until some format represents their sums in [low, high]. Return the format of the
    votes, then the format of the sums.

    None if no width is narrow enough, or if narrowing would cause a rounding error of a vote above `MIN_PRECISION`
    times the greatest vote.

    reals: the votes as reals.
    """
    for bits in range(votes.bits - 1):
        narrower = votes.narrowed(bits)
        errors = np.abs(narrower.decode(narrower.encode(reals)) - reals)
        if bits and errors.max() > MIN_PRECISION * np.abs(reals).max():
            return None
        if (sums := narrower.format_of_sums(low, high)) is not None:
            return narrower, sums
    return None


class FormatAssignment:
    """The formats for the classes of one profiled function on reals, for any number of choices. The IR is not changed.

    If a part of the function already has formats, `classes` contains only the tensors of the other part.

    An argument may have a `format` in its interface, in which it is then stored. Its class is also computed in this
    format, unless the chosen format is of another family or narrower in memory. In this case casts convert between the
    two formats, unless the program only compares the argument.

    inputs: reals of shape (samples, elements) on which constants are rounded and fitted; without inputs all numbers
        of a constant have equal weight.
    scale_by: the rule for the scales of tensors other than constants, by default the rule of their formats; without
        inputs the greatest values determine the scales.
    are_numbers: whether the scores of a program without a label are numbers instead of class scores.

    Raises `InputError` for a tensor without a profile.
    """

    def __init__(
        self,
        function: func.FuncOp,
        inputs: Reals | None = None,
        scale_by: ScaleBy | None = None,
        *,
        are_numbers: bool = False,
    ):
        self.function = function
        self.inputs = inputs
        self.scale_by: ScaleBy | None = scale_by
        self.are_numbers = are_numbers
        self.cuts = Cuts(function, inputs)
        self._fitted: dict[object, NumberFormat] = {}
        self._of_choices: dict[tuple[TensorClass, FormatChoice], NumberFormat] = {}
        self.classes = tensor_classes(function)
        self.class_of = {value: tensors for tensors in self.classes for value in tensors.members}
        contractions = [op for op in function.walk() if isinstance(op, tdsl.ContractionOp) and tdsl.is_real(op.out)]
        self.accumulators = AccumulatorWidths(contractions)
        ops = [op for op in function.walk() if isinstance(op, tdsl.TensorOp) and op.out in self.class_of]
        self._bounding = [op for op in ops if op.addends or op.pairs]
        self._ops = ops
        self._bounded = bounded_later(function)
        self.given = self._given()
        self._assigned: dict[tuple[FormatChoice, ...], list[NumberFormat]] = {}

    @cached_property
    def moments(self) -> InputMoments | None:
        """The second moments of the factors by which each constant is multiplied. They determine how constants are
        rounded. None without inputs.

        The moments are computed by evaluating the program on the inputs.
        """
        return None if self.inputs is None else InputMoments(self.function, self.inputs)

    def formats(self, choices: Sequence[FormatChoice]) -> Sequence[NumberFormat]:
        """The format of each class, in order, for one choice per class.

        If a sum of products needs slightly more than 32 bits, each of its operands is narrowed by less than
        `SPARE_BITS` bits until the sum is proven to fit. Raises `InputError` if no format suits the initial
        value of a sum, and for an op with formats of its own that computes in no others.
        """
        key = tuple(choices)
        if key not in self._assigned:
            chosen = dict(zip(self.classes, choices, strict=True))
            formats = {tensors: self._first(tensors, choice) for tensors, choice in chosen.items()}
            for tensors, given in self.given.items():
                holds = not chosen[tensors].is_given and _holds(formats[tensors], given)
                if holds or tensors.is_only_compared:
                    formats[tensors] = given.computed
                    del chosen[tensors]
            chosen = {tensors: choice for tensors, choice in chosen.items() if not choice.is_given}
            steps = AssignmentSteps(
                self._bounding,
                self.class_of,
                self.accumulators,
                chosen,
                formats,
                self._errors_of(chosen),
                self.scale_by,
                self._bounded,
                self.cuts.constants.values(),
            )
            self._check(steps.formats)
            self._assigned[key] = [steps.formats[tensors] for tensors in self.classes]
        return self._assigned[key]

    def _check(self, formats: Mapping[TensorClass, NumberFormat]) -> None:
        for op in self._ops:
            of_values = [formats[self.class_of[value]] for value in (*op.inputs, op.out) if value in self.class_of]
            if len(of_values) == len(op.inputs) + 1 and (fault := op.format_fault(of_values)) is not None:
                raise error_at(op, f"'{op.name}' {fault}: its formats cannot be chosen")

    def _errors_of(self, chosen: Mapping[TensorClass, FormatChoice]) -> ScoreErrors | None:
        if all((self.scale_by or choice.prototype.SCALED_BY) == BY_GREATEST for choice in chosen.values()):
            return None
        return self.score_errors

    @cached_property
    def score_errors(self) -> ScoreErrors | None:
        """The estimator of score errors. None without inputs and for programs that cannot be differentiated.

        A program cannot be differentiated if a part of it has formats, or if it has loops of too many steps.
        """
        module = module_of(self.function)
        if self.inputs is None or tdsl.is_mixed(module) or long_loop(self.function, parallel=False) is not None:
            return None
        return ScoreErrors(module, self.inputs, self.class_of, self.are_numbers)

    def _first(self, tensors: TensorClass, choice: FormatChoice) -> NumberFormat:
        """The format that a choice provides for a class before the steps of `AssignmentSteps`. The result is cached."""
        key = tensors, choice
        if choice.is_given:
            return choice.prototype
        if key not in self._of_choices:
            # No search may clip a known range.
            unclipped = replace(choice, zoom=min(choice.zoom, 0)) if tensors.known else choice
            low, high = range_of(tensors, choice.prototype)
            format = unclipped.format_for(low, high)
            if (limits := self.cuts.limits(tensors.members)).size and not choice.is_made and not format.AS_PUBLISHED:
                format = covering(limits, format, unclipped.format_for, (low, high))
            self._of_choices[key] = self.fitted(tensors, choice, format)
        return self._of_choices[key]

    def formats_of_values(self, formats: Sequence[NumberFormat]) -> dict[SSAValue, NumberFormat]:
        pairs = zip(self.classes, formats, strict=True)
        return {value: self.given.get(tensors, format) for tensors, format in pairs for value in tensors.members}

    def compute_formats_of_values(self, formats: Sequence[NumberFormat]) -> dict[SSAValue, NumberFormat]:
        """The compute format of each tensor that is stored in a foreign family (`compute_formats`) or in a prescribed
        format.

        Factors in a foreign family are narrowed by fewer than `SPARE_BITS` bits if their sum then fits an accumulator
        of `ACCUMULATOR_BITS` bits.

        formats: the formats of the classes, in order.
        """
        stored = dict(zip(self.classes, formats, strict=True))
        computed = compute_formats(stored)
        for op in self.accumulators.contractions if computed else ():
            factors = {self.class_of[value] for pair in op.pairs for value in pair} & computed.keys()
            for bits in range(SPARE_BITS):
                narrowed = {**computed, **{tensors: computed[tensors].narrowed(bits) for tensors in factors}}
                tried = {**stored, **narrowed}
                width = self.accumulators.bits(op, lambda value, tried=tried: tried[self.class_of[value]])
                if width is not None and width <= ACCUMULATOR_BITS:
                    computed = narrowed
                    break
        cast = {tensors: stored[tensors] for tensors, given in self.given.items() if stored[tensors] != given}
        return {value: format for tensors, format in {**cast, **computed}.items() for value in tensors.members}

    def _given(self) -> dict[TensorClass, NumberFormat]:
        format = tdsl.read_input(self.function).format
        given = None if format is None else number_format(format)
        if given is None:
            return {}
        return {self.class_of[argument]: given for argument in self.function.args if argument in self.class_of}

    def fitted(self, tensors: TensorClass, choice: FormatChoice, format: NumberFormat) -> NumberFormat:
        """The format of a class. For a constant whose format was not synthesised, it is fitted to the numbers of the
        constant.

        format: the format that the choice provides for the range of the class.
        """
        if choice.is_made or not tensors.is_constant:
            return format
        prototype = choice.prototype
        key = tensors, prototype.type, format.type
        if key not in self._fitted:
            reals = [tdsl.format_of(root.result).decode(root.raws) for root in tensors.roots]
            [constant] = reals if len(reals) == 1 else [np.concatenate([part.ravel() for part in reals])]
            weighed = prototype.WEIGHS_NUMBERS and len(tensors.roots) == 1 and self.moments is not None
            importance = self.moments.mean_squares(tensors.roots[0]) if weighed and self.moments else None
            grouped = None if (finest := _finest(tensors)) is None else prototype.grouped(constant, importance, finest)
            self._fitted[key] = grouped or received(
                format.fitted_to(constant, importance, rows=finest is not None), format.fitted_to
            )
        return self._fitted[key]


def bounded_later(function: func.FuncOp) -> set[SSAValue]:
    """The vectors between which squared distances are computed, and the factors that loop-carried sums multiply by
    constants. The accumulators of these distances and sums are chosen later, by the passes in `LEAVE_OUT_ROUNDINGS`.
    """
    found = {value for _, difference in squared_distances(function) for value in difference.inputs}
    return found | {each.sum.factor for each in rounded_sums(function)}


def _holds(format: NumberFormat, given: NumberFormat) -> bool:
    return format.FAMILY == given.FAMILY and not format.AS_PUBLISHED and format.dtype.itemsize >= given.dtype.itemsize


def _finest(tensors: TensorClass) -> Grouping | None:
    [first, *others] = tensors.members
    users = [use.operation for use in first.uses]
    if others or not users or len(tdsl.shape_of(first)) < 2:
        return None
    if not all(isinstance(user, tdsl.ContractionOp) and user.is_weights(first) for user in users):
        return None
    whole = any(isinstance(user, tdsl.SpmvOp) or _has_channels(user) for user in users)
    return Grouping(1, None if whole else 1)


def _has_channels(op: Operation) -> bool:
    return isinstance(op, tdsl.Conv2dOp) and op.group_count > 1
