"""The meaning of a program's arrays and answers for its callers: shapes, number formats, units and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    UnitAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute

from tinyml.dialects import tdsl
from tinyml.lowering.c.format_notes import Affine
from tinyml.lowering.c.program import ProgramBuilder
from tinyml.targets.c.text import spell


def described_model(program: ProgramBuilder) -> DictionaryAttr:
    """The value of `DESCRIBED` for a program.

    * `input`: `type`, `length` and `shape` of the array without the batch axis; `format`, and `scale` and `zero` of an
      affine format; `axes`, `unit`, `names`, `rate`, `packed_bits`, `row` (elements), `pushed` (`tdsl.Pushes`), `raws`
      (the least and the greatest permitted raw), `own_units` if each feature has a scale, and `parts`, the inputs that
      the array concatenates, if the program has them.
    * `outputs`: the same fields for the scores and for each further output, with the name of its function.
    * `label`: present if the program returns a class; `classes`: the names of the classes.
    * `threshold`: the score below which a detector reports an anomaly.
    """
    interface, labels = program.interface, program.labels
    found: dict[str, Any] = {
        "input": _input(program),
        "outputs": [_output(program, number) for number in range(len(program.outputs))],
        "label": program.label is not None,
        "classes": None if labels is None else [str(label) for label in labels],
        "threshold": interface.threshold,
    }
    return _attribute(found)


def _input(program: ProgramBuilder) -> dict[str, Any]:
    given, pushes = program.interface.input, program.pushes
    own = [(part, str(format.type)) for part, format in program.own_formats]
    affine = program.affine_input if program.has_one_unit else None
    return {
        **_array(program.input),
        "format": program.input_text if given.unit is None and not own else None,
        **_scale(affine),
        "axes": None if given.order is None else tdsl.named_axes(given.order),
        "unit": given.unit,
        "own_units": program.features is not None,
        "names": given.names,
        "rate": given.rate,
        "packed_bits": given.packed,
        "row": program.row_length,
        "pushed": None if pushes is None else pushes._asdict(),
        "raws": program.guarded,
        "parts": [_part(program, part, format) for part, format in own]
        or [_part(program, part, None) for part in given.input_parts],
    }


def _part(program: ProgramBuilder, part: tdsl.InputPart, format: str | None) -> dict[str, Any]:
    affine = None if format is None else program.affine(format)
    return {"name": part.name, "start": part.start, "length": part.length, "format": format, **_scale(affine)}


def _output(program: ProgramBuilder, number: int) -> dict[str, Any]:
    function = f"{program.name}_output_{number}" if number else f"{program.name}_scores"
    text = program.output_text(number)
    affine = None if text is None else program.affine(text)
    return {"function": function, **_array(program.output_type(number)), "format": text, **_scale(affine)}


def _array(type: MemRefType[Attribute]) -> dict[str, Any]:
    shape = type.get_shape()
    return {
        "type": spell(type.element_type),
        "length": prod(shape),
        "shape": shape[1:] if len(shape) > 1 and shape[0] == 1 else shape,
    }


def _scale(affine: Affine | None) -> dict[str, Any]:
    return {} if affine is None else {"scale": float(affine.unit), "zero": affine.zero}


def _attribute(value: Any) -> Any:
    """A value as an attribute. Dictionary entries that are None, false or empty are omitted."""
    match value:
        case bool():
            return UnitAttr()
        case int():
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
        case Mapping():
            entries = cast("Mapping[str, Any]", value)
            return DictionaryAttr({key: _attribute(item) for key, item in entries.items() if _is_given(item)})
        case Sequence():
            return ArrayAttr([_attribute(item) for item in cast("Sequence[Any]", value)])
        case _:
            raise TypeError(f"not a part of a description: {value!r}")


def _is_given(value: Any) -> bool:
    return value is not None and value is not False and value not in ((), [])
