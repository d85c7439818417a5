"""Retyping of a program on reals: tensors get formats, constants raws, and functions a scheme.

The operands of an op have formats of one family, which in a program is that of its constants. A tensor of another
family is computed in a wide format of the program's own family and cast to its storage format; ops that compute with it
cast it back. Casts become part of the elementwise ops around them; an operand of a product is cast into a buffer of its
own, in memory that is mostly free at the time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, StringAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.locations import error_at
from tinyml.transforms.formats.assignment.tensor_classes import tensor_values

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from tinyml.dialects.formats.number_format import NumberFormat, Raws
    from tinyml.transforms.formats.assignment.tensor_classes import TensorClass


def _family_of(formats: Mapping[TensorClass, NumberFormat]) -> str:
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
    own_family = _family_of(formats)
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


def _insert_casts(value: SSAValue, compute_format: NumberFormat) -> SSAValue:
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


def check_reals(function: func.FuncOp, *, mixed: bool = False) -> None:
    """Raise `InputError` for a function that is not a program on tensors of reals.

    mixed: a part may have formats, if casts separate the parts.
    """
    for op in function.walk():
        if any(isinstance(value.type, MemRefType) for value in (*op.operands, *op.results)):
            raise error_at(op, "assign-format expects tensors, not buffers")
        if mixed and isinstance(op, tdsl.TensorOp) and not isinstance(op, tdsl.CastOp):
            tensors = [value for value in (*op.inputs, op.out) if isinstance(value.type, TensorType)]
            if len({tdsl.is_real(value) for value in tensors}) > 1:
                raise error_at(op, f"'{op.name}' computes with f32 and another format: 'tdsl.cast' goes between them")
    others = [value for value in tensor_values(function) if not tdsl.is_real(value)]
    if others and not mixed:
        raise InputError(f"assign-format expects a program of f32 tensors, found {others[0].type}")


def check_scheme(prototype: NumberFormat, format: str, scheme: str | None) -> None:
    """Raise `InputError` for a scheme of functions that a format does not have."""
    if scheme is not None and scheme not in prototype.SCHEMES:
        known = f"one of {', '.join(prototype.SCHEMES)}" if prototype.SCHEMES else "it has none"
        raise InputError(f"format '{format}' has no scheme '{scheme}' for functions ({known})")


def retype(
    function: func.FuncOp,
    formats: Mapping[SSAValue, NumberFormat],
    constants: Mapping[SSAValue, Raws],
    compute_formats: Mapping[SSAValue, NumberFormat],
    scheme: str | None,
) -> dict[SSAValue, SSAValue]:
    """Give tensors of a function formats, its constants raws and its functions a scheme; other values are unchanged.

    compute_formats: of tensors that are computed in other formats than they are stored in. Returns the new tensor for
    each of the `formats`.
    """
    functions = [op for op in function.walk() if isinstance(op, tdsl.FunctionOp) and op.out in formats]
    retyped: dict[SSAValue, SSAValue] = {}
    for value, format in formats.items():
        type = cast("TensorType[Attribute]", value.type)
        if isinstance(op := value.owner, tdsl.ConstOp):
            new = op.with_raws(constants[value], format)
            Rewriter.insert_op(new, InsertPoint.before(op))
            value.replace_all_uses_with(new.result)
            Rewriter.erase_op(op)
            retyped[value] = new.result
        else:
            new_type = TensorType(format.type, type.get_shape(), type.encoding)
            retyped[value] = Rewriter.replace_value_with_new_type(value, new_type)
    retyped |= {value: _insert_casts(retyped[value], format) for value, format in compute_formats.items()}
    last = cast(func.ReturnOp, function.body.block.last_op)
    function.update_function_type()
    # The type of the argument says it from now on.
    tdsl.update_input(function, format=None)
    assert tuple(function.function_type.outputs) == tuple(last.operand_types)
    for op in functions:
        op.scheme = None if scheme is None else StringAttr(scheme)
    return retyped
