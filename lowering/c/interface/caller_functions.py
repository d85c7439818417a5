"""The functions of a program around NAME_predict: an input buffer, real numbers in and out, names of classes.

A program that calls none of them pays nothing, because the linker drops what is not called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, IndexType, ModuleOp, f32, i16
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects import c
from tinyml.dialects.c.types import CONST, RAM
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.machine.emitter import Emitter
from tinyml.lowering.c.expression_builder import ExpressionBuilder
from tinyml.lowering.c.function import FunctionLowering, Spellings
from tinyml.lowering.c.interface.real_numbers import from_real, rounding_note
from tinyml.lowering.c.interface.streams import StreamFunctions, guarded
from tinyml.lowering.c.program import ProgramBuilder
from tinyml.transforms.ir.arithmetic import FunctionContext


def caller_functions(program: ProgramBuilder, predict: Block, spellings: Spellings) -> list[Operation]:
    """NAME_input, NAME_set, NAME_run, NAME_predict_floats and NAME_score, as far as a program can have them.

    predict: the body of NAME_predict. An input that arrives row by row has no buffer, and a packed one no elements that
    could be set one by one.
    """
    made: list[Operation] = []
    if program.pushes is not None:
        made += _stream_functions(program, spellings)
    elif program.row_length is None:
        made += _Buffer(program, predict).functions(spellings)
    for number in range(len(program.outputs)):
        if (format := program.output_format(number)) is not None:
            made.append(_score(program, number, format, spellings))
    return made


def _stream_functions(program: ProgramBuilder, spellings: Spellings) -> list[Operation]:
    """The functions of a program that streams; samples of real numbers can be pushed if the format is known."""
    format = program.input_format
    if format is None:
        return StreamFunctions(program).functions(None)

    def convert(body: Block, real: SSAValue) -> SSAValue:
        return _emitted(program, body, [real], lambda m, values: from_real(m, values[0], format), spellings)

    return StreamFunctions(program).functions(convert)


class _Buffer:
    """The input buffer of a program: in the arena, or an array of its own."""

    def __init__(self, program: ProgramBuilder, predict: Block):
        self.program = program
        self.name = program.name
        self.signatures = program.signatures
        self.symbol = f"{self.name}_X" if self.signatures.instance is None else "input"
        self.element = program.input.element_type
        self.length = prod(program.input.get_shape())
        self.takes_array = bool(program.signatures.arguments_of(predict))
        self.label = [] if program.label is None else [i16]

    def functions(self, spellings: Spellings) -> list[Operation]:
        made: list[Operation] = []
        if self.program.given is None:
            doc = f"The input of {self.name}_run."
            made.append(c.BufferOp(self.symbol, self.length, self.element, doc))
            made.append(self._input())
        made.append(self._run())
        format = self.program.input_format
        if format is not None and not self.program.is_packed:
            made += [self._set(format, spellings), self._predict_floats()]
        return made

    def _pointer(self, build: ExpressionBuilder, instance: SSAValue | None) -> SSAValue:
        """The address of the buffer, or of that of an instance."""
        if (given := self.program.given) is not None:
            pointer = c.PointerType(self.element)
            view = c.ViewOp("arena", given.offset.value.data, self.length, "", pointer, instance)
            return build.insert(view, "X")
        return build.insert(c.SymbolOp(self.symbol, self.element, RAM, instance))

    def _input(self) -> c.FuncOp:
        body = self.signatures.body({})
        build = ExpressionBuilder(body)
        build.put(c.ReturnOp(self._pointer(build, self.signatures.instance_of(body))))
        doc = f"A buffer for the input, whose elements are those of {self.name}_predict's argument."
        return self.signatures.function("input", [c.PointerType(self.element)], doc, body)

    def _run(self) -> c.FuncOp:
        body = self.signatures.body({})
        build, instance = ExpressionBuilder(body), self.signatures.instance_of(body)
        doc = f"Runs the model on {self.name}_input(), as {self.name}_predict does."
        if self.program.guarded is not None:
            doc += " Raws that are no numbers of the format become the nearest that are."
            pointer, inner = self._pointer(build, instance), Block(arg_types=[IndexType()])
            with build.inside(inner):
                raw = build.insert(c.LoadOp(pointer, inner.args[0]))
                build.put(c.StoreOp(guarded(self.program, build, raw), pointer, inner.args[0]))
            build.put(c.ForOp(build.literal(0), build.literal(self.length), 1, Region(inner)))
        self._predict(build, instance)
        return self.signatures.function("run", self.label, doc, body)

    def _set(self, format: NumberFormat, spellings: Spellings) -> c.FuncOp:
        body = self.signatures.body({"i": IndexType(), "value": f32})
        index, real = self.signatures.arguments_of(body)
        build = ExpressionBuilder(body)
        pointer = self._pointer(build, self.signatures.instance_of(body))
        features = self.program.features
        if features is not None:
            real = build.insert(c.CallOp(f"{self.name}_feature_number", [index, real], f32))
        raw = _emitted(self.program, body, [real], lambda m, values: from_real(m, values[0], format), spellings)
        build.put(c.StoreOp(raw, pointer, index))
        build.put(c.ReturnOp(None))
        doc = f"Sets element i of {self.name}_input() from a real number. {rounding_note(format)}"
        return self.signatures.function("set", [], doc, body)

    def _predict_floats(self) -> c.FuncOp:
        body = self.signatures.body({"X": c.PointerType(f32, CONST)})
        [reals] = self.signatures.arguments_of(body)
        build, given = ExpressionBuilder(body), self.signatures.instance_of(body)
        instance, inner = _given(given), Block(arg_types=[IndexType()])
        with build.inside(inner):
            real = build.insert(c.LoadOp(reals, inner.args[0]))
            build.put(c.InvokeOp(f"{self.name}_set", [*instance, inner.args[0], real]))
        build.put(c.ForOp(build.literal(0), build.literal(self.length), 1, Region(inner)))
        # What NAME_set rounds needs no guard.
        if self.program.guarded is None:
            self._call(build, "run", instance)
        else:
            self._predict(build, given)
        doc = f"Sets all elements from {self.length} real numbers, and runs the model on them."
        return self.signatures.function("predict_floats", self.label, doc, body)

    def _predict(self, build: ExpressionBuilder, instance: SSAValue | None) -> None:
        arguments = [self._pointer(build, instance)] if self.takes_array else []
        self._call(build, "predict", [*_given(instance), *arguments])

    def _call(self, build: ExpressionBuilder, function: str, arguments: Sequence[SSAValue]) -> None:
        """End a function with a call whose result, if there is one, it returns."""
        if self.label:
            result = build.insert(c.CallOp(f"{self.name}_{function}", arguments, i16))
            build.put(c.ReturnOp(result))
        else:
            build.put(c.InvokeOp(f"{self.name}_{function}", arguments))
            build.put(c.ReturnOp(None))


def _score(program: ProgramBuilder, number: int, format: NumberFormat, spellings: Spellings) -> c.FuncOp:
    """The function that returns an element of an output, a score, as a real number."""
    body = program.signatures.body({"i": IndexType()})
    [index] = program.signatures.arguments_of(body)
    build = ExpressionBuilder(body)
    view = program.output_view(program.outputs[number], "scores", program.signatures.instance_of(body))
    raw = build.insert(c.LoadOp(build.insert(view, view.result.name_hint), index))
    real = _emitted(program, body, [raw], lambda m, values: format.to_f32(m, values[0]), spellings)
    build.put(c.ReturnOp(real))
    what, name = (f"Element i of output {number}", f"output_{number}_score") if number else ("Score i", "score")
    doc = f"{what} of the last {program.name}_predict, as a real number."
    return program.signatures.function(name, [f32], doc, body)


def _given(instance: SSAValue | None) -> list[SSAValue]:
    """The first arguments of a call."""
    return [] if instance is None else [instance]


def _emitted(
    program: ProgramBuilder,
    body: Block,
    operands: Sequence[SSAValue],
    compute: Callable[[Emitter, Sequence[SSAValue]], SSAValue],
    spellings: Spellings,
) -> SSAValue:
    """A value that a format's arithmetic computes from operands, at the end of a block of C."""
    block = Block(arg_types=[operand.type for operand in operands])
    end = func.ReturnOp()
    block.add_op(end)
    function = func.FuncOp("conversion", FunctionType.from_lists(block.arg_types, []), Region(block))
    value = compute(Emitter(end, FunctionContext(ModuleOp([function]), function)), block.args)
    Rewriter.erase_op(end)
    lowering = FunctionLowering(program, body, spellings)
    lowering.values.update(zip(block.args, operands, strict=True))
    lowering.lower_block(block)
    return lowering.values[value]
