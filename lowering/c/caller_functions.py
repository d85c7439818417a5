"""C functions around NAME_predict for callers: setters of real inputs, real scores, and the decision of a detector.

If a program calls none of these functions, the linker drops all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, f32, i16
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import c
from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.machine.emitter import Emitter
from tinyml.lowering.c.conversions import emitted
from tinyml.lowering.c.function import ExpressionBuilder, Spellings
from tinyml.lowering.c.input_functions import InputBuffer
from tinyml.lowering.c.program import ProgramBuilder
from tinyml.transforms.ir.real_numbers import from_real, lies_below


def caller_functions(program: ProgramBuilder, predict: Block, spellings: Spellings) -> list[Operation]:
    """The C functions for callers that the program supports: for its input NAME_input, NAME_set, NAME_run and
    NAME_predict_floats, and for its output NAME_score and NAME_is_anomaly.

    If the input arrives row by row, the program has no input buffer, and the functions that access the buffer are
    omitted. A streaming program has the functions of `StreamFunctions` for its input instead. NAME_set and
    NAME_predict_floats are also omitted for a packed input, whose elements cannot be set one by one.

    predict: the body of NAME_predict.
    """
    functions: list[Operation] = []
    if program.pushes is not None:
        functions += _stream_functions(program, spellings)
    elif program.row_length is None:
        functions += InputBuffer(program, predict).functions(spellings)
    for number in range(len(program.outputs)):
        if (format := program.output_format(number)) is not None:
            functions.append(_score(program, number, format, spellings))
    if program.interface.threshold is not None and (format := program.output_format(0)) is not None:
        functions.append(_is_anomaly(program, format, spellings))
    return functions


def _stream_functions(program: ProgramBuilder, spellings: Spellings) -> list[Operation]:
    functions_of = imported("tinyml.lowering.c.stream_functions:StreamFunctions")(program).functions
    format = program.input_format
    if format is None:
        return functions_of(None)

    encoding = program.encoding

    def encode(m: Emitter, values: Sequence[SSAValue]) -> SSAValue:
        if encoding is None:
            return from_real(m, values[0], format)
        return m.settle(encoding.raw(m, *values), 8 * format.dtype.itemsize)

    def convert(body: Block, real: SSAValue) -> SSAValue:
        values = [real]
        if program.features is not None:
            # All elements of a frame have the units of the first.
            build = ExpressionBuilder(body)
            first = build.literal(0)
            if encoding is None:
                values = [build.insert(c.CallOp(f"{program.name}_feature_number", [first, real], f32))]
            else:
                values = [real, first]
        return emitted(program, body, values, encode, spellings)

    return functions_of(convert)


def _score(program: ProgramBuilder, number: int, format: NumberFormat, spellings: Spellings) -> c.FuncOp:
    body = program.signatures.body({"i": IndexType()})
    [index] = program.signatures.arguments_of(body)
    build = ExpressionBuilder(body)
    view = program.output_view(program.outputs[number], "scores", program.signatures.instance_of(body))
    raw = build.insert(c.LoadOp(build.insert(view, view.result.name_hint), index))
    real = emitted(program, body, [raw], lambda m, values: format.to_f32(m, values[0]), spellings)
    build.put(c.ReturnOp(real))
    what, name = (f"Element i of output {number}", f"output_{number}_score") if number else ("Score i", "score")
    doc = f"{what} of the last {program.name}_predict, as a real number."
    return program.signatures.function(name, [f32], doc, body)


def _is_anomaly(program: ProgramBuilder, format: NumberFormat, spellings: Spellings) -> c.FuncOp:
    """The C function that returns whether the score is below a threshold. The threshold, a real number, is first
    rounded to the format of the score.
    """
    body = program.signatures.body({"threshold": f32})
    [threshold] = program.signatures.arguments_of(body)
    build = ExpressionBuilder(body)
    view = program.output_view(program.outputs[0], "scores", program.signatures.instance_of(body))
    raw = build.insert(c.LoadOp(build.insert(view, view.result.name_hint), build.literal(0)))

    def below(m: Emitter, values: Sequence[SSAValue]) -> SSAValue:
        return lies_below(m, values[0], values[1], format)

    anomaly = emitted(program, body, [raw, threshold], below, spellings)
    build.put(c.ReturnOp(build.insert(c.CastOp(anomaly, i16))))
    doc = (
        f"Returns 1 if the score of the last {program.name}_predict lies below a threshold, such as "
        f"{program.name}_THRESHOLD, else 0."
    )
    return program.signatures.function("is_anomaly", [i16], doc, body)
