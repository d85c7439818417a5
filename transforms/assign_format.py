"""`assign-format`: from reals (L0) to formats (L1), every tensor with the scale that its profile asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr, TensorType, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.format_lookup import USUAL_FORMAT, format_named, format_spelled
from tinyml.dialects.number_format import NumberFormat, Raws
from tinyml.dialects.places import error_at
from tinyml.transforms.format_assignment import Choice, FormatAssignment
from tinyml.transforms.round_weights import round_weights
from tinyml.transforms.tensor_classes import TensorClass, tensor_values

if TYPE_CHECKING:
    from tinyml.dialects.number_format import Reals

LEAST_ELEMENTS = 2
"""Of a constant that has the format of weights."""


@dataclass(frozen=True)
class AssignFormatPass(ModulePass):
    """Gives every tensor of a profiled f32 program a format.

    format: a dialect that defines a number format, or a builtin type. width: bits of each element; the format's usual
    width by default. weights: another format for all constants of several elements, `FORMAT` or `FORMAT:BITS`; a format
    that is for constants alone leaves small ones, and what is computed, to the main or else the usual format. widths:
    other widths or formats for single tensors, `NAME:BITS` or `NAME:FORMAT:BITS`, by their names in the source (those
    of `tensor_classes`). functions: the scheme, one of the format's `SCHEMES`, by which exp, tanh and sigmoid are
    computed; as suits the formats best by default. data: .npz file with inputs `x`, on which the weights of products
    are rounded so that their sums are right (`round_weights`); without it they are rounded to nearest. Raises
    `InputError` for an unknown format, width, tensor or scheme, for data that do not fit, and for a program that has
    no profile or formats already.
    """

    name = "assign-format"
    format: str = USUAL_FORMAT
    width: int | None = None
    weights: str | None = None
    widths: tuple[str, ...] = ()
    functions: str | None = None
    data: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        prototype = format_named(ctx, self.format, self.width)
        check_scheme(prototype, self.format, self.functions)
        inputs = None if self.data is None else inputs_of(op, self.data)
        for function in [one for one in op.ops if isinstance(one, func.FuncOp) and not one.is_declaration]:
            check_reals(function)
            assignment = FormatAssignment(function, inputs)
            formats = assignment.formats(self._choices(ctx, assignment.classes, prototype))
            constants = RoundedConstants(assignment).raws(formats)
            retype(function, assignment.formats_of_values(formats), constants, self.functions)

    def _choices(self, ctx: Context, classes: Sequence[TensorClass], prototype: NumberFormat) -> list[Choice]:
        weights = prototype if self.weights is None else format_spelled(ctx, self.weights)
        if prototype.CONSTANTS_FROM is not None:
            prototype = format_named(ctx, USUAL_FORMAT, None)
        least = weights.CONSTANTS_FROM or LEAST_ELEMENTS
        choices = {
            one.name: Choice(weights if one.is_constant and one.elements >= least else prototype) for one in classes
        }
        for spec in self.widths:
            name, _, format = spec.partition(":")
            if name not in choices or not format:
                raise InputError(f"expected TENSOR:BITS with one of the tensors {', '.join(choices)}, got '{spec}'")
            usual = type(choices[name].prototype)
            choices[name] = Choice(usual.of_width(int(format)) if format.isdecimal() else format_spelled(ctx, format))
        return list(choices.values())


def check_scheme(prototype: NumberFormat, format: str, scheme: str | None) -> None:
    """Raises `InputError` for a scheme for functions that a format does not have."""
    if scheme is not None and scheme not in prototype.SCHEMES:
        known = f"one of {', '.join(prototype.SCHEMES)}" if prototype.SCHEMES else "it has none"
        raise InputError(f"format '{format}' has no scheme '{scheme}' for functions ({known})")


def check_reals(function: func.FuncOp) -> None:
    """Raises `InputError` for a function that is no program on tensors of reals."""
    for op in function.walk():
        if any(isinstance(value.type, MemRefType) for value in (*op.operands, *op.results)):
            raise error_at(op, "assign-format expects tensors, not buffers")
    for value in tensor_values(function):
        if cast("TensorType[Attribute]", value.type).element_type != f32:
            raise InputError(f"assign-format expects a program of f32 tensors, found {value.type}")


def inputs_of(module: ModuleOp, file: str) -> Reals:
    """The inputs of a data file that a program takes."""
    from tinyml.runtime.data import load_data
    from tinyml.runtime.model_interface import interface_of

    return load_data(file, elements=interface_of(module).input_length).x.astype("f8")


class RoundedConstants:
    """The raws of a program's constants in any formats, each worked out once.

    All are rounded to nearest where the assignment has no inputs.
    """

    def __init__(self, assignment: FormatAssignment):
        self.assignment = assignment
        self.place = {one: i for i, one in enumerate(assignment.classes)}
        self.constants = [op for op in assignment.function.walk() if isinstance(op, tdsl.ConstOp)]
        self.moments = assignment.moments
        self.known: dict[object, Raws] = {}

    def raws(self, formats: Sequence[NumberFormat], refined: Mapping[int, Raws] | None = None) -> dict[SSAValue, Raws]:
        """What the constants are where the classes have these formats.

        refined: the raws of some, by their places in the program, in place of those that are worked out.
        """

        def format_of(value: SSAValue) -> NumberFormat:
            return formats[self.place[self.assignment.class_of[value]]]

        refined = refined or {}
        return {
            op.result: refined[place] if place in refined else self._raws(op, format_of)
            for place, op in enumerate(self.constants)
        }

    def _raws(self, constant: tdsl.ConstOp, format_of: Callable[[SSAValue], NumberFormat]) -> Raws:
        format = format_of(constant.result)
        moments = None if self.moments is None else self.moments.of(constant, format_of)
        key = constant, format.type, id(moments)
        if key not in self.known:
            reals = tdsl.format_of(constant.result).decode(constant.raws)
            self.known[key] = format.encode(reals) if moments is None else round_weights(reals, format, moments)
        return self.known[key]


def retype(
    function: func.FuncOp,
    formats: Mapping[SSAValue, NumberFormat],
    constants: Mapping[SSAValue, Raws],
    scheme: str | None,
) -> dict[SSAValue, SSAValue]:
    """Give the tensors of a function formats, its constants raws and its functions a scheme; what became of each."""
    retyped: dict[SSAValue, SSAValue] = {}
    for value, format in formats.items():
        type = cast("TensorType[Attribute]", value.type)
        if isinstance(op := value.owner, tdsl.ConstOp):
            new = op.with_raws(constants[value], format)
            Rewriter.insert_op(new, InsertPoint.before(op))
            value.replace_all_uses_with(new.result)
            op.detach()
            op.erase()
            retyped[value] = new.result
        else:
            new_type = TensorType(format.type, type.get_shape(), type.encoding)
            retyped[value] = Rewriter.replace_value_with_new_type(value, new_type)
    last = cast(func.ReturnOp, function.body.block.last_op)
    function.update_function_type()
    assert tuple(function.function_type.outputs) == tuple(last.operand_types)
    for op in function.walk():
        if isinstance(op, tdsl.FunctionOp):
            op.scheme = None if scheme is None else StringAttr(scheme)
    return retyped
