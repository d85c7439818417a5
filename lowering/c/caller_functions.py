"""The functions around NAME_predict for callers: an input buffer, real inputs and scores, and streams.

Functions that a program does not call cost nothing, since the linker drops them. The functions of a streaming program,
NAME_push, NAME_ready, NAME_predict and NAME_reset, count frames and the samples of the current frame, and call the
function of a time step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, IndexType, ModuleOp, f32, i16
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tinyml.dialects import c
from tinyml.dialects.c.types import CONST, RAM
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.emitter import Emitter
from tinyml.dialects.rewriting import Rewriter
from tinyml.lowering.c.function import ExpressionBuilder, FunctionLowering, Spellings
from tinyml.lowering.c.program import ProgramBuilder
from tinyml.lowering.c.real_numbers import from_real, lies_below, present, rounding_note
from tinyml.lowering.c.signatures import PLACE, STEP
from tinyml.transforms.ir.arithmetic import FunctionContext


def caller_functions(program: ProgramBuilder, predict: Block, spellings: Spellings) -> list[Operation]:
    """The caller functions that a program supports.

    These are NAME_input, NAME_set, NAME_run, NAME_predict_floats, NAME_score and NAME_is_anomaly. predict: the body of
    NAME_predict. An input that arrives row by row has no buffer, and the elements of a packed input cannot be set one
    by one.
    """
    made: list[Operation] = []
    if program.pushes is not None:
        made += _stream_functions(program, spellings)
    elif program.row_length is None:
        made += _Buffer(program, predict).functions(spellings)
    for number in range(len(program.outputs)):
        if (format := program.output_format(number)) is not None:
            made.append(_score(program, number, format, spellings))
    if program.interface.threshold is not None and (format := program.output_format(0)) is not None:
        made.append(_is_anomaly(program, format, spellings))
    return made


def _stream_functions(program: ProgramBuilder, spellings: Spellings) -> list[Operation]:
    """The functions of a streaming program, with NAME_push_floats if the input format is known."""
    format = program.input_format
    if format is None:
        return _StreamFunctions(program).functions(None)

    def convert(body: Block, real: SSAValue) -> SSAValue:
        return _emitted(program, body, [real], lambda m, values: from_real(m, values[0], format), spellings)

    return _StreamFunctions(program).functions(convert)


class _Buffer:
    """The input buffer of a program, in the arena or a separate array."""

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
            made += [self._set(format, spellings), self._predict_floats(format, spellings)]
        return made

    def _pointer(self, build: ExpressionBuilder, instance: SSAValue | None) -> SSAValue:
        """The address of the buffer, in the memory of `instance` if there is one."""
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
                build.put(c.StoreOp(_guarded(self.program, build, raw), pointer, inner.args[0]))
            build.put(c.ForOp(build.literal(0), build.literal(self.length), 1, Region(inner)))
        self._predict(build, instance)
        return self.signatures.function("run", self.label, doc, body)

    def _set(self, format: NumberFormat, spellings: Spellings) -> c.FuncOp:
        body = self.signatures.body({"i": IndexType(), "value": f32})
        index, real = self.signatures.arguments_of(body)
        build = ExpressionBuilder(body)
        pointer = self._pointer(build, self.signatures.instance_of(body))
        build.put(c.StoreOp(self._raw(body, index, real, format, spellings), pointer, index))
        build.put(c.ReturnOp(None))
        filled = self.program.interface.input.fills is not None
        note = rounding_note(format) + (" NaN, a missing value, counts as the number for it." if filled else "")
        doc = f"Sets element i of {self.name}_input() from a real number. {note}"
        return self.signatures.function("set", [], doc, body)

    def _raw(
        self, body: Block, index: SSAValue, real: SSAValue, format: NumberFormat, spellings: Spellings
    ) -> SSAValue:
        """The raw of a real number, element `index` of the input, at the end of a block."""
        encoding, fills = self.program.encoding, self.program.interface.input.fills
        if fills is not None:
            table = np.array(fills, np.float32)
            real = _emitted(self.program, body, [index, real], lambda m, v: present(m, v[1], v[0], table), spellings)

        def encode(m: Emitter, values: Sequence[SSAValue]) -> SSAValue:
            if encoding is None:
                return from_real(m, values[1], format)
            return m.settle(encoding.raw(m, values[1], values[0]), 8 * format.dtype.itemsize)

        if self.program.features is not None and encoding is None:
            call = c.CallOp(f"{self.name}_feature_number", [index, real], f32)
            real = ExpressionBuilder(body).insert(call)
        return _emitted(self.program, body, [index, real], encode, spellings)

    def _predict_floats(self, format: NumberFormat, spellings: Spellings) -> c.FuncOp:
        body = self.signatures.body({"X": c.PointerType(f32, CONST)})
        [reals] = self.signatures.arguments_of(body)
        build, given = ExpressionBuilder(body), self.signatures.instance_of(body)
        given_as_they_are = self.program.features is None and self.program.interface.input.fills is None
        if self.takes_array and self.element == f32 and given_as_they_are:
            self._call(build, "predict", [*_given(given), reals])
            doc = f"Runs the model on {self.length} real numbers, as {self.name}_predict does."
            return self.signatures.function("predict_floats", self.label, doc, body)
        pointer, inner = self._pointer(build, given), Block(arg_types=[IndexType()])
        read = self.program.interface.input.read
        with build.inside(inner):
            index = inner.args[0] if read is None else self._entry(inner, read, spellings)
            real = build.insert(c.LoadOp(reals, index))
            build.put(c.StoreOp(self._raw(inner, index, real, format, spellings), pointer, index))
        count = self.length if read is None else len(read)
        build.put(c.ForOp(build.literal(0), build.literal(count), 1, Region(inner)))
        # NAME_set stores only valid raws, which need no guard.
        if self.program.guarded is None:
            self._call(build, "run", _given(given))
        else:
            self._predict(build, given)
        those = "all elements" if read is None else f"the {len(read)} elements that the model reads"
        doc = f"Sets {those} from {self.length} real numbers, and runs the model on them."
        return self.signatures.function("predict_floats", self.label, doc, body)

    def _entry(self, inner: Block, read: Sequence[int], spellings: Spellings) -> SSAValue:
        """An entry of the table of elements that the program reads, by the counter of a loop."""
        table = np.array(read, np.int8 if max(read) < 128 else np.int16 if max(read) < 1 << 15 else np.int32)

        def entry(m: Emitter, values: Sequence[SSAValue]) -> SSAValue:
            return m.lookup("read_features", table, values[0])

        found = _emitted(self.program, inner, [inner.args[0]], entry, spellings)
        return ExpressionBuilder(inner).insert(c.CastOp(found, IndexType()))

    def _predict(self, build: ExpressionBuilder, instance: SSAValue | None) -> None:
        arguments = [self._pointer(build, instance)] if self.takes_array else []
        self._call(build, "predict", [*_given(instance), *arguments])

    def _call(self, build: ExpressionBuilder, function: str, arguments: Sequence[SSAValue]) -> None:
        """End a function by calling another and returning its result, if it has one."""
        if self.label:
            result = build.insert(c.CallOp(f"{self.name}_{function}", arguments, i16))
            build.put(c.ReturnOp(result))
        else:
            build.put(c.InvokeOp(f"{self.name}_{function}", arguments))
            build.put(c.ReturnOp(None))


def _score(program: ProgramBuilder, number: int, format: NumberFormat, spellings: Spellings) -> c.FuncOp:
    """The function that returns an element of an output as a real number."""
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


def _is_anomaly(program: ProgramBuilder, format: NumberFormat, spellings: Spellings) -> c.FuncOp:
    """The function that compares the score with a threshold, which is rounded to the format of the score."""
    body = program.signatures.body({"threshold": f32})
    [threshold] = program.signatures.arguments_of(body)
    build = ExpressionBuilder(body)
    view = program.output_view(program.outputs[0], "scores", program.signatures.instance_of(body))
    raw = build.insert(c.LoadOp(build.insert(view, view.result.name_hint), build.literal(0)))

    def below(m: Emitter, values: Sequence[SSAValue]) -> SSAValue:
        return lies_below(m, values[0], values[1], format)

    anomaly = _emitted(program, body, [raw, threshold], below, spellings)
    build.put(c.ReturnOp(build.insert(c.CastOp(anomaly, i16))))
    doc = (
        f"Returns 1 if the score of the last {program.name}_predict lies below a threshold, such as "
        f"{program.name}_THRESHOLD, else 0."
    )
    return program.signatures.function("is_anomaly", [i16], doc, body)


def _given(instance: SSAValue | None) -> list[SSAValue]:
    """The leading arguments of a call: the instance, if there is one."""
    return [] if instance is None else [instance]


def _emitted(
    program: ProgramBuilder,
    body: Block,
    operands: Sequence[SSAValue],
    compute: Callable[[Emitter, Sequence[SSAValue]], SSAValue],
    spellings: Spellings,
) -> SSAValue:
    """Emit a computation in a format's arithmetic at the end of a block of C, and return its value."""
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


