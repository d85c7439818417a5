"""Convolutions that absorb a constant addend of their exact sums (L1).

If a bias has a finer scale than the products, the filter is converted to a finer scale, so that the sum can start from
the bias.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.formats.exact.numbers import ExactNumbers, integers_of
from tinyml.dialects.formats.parameters import FRACS, WIDTHS
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.chosen_accumulators import choose


def added_precision(op: tdsl.Conv2dOp, sum: tdsl.TensorOp) -> int | None:
    """The number of fractional bits that the filter of a convolution must gain so that its sums can start from the
    constant that `sum` adds to them. None if `sum` does not add a constant with one number per filter, or if results
    could differ.

    The results must be exact fixed-point sums without other readers.
    """
    filter, image, exact = (integers_of(tdsl.format_of(value)) for value in (op.lhs, op.rhs, op.out))
    if not isinstance(sum, tdsl.AddOp) or op.initial is not None or not op.out.has_one_use():
        return None
    addend = sum.other(op.out)
    constants = op.lhs.owner, addend.owner
    if not all(isinstance(constant, tdsl.ConstOp) for constant in constants):
        return None
    bias = integers_of(tdsl.format_of(addend))
    if filter is None or image is None or exact is None or bias is None or prod(tdsl.shape_of(addend)[:-1]) != 1:
        return None
    scale, bound = filter.scale + image.scale, op.derived_bound
    low, high = exact.integer_limits
    left = exact.scale - scale
    if left < 0 or bound is None or not low <= bound[0] << left or not bound[1] << left <= high:
        return None
    finer = max(bias.scale - scale, 0)
    if (
        filter.as_integers(filter.bits) is None
        or filter.bits + finer not in WIDTHS
        or filter.scale + finer not in FRACS
    ):
        return None
    return finer


def absorbed_addend(op: tdsl.Conv2dOp, sum: tdsl.TensorOp) -> tdsl.Conv2dOp | None:
    """Insert a convolution that starts from the constant that `sum` adds to the result of `op`, and return it. None,
    without changes, if there is no such convolution (`added_precision`).

    The convolution is inserted before `sum`, which is not erased.
    """
    if (bits := added_precision(op, sum)) is None:
        return None
    assert isinstance(sum, tdsl.AddOp)
    filter, start, element = _finer(op.lhs, bits), sum.other(op.out), tdsl.format_of(sum.out).type
    new = tdsl.Conv2dOp(filter, op.rhs, op.steps, op.spread, op.group_count, start, element)
    choose(new)
    new.location = op.location
    new.out.name_hint = sum.out.name_hint
    Rewriter.insert_op(new, InsertPoint.before(sum))
    return new


def _finer(filter: SSAValue, bits: int) -> SSAValue:
    if not bits:
        return filter
    constant, format = filter.owner, integers_of(tdsl.format_of(filter))
    assert isinstance(constant, tdsl.ConstOp)
    assert format is not None
    finer = ExactNumbers.INTEGERS(format.bits + bits, format.scale + bits)
    new = constant.with_raws((format.integers(constant.raws) << bits).astype(finer.dtype), finer)
    Rewriter.insert_op(new, InsertPoint.before(constant))
    return new.result
