"""Compute formats for tensors stored in a foreign family, one other than the program's own.

The operands of an op have formats of one family, which in a program is that of its constants. A tensor of another
family is computed in a wide format of the program's own family and cast to its storage format; ops that compute with it
cast it back. Casts become part of the elementwise ops around them; an operand of a product is cast into a buffer of its
own, in memory that is mostly free at the time.
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
    """The family in which a program computes: that of most constants or, if it has none, of most tensors.

    Of equally frequent families the last counts.
    """
    families = [format.FAMILY for tensors, format in formats.items() if tensors.is_constant]
    families = families or [format.FAMILY for format in formats.values()]
    counts = Counter(families)
    return max(reversed(families), key=lambda family: counts[family])


def compute_formats(formats: Mapping[TensorClass, NumberFormat]) -> dict[TensorClass, NumberFormat]:
    """Compute formats for tensors stored in a foreign family.

    They have the program's most frequent type, in its greatest width. Raises `InputError` for a constant of a foreign
    family, which could just as well have one of the program's own.
    """
    if not formats:
        return {}
    own_family = family_of(formats)
    foreign = [tensors for tensors, format in formats.items() if own_family != format.FAMILY]
    if not foreign:
        return {}
    own = [format for format in formats.values() if own_family == format.FAMILY]
    counts = Counter(type(format) for format in own)
    usual = max(own, key=lambda format: counts[type(format)])
    widest = max(usual.candidates, key=lambda format: format.bits)
    for tensors in foreign:
        if tensors.is_constant:
            raise InputError(
                f"the constant {tensors.name} has a format of the family '{formats[tensors].FAMILY}' in a program that"
                f" computes in '{own_family}'"
            )
    return {tensors: widest.for_range(*tensors.range) for tensors in foreign}


def insert_casts(value: SSAValue, compute_format: NumberFormat) -> SSAValue:
    """Insert casts around a tensor stored in its own type but computed in another; returns the stored one."""
    stored = value
    if isinstance(op := value.owner, tdsl.TensorOp) and _computes(op):
        element = tdsl.format_of(value).type
        computed = Rewriter.replace_value_with_new_type(value, TensorType(compute_format.type, tdsl.shape_of(value)))
        cast = tdsl.CastOp(computed, element)
        cast.out.name_hint = computed.name_hint
        computed.replace_all_uses_with(cast.out)
        cast.operands[0] = computed
        Rewriter.insert_op(cast, InsertPoint.after(op))
        stored = cast.out
    readers = [use for use in list(stored.uses) if _computes(use.operation)]
    for user in dict.fromkeys(use.operation for use in readers):
        back = tdsl.CastOp(stored, compute_format.type)
        back.out.name_hint = stored.name_hint
        Rewriter.insert_op(back, InsertPoint.before(user))
        for use in readers:
            if use.operation is user:
                user.operands[use.index] = back.out
    return stored


def _computes(op: Operation) -> bool:
    """True for an op whose operands and result must be of one family."""
    return isinstance(op, tdsl.TensorOp) and not op.MOVES_BITS and not isinstance(op, tdsl.CastOp)
