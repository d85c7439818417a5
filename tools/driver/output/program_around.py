"""A program around a generated model, such as a sketch for the Arduino IDE.

The chip has the text; what depends on the model is filled in here.
"""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.layouts.packed_bits import pack_bits
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.bits.format_notes import affine_format
from tinyml.runtime.evaluator.evaluator import encode_inputs, feature_map, predict_function
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.model_interface import interface_of

if TYPE_CHECKING:
    from tinyml.runtime.model.data import Data


def program_around(template: Path, formats: ModuleOp, data: Data) -> str:
    """The text of a program that runs a model at L1; it may embed the first sample of a data set.

    template: the text of a chip (`Chip.programs`), with placeholders for the names that this function fills in.
    """
    interface = interface_of(formats)
    raws = encode_inputs(formats, data.x[:1])[0]
    if interface.packed_bits is not None:
        raws = pack_bits(raws - interface.packed_offset, interface.packed_bits).view(np.int8)
    rows = [", ".join(str(value) for value in raws[at : at + 12].tolist()) for at in range(0, len(raws), 12)]
    label = interface.has_label
    call = f"{interface.name}_predict({'X' if interface.in_array else ''})"
    format = tdsl.format_of(predict_function(formats).body.block.args[0])
    scaled = feature_map(formats) is not None
    return Template(template.read_text("utf-8")).substitute(
        name=interface.name,
        length=interface.array_length,
        ctype=interface.array_ctype,
        expected="" if data.y is None else f"\n * The stored sample is of class {int(data.y[0])}.",
        values=",\n".join(f"    {row}" for row in rows),
        array="" if interface.input_in_arena else f"static {interface.array_ctype} X[{interface.name}_INPUT_LENGTH];\n",
        pointer=f"    {interface.array_ctype} *X = {interface.name}_input();\n" if interface.input_in_arena else "",
        predict=f"int16_t label = {call};" if label else f"{call};",
        show='Serial.print(F("class "));\n    Serial.print(label);'
        if label
        else f"Serial.print((double){interface.name}_scores()[0]);",
        print='printf("class %d\\n", label);' if label else f'printf("%g\\n", (double){interface.name}_scores()[0]);',
        width="" if interface.packed_bits is None else f", bytes with numbers of {interface.packed_bits} bits",
        read=_reader(format, interface, scaled),
    )


def _reader(format: NumberFormat, interface: Interface, scaled: bool) -> str:
    """C code that reads a number, or a byte of a packed input, and stores it in the input's format.

    scaled: whether the header converts features that have scales of their own.
    """
    ctype = interface.array_ctype
    if interface.packed_bits is not None:
        return f"X[received] = ({ctype})Serial.parseInt(); /* of numbers packed into {interface.packed_bits} bits */"
    if scaled and affine_format(context(), str(format.type)) is not None:
        return f"X[received] = {interface.name}_feature_raw(received, Serial.parseFloat());"
    real = "Serial.parseFloat()"
    if scaled:
        real = f"{interface.name}_feature_number(received, {real})"
    if format.dtype.kind == "f":
        return f"X[received] = {real};"
    probe = np.linspace(0, format.encode(np.array(1e30)), 64).astype(format.dtype)
    unit = format.decode(np.ones(1, format.dtype))[0]
    if unit == 0 or not np.array_equal(format.decode(probe), probe * unit):
        return f"X[received] = ({ctype})Serial.parseInt(); /* raw bits of {format.type} */"
    low, high = (int(format.encode(np.array(value))) for value in (-1e30, 1e30))
    # Arduino's constrain is a macro that would read up to three numbers, and lround overflows beyond 32 bits.
    return (
        f"float raw = {real} * {float(1 / unit)!r}; /* real = raw / {float(1 / unit)!r} */\n"
        f"    X[received] = ({ctype})(raw <= {low}L ? {low}L : raw >= {high}L ? {high}L : lround(raw));"
    )