TIME, FILL = 0, 1
"""The elements of the array with the position: the frames since the reset, and the samples in the current frame."""

_Convert = Callable[[Block, SSAValue], SSAValue]
"""A function that emits the raw of a sample at the end of a block of C."""


def _guarded(program: ProgramBuilder, build: ExpressionBuilder, raw: SSAValue) -> SSAValue:
    """A raw from the caller, clamped to the valid raws of the format if programs index tables by it."""
    if program.guarded is None or program.input_format is None:
        return raw
    info = np.iinfo(program.input_format.dtype)
    for operator, end, bound in zip("<>", program.guarded, (info.min, info.max), strict=True):
        if end != bound:
            limit = build.literal(end, program.input.element_type)
            raw = build.insert(c.ConditionalOp(build.insert(c.CompareOp(raw, operator, limit)), limit, raw))
    return raw


class _StreamFunctions:
    """A builder of the functions of a streaming program."""

    def __init__(self, program: ProgramBuilder) -> None:
        assert program.pushes is not None
        assert program.given is not None
        self.program, self.name, self.signatures = program, program.name, program.signatures
        self.given, self.pushes = program.given, program.pushes
        self.element = program.input.element_type
        self.symbol = f"{self.name}_{PLACE}" if self.signatures.instance is None else PLACE

    def functions(self, convert: _Convert | None) -> list[Operation]:
        """The functions and their memory. convert: real numbers to raws; None for no NAME_push_floats."""
        place = c.BufferOp(
            self.symbol, 2, i16, "The frames since the reset, and the samples in the frame that follows."
        )
        made: list[Operation] = [place, self._push("push", self.element, self._guard)]
        if convert is not None:
            made.append(self._push("push_floats", f32, convert))
        return [*made, self._ready(), self._predict(), self._reset()]

    def _begin(self, arguments: Mapping[str, Attribute]) -> tuple[Block, ExpressionBuilder]:
        body = self.signatures.body(arguments)
        return body, ExpressionBuilder(body)

    def _place(self, body: Block, build: ExpressionBuilder) -> SSAValue:
        return build.insert(c.SymbolOp(self.symbol, i16, RAM, self.signatures.instance_of(body)))

    def _load(self, body: Block, build: ExpressionBuilder, at: int) -> SSAValue:
        """A component of the position, as a variable."""
        number = build.insert(c.LoadOp(self._place(body, build), build.literal(at)))
        cast = build.insert(c.CastOp(number, IndexType()))
        return build.insert(c.VariableOp(IndexType(), cast), "time" if at == TIME else "fill")

    def _store(self, body: Block, build: ExpressionBuilder, at: int, value: SSAValue) -> None:
        number = build.insert(c.CastOp(value, i16))
        build.put(c.StoreOp(number, self._place(body, build), build.literal(at)))

    def _given_instance(self, body: Block) -> list[SSAValue]:
        instance = self.signatures.instance_of(body)
        return [] if instance is None else [instance]

    def _if(self, build: ExpressionBuilder, condition: SSAValue, write: Callable[[], None]) -> None:
        then = Block()
        with build.inside(then):
            write()
        build.put(c.IfOp(condition, Region(then), Region()))

    def _compare(self, build: ExpressionBuilder, variable: SSAValue, operator: str, number: int) -> SSAValue:
        return build.insert(c.CompareOp(build.insert(c.ReadOp(variable)), operator, build.literal(number)))

    def _add(self, build: ExpressionBuilder, variable: SSAValue, number: int) -> None:
        build.put(c.AssignOp(variable, build.binary(build.insert(c.ReadOp(variable)), "+", build.literal(number))))

    def _push(self, suffix: str, element: Attribute, convert: _Convert) -> c.FuncOp:
        """The function that accepts samples until an answer is due."""
        frame, hop, steps, _ = self.pushes
        body, build = self._begin({"samples": c.PointerType(element, CONST), "n": IndexType()})
        samples, count = self.signatures.arguments_of(body)
        time, fill = (self._load(body, build, at) for at in (TIME, FILL))
        taken = build.insert(c.VariableOp(IndexType(), build.literal(0)), "taken")
        instance = self.signatures.instance_of(body)
        view = c.ViewOp("arena", self.given.offset.value.data, frame, "", c.PointerType(self.element), instance)
        pointer = build.insert(view, "X")
        part, inner = Block(arg_types=[IndexType()]), Block(arg_types=[IndexType()])

        def read(variable: SSAValue) -> SSAValue:
            return build.insert(c.ReadOp(variable))

        def take() -> None:
            """Accept samples up to the end of the frame."""
            room = build.binary(build.literal(frame), "-", read(fill))
            some = build.insert(c.VariableOp(IndexType(), room), "some")
            left = build.binary(count, "-", read(taken))
            fewer = build.insert(c.CompareOp(left, "<", read(some)))

            def stop_at_the_last() -> None:
                build.put(c.AssignOp(some, build.binary(count, "-", read(taken))))

            self._if(build, fewer, stop_at_the_last)
            with build.inside(inner):
                sample = build.insert(c.LoadOp(samples, build.binary(read(taken), "+", inner.args[0])))
                to = build.binary(read(fill), "+", inner.args[0])

                def keep() -> None:
                    raw = convert(build.builder.insertion_point.block, sample)
                    build.put(c.StoreOp(raw, pointer, to))

                if hop > frame:
                    # Samples between frames are dropped.
                    self._if(build, build.insert(c.CompareOp(to, ">=", build.literal(0))), keep)
                else:
                    keep()
            build.put(c.ForOp(build.literal(0), read(some), 1, Region(inner)))
            for variable in (fill, taken):
                build.put(c.AssignOp(variable, build.binary(read(variable), "+", read(some))))
            self._if(build, self._compare(build, fill, "==", frame), step)

        def step() -> None:
            call = [*self._given_instance(body), build.insert(c.ReadOp(time))]
            build.put(c.InvokeOp(f"{self.name}_{STEP}", call))
            self._add(build, time, 1)
            if frame > hop:
                moved = Block(arg_types=[IndexType()])
                with build.inside(moved):
                    at = build.binary(moved.args[0], "+", build.literal(hop))
                    kept = build.insert(c.LoadOp(pointer, at))
                    build.put(c.StoreOp(kept, pointer, moved.args[0]))
                build.put(c.ForOp(build.literal(0), build.literal(frame - hop), 1, Region(moved)))
            build.put(c.AssignOp(fill, build.literal(frame - hop)))

        with build.inside(part):
            self._if(build, self._compare(build, time, "<", steps), take)
        # A part ends with a frame, and with every hop after it.
        build.put(c.ForOp(build.literal(-hop), count, hop, Region(part)))
        for at, variable in ((TIME, time), (FILL, fill)):
            self._store(body, build, at, build.insert(c.ReadOp(variable)))
        build.put(c.ReturnOp(build.insert(c.ReadOp(taken))))
        what = "real numbers" if element == f32 else "samples"
        doc = (
            f"Takes up to n {what} and runs the model on each frame as it gets complete. Returns how many it has "
            f"taken: n, or fewer if an answer is due, before which ({self.name}_predict) it takes no more."
        )
        return self.signatures.function(suffix, [IndexType()], doc, body)

    def _guard(self, body: Block, sample: SSAValue) -> SSAValue:
        return _guarded(self.program, ExpressionBuilder(body), sample)

    def _ready(self) -> c.FuncOp:
        body, build = self._begin({})
        time = self._load(body, build, TIME)
        ready = self._compare(build, time, "==", self.pushes.steps)
        build.put(c.ReturnOp(build.insert(c.CastOp(ready, i16))))
        doc = f"Returns 1 if {self.name}_predict has an answer, first after {self.pushes.steps} frames, else 0."
        return self.signatures.function("ready", [i16], doc, body)

    def _predict(self) -> c.FuncOp:
        """The function that computes the answer, after which the next window of frames begins."""
        body, build = self._begin({})
        time = self._load(body, build, TIME)
        labelled = self.program.label is not None
        label = build.insert(c.VariableOp(i16, build.literal(-1, i16)), "label") if labelled else None

        def answer() -> None:
            arguments = [*self._given_instance(body), build.insert(c.ReadOp(time))]
            name = f"{self.name}_{STEP}"
            if label is None:
                build.put(c.InvokeOp(name, arguments))
            else:
                build.put(c.AssignOp(label, build.insert(c.CallOp(name, arguments, i16))))
            self._store(body, build, TIME, build.literal(self.pushes.steps - self.pushes.stride))

        self._if(build, self._compare(build, time, "==", self.pushes.steps), answer)
        build.put(c.ReturnOp(None if label is None else build.insert(c.ReadOp(label))))
        result = "Returns the label, the index of the class; -1 if it is not ready." if labelled else ""
        doc = (
            f"Computes the answer, if it is due. The next one is due after {self.pushes.stride} frames more. {result}"
        ).strip()
        return self.signatures.function("predict", [i16] if labelled else [], doc, body)

    def _reset(self) -> c.FuncOp:
        body, build = self._begin({})
        for at in (TIME, FILL):
            self._store(body, build, at, build.literal(0))
        build.put(c.ReturnOp(None))
        doc = "Forgets all samples, as at the start of the program."
        if self.signatures.instance is not None:
            doc += " To be called once for each new instance."
        return self.signatures.function("reset", [], doc, body)
