"""C functions of a program whose input is a buffer: NAME_input, NAME_run, NAME_set and NAME_predict_floats."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import IndexType, f32, i16
from xdsl.ir import Block, Operation, Region, SSAValue

from tinyml.dialects import c, tdsl
from tinyml.dialects.c.declarations import RESULT
from tinyml.dialects.c.types import CONST, RAM
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.emitter import Emitter
from tinyml.lowering.c.conversions import emitted, guarded
from tinyml.lowering.c.function import ExpressionBuilder, Spellings
from tinyml.lowering.c.program import ProgramBuilder
from tinyml.lowering.c.signatures import PART_SET
from tinyml.transforms.ir.real_numbers import from_real, present, rounding_note


class InputBuffer:
    """The input buffer of a program, which is in the arena or in a separate array."""

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
        functions: list[Operation] = []
        if self.program.given is None:
            doc = f"The input of {self.name}_run."
            functions.append(c.BufferOp(self.symbol, self.length, self.element, doc))
            functions.append(self._input())
        functions.append(self._run())
        format = self.program.input_format
        if format is None or self.program.is_packed:
            return functions
        if own := self.program.own_formats:
            functions += [self._set_input(part, its, spellings) for part, its in own]
            functions.append(self._set_by_input([part for part, _ in own]))
        else:
            functions.append(self._set(format, spellings))
            functions += [self._set_by_all(part) for part in self.program.interface.input.input_parts]
        return [*functions, self._predict_floats(format, spellings)]

    def _pointer(self, build: ExpressionBuilder, instance: SSAValue | None) -> SSAValue:
        if (buffer := self.program.given) is not None:
            pointer = c.PointerType(self.element)
            view = c.ViewOp("arena", buffer.offset.value.data, self.length, "", pointer, instance)
            return build.insert(view, "X")
        return build.insert(c.SymbolOp(self.symbol, self.element, RAM, instance))

    def _input(self) -> c.FuncOp:
        body = self.signatures.body({})
        build = ExpressionBuilder(body)
        build.put(c.ReturnOp(self._pointer(build, self.signatures.instance_of(body))))
        doc = f"A buffer for the input, whose elements are those of {self.name}_predict's argument."
        count = {RESULT: self.length}
        return self.signatures.function("input", [c.PointerType(self.element)], doc, body, elements=count)

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
        self._predict(build, body)
        return self.signatures.function("run", self.label, doc, body)

    def _set(self, format: NumberFormat, spellings: Spellings) -> c.FuncOp:
        body, build, index, real = self._setter()
        pointer = self._pointer(build, self.signatures.instance_of(body))
        build.put(c.StoreOp(self._raw(body, index, real, format, spellings), pointer, index))
        build.put(c.ReturnOp(None))
        filled = self.program.interface.input.fills is not None
        note = rounding_note(format) + (" NaN, a missing value, counts as the number for it." if filled else "")
        doc = f"Sets element i of {self.name}_input() from a real number. {note}"
        return self.signatures.function("set", [], doc, body)

    def _set_by_all(self, part: tdsl.InputPart) -> c.FuncOp:
        body, build, index, real = self._setter()
        whole = build.binary(index, "+", build.literal(part.start))
        build.put(c.InvokeOp(f"{self.name}_set", [*self.signatures.instances_of(body), whole, real]))
        build.put(c.ReturnOp(None))
        doc = f"Sets element i of the input {part.name} from a real number, as {self.name}_set does."
        return self.signatures.function(f"{PART_SET}_{part.name}", [], doc, body)

    def _set_input(self, part: tdsl.InputPart, format: NumberFormat, spellings: Spellings) -> c.FuncOp:
        body, build, index, real = self._setter()
        pointer = self._pointer(build, self.signatures.instance_of(body))
        raw = self._raw(body, index, real, format, spellings)
        build.put(c.StoreOp(raw, pointer, build.binary(index, "+", build.literal(part.start))))
        build.put(c.ReturnOp(None))
        doc = f"Sets element i of the input {part.name} from a real number. {rounding_note(format)}"
        return self.signatures.function(f"{PART_SET}_{part.name}", [], doc, body)

    def _set_by_input(self, parts: Sequence[tdsl.InputPart]) -> c.FuncOp:
        body, build, index, real = self._setter()
        instances, blocks = self.signatures.instances_of(body), [body]
        for part in parts:
            here = ExpressionBuilder(blocks[-1])
            if part is not parts[-1]:
                then, otherwise = Block(), Block()
                within = here.insert(c.CompareOp(index, "<", here.literal(part.start + part.length)))
                here.put(c.IfOp(within, Region(then), Region(otherwise)))
                blocks.append(otherwise)
                here = ExpressionBuilder(then)
            arguments = [*instances, here.binary(index, "-", here.literal(part.start)), real]
            here.put(c.InvokeOp(f"{self.name}_{PART_SET}_{part.name}", arguments))
        build.put(c.ReturnOp(None))
        doc = f"Sets element i of {self.name}_input() from a real number, as the function of its input does."
        return self.signatures.function("set", [], doc, body)

    def _setter(self) -> tuple[Block, ExpressionBuilder, SSAValue, SSAValue]:
        body = self.signatures.body({"i": IndexType(), "value": f32})
        index, real = self.signatures.arguments_of(body)
        return body, ExpressionBuilder(body), index, real

    def _raw(
        self, body: Block, index: SSAValue, real: SSAValue, format: NumberFormat, spellings: Spellings
    ) -> SSAValue:
        encoding, fills = self.program.encoding, self.program.interface.input.fills
        if fills is not None:
            table = np.array(fills, np.float32)
            real = emitted(self.program, body, [index, real], lambda m, v: present(m, v[1], v[0], table), spellings)

        def encode(m: Emitter, values: Sequence[SSAValue]) -> SSAValue:
            if encoding is None:
                return from_real(m, values[1], format)
            return m.settle(encoding.raw(m, values[1], values[0]), 8 * format.dtype.itemsize)

        if self.program.features is not None and encoding is None:
            call = c.CallOp(f"{self.name}_feature_number", [index, real], f32)
            real = ExpressionBuilder(body).insert(call)
        return emitted(self.program, body, [index, real], encode, spellings)

    def _predict_floats(self, format: NumberFormat, spellings: Spellings) -> c.FuncOp:
        body = self.signatures.body({"X": c.PointerType(f32, CONST)})
        [reals] = self.signatures.arguments_of(body)
        build, instance = ExpressionBuilder(body), self.signatures.instance_of(body)
        given_as_they_are = self.program.features is None and self.program.interface.input.fills is None
        if self.takes_array and self.element == f32 and given_as_they_are:
            self._call(build, body, "predict", [reals])
            doc = f"Runs the model on {self.length} real numbers, as {self.name}_predict does."
            return self.signatures.function("predict_floats", self.label, doc, body, elements={"X": self.length})
        pointer, read = self._pointer(build, instance), self.program.interface.input.read
        own = [(range(self.length)[part.elements], its) for part, its in self.program.own_formats]
        for elements, its in own or [(range(self.length), format)]:
            entries = None if read is None else [element for element in read if element in elements]
            if entries == []:
                continue
            inner = Block(arg_types=[IndexType()])
            with build.inside(inner):
                index = inner.args[0] if entries is None else self._entry(inner, entries, spellings)
                real = build.insert(c.LoadOp(reals, index))
                build.put(c.StoreOp(self._raw(inner, index, real, its, spellings), pointer, index))
            low, high = (elements.start, elements.stop) if entries is None else (0, len(entries))
            build.put(c.ForOp(build.literal(low), build.literal(high), 1, Region(inner)))
        # NAME_set stores valid raws alone, which need no guard.
        if self.program.guarded is None:
            self._call(build, body, "run", [])
        else:
            self._predict(build, body)
        those = "all elements" if read is None else f"the {len(read)} elements that the model reads"
        doc = f"Sets {those} from {self.length} real numbers, and runs the model on them."
        return self.signatures.function("predict_floats", self.label, doc, body, elements={"X": self.length})

    def _entry(self, inner: Block, read: Sequence[int], spellings: Spellings) -> SSAValue:
        """Emit a lookup in the table `read`, and return the entry as an index. `read` contains the indices of the input
        elements that the program reads. The argument of `inner`, the body of a loop, selects the entry.
        """
        table = np.array(read, np.int8 if max(read) < 128 else np.int16 if max(read) < 1 << 15 else np.int32)

        def entry(m: Emitter, values: Sequence[SSAValue]) -> SSAValue:
            return m.lookup("read_features", table, values[0])

        entry_value = emitted(self.program, inner, [inner.args[0]], entry, spellings)
        return ExpressionBuilder(inner).insert(c.CastOp(entry_value, IndexType()))

    def _predict(self, build: ExpressionBuilder, body: Block) -> None:
        arguments = [self._pointer(build, self.signatures.instance_of(body))] if self.takes_array else []
        self._call(build, body, "predict", arguments)

    def _call(self, build: ExpressionBuilder, body: Block, function: str, arguments: Sequence[SSAValue]) -> None:
        arguments = [*self.signatures.instances_of(body), *arguments]
        if self.label:
            result = build.insert(c.CallOp(f"{self.name}_{function}", arguments, i16))
            build.put(c.ReturnOp(result))
        else:
            build.put(c.InvokeOp(f"{self.name}_{function}", arguments))
            build.put(c.ReturnOp(None))
