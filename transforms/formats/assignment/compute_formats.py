"""Tensors in formats of another family than the program's own: they are stored so, and computed in a carrier.

The operands of an op are of one family of formats, which in a program is that of its constants. A tensor of another one
is computed in a wide format of the program's own and cast to what it is stored in; what computes with it casts it back.
Casts become part of the elementwise ops around them; what a product reads is cast into memory of its own, which mostly
is free at the time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import TensorType
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue

    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.transforms.formats.assignment.tensor_classes import TensorClass


def family_of(formats: Mapping[TensorClass, NumberFormat]) -> str:
    """The family in which a program computes: that of most constants or, where it has none, of most tensors.

    Of as many it is the last.
    """
    families = [format.FAMILY for one, format in formats.items() if one.is_constant]
    families = families or [format.FAMILY for format in formats.values()]
    counts = Counter(families)
    return max(reversed(families), key=lambda family: counts[family])


def carriers_of(formats: Mapping[TensorClass, NumberFormat]) -> dict[TensorClass, NumberFormat]:
    """The formats in which those tensors are computed whose own format is of another family than the program's.

    They are of the program's most frequent type, as wide as it gets. Raises `InputError` for a constant of another
    family, which could as well have one of the program's.
    """
    own_family = family_of(formats)
    foreign = [one for one, format in formats.items() if own_family != format.FAMILY]
    if not foreign:
        return {}
    own = [one for one in formats.values() if own_family == one.FAMILY]
    counts = Counter(type(one) for one in own)
    usual = max(own, key=lambda one: counts[type(one)])
    widest = max(usual.candidates, key=lambda one: one.bits)
    for one in foreign:
        if one.is_constant:
            raise InputError(
                f"the constant {one.name} has a format of the family '{formats[one].FAMILY}' in a program that computes"
                f" in '{own_family}'"
            )
    return {one: widest.for_range(*one.range) for one in foreign}


def carry(value: SSAValue, carrier: NumberFormat) -> SSAValue:
    """Put casts around a tensor that is stored in its type and computed in its carrier; what is stored."""
    stored = value
    if isinstance(op := value.owner, tdsl.TensorOp) and _computes(op):
        element = tdsl.format_of(value).type
        computed = Rewriter.replace_value_with_new_type(value, TensorType(carrier.type, tdsl.shape_of(value)))
        cast = tdsl.CastOp(computed, element)
        cast.out.name_hint = computed.name_hint
        computed.replace_all_uses_with(cast.out)
        cast.operands[0] = computed
        Rewriter.insert_op(cast, InsertPoint.after(op))
        stored = cast.out
    readers = [use for use in list(stored.uses) if _computes(use.operation)]
    for user in dict.fromkeys(use.operation for use in readers):
        back = tdsl.CastOp(stored, carrier.type)
        back.out.name_hint = stored.name_hint
        Rewriter.insert_op(back, InsertPoint.before(user))
        for use in readers:
            if use.operation is user:
                user.operands[use.index] = back.out
    return stored


def _computes(op: Operation) -> bool:
    """Does an op need its operands and its result in one family?"""
    return isinstance(op, tdsl.TensorOp) and not op.MOVES_BITS and not isinstance(op, tdsl.CastOp)
