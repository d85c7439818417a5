"""C functions of a streaming program: NAME_push, NAME_push_floats, NAME_ready, NAME_predict and NAME_reset.

The functions count complete frames and the samples of the incomplete frame. They call the function that computes one
time step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import IndexType, f32, i16
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tinyml.dialects import c
from tinyml.dialects.c.types import CONST, RAM
from tinyml.lowering.c.conversions import guarded
from tinyml.lowering.c.function import ExpressionBuilder
from tinyml.lowering.c.program import ProgramBuilder
from tinyml.lowering.c.signatures import PLACE, STEP

TIME, FILL = 0, 1
"""The elements of the array with the position: the frames since the reset, and the samples of the next frame."""

_Convert = Callable[[Block, SSAValue], SSAValue]
"""A function that emits the raw of a sample at the end of a block of C."""


class StreamFunctions:
    """A builder of the functions and the state of a streaming program."""

    def __init__(self, program: ProgramBuilder) -> None:
        assert program.pushes is not None
        assert program.given is not None
        self.program, self.name, self.signatures = program, program.name, program.signatures
        self.given, self.pushes = program.given, program.pushes
        self.element = program.input.element_type
        self.symbol = f"{self.name}_{PLACE}" if self.signatures.instance is None else PLACE

    def functions(self, convert: _Convert | None) -> list[Operation]:
        """The functions of a streaming program, and the variables that these functions use.

        convert: converts real numbers to raws; None omits NAME_push_floats.
        """
        place = c.BufferOp(
            self.symbol, 2, i16, "The frames since the reset, and the samples in the frame that follows."
        )
        functions: list[Operation] = [place, self._push("push", self.element, self._guard)]
        if convert is not None:
            functions.append(self._push("push_floats", f32, convert))
        return [*functions, self._ready(), self._predict(), self._reset()]

    def _begin(self, arguments: Mapping[str, Attribute]) -> tuple[Block, ExpressionBuilder]:
        body = self.signatures.body(arguments)
        return body, ExpressionBuilder(body)

    def _place(self, body: Block, build: ExpressionBuilder) -> SSAValue:
        return build.insert(c.SymbolOp(self.symbol, i16, RAM, self.signatures.instance_of(body)))

    def _load(self, body: Block, build: ExpressionBuilder, at: int) -> SSAValue:
        number = build.insert(c.LoadOp(self._place(body, build), build.literal(at)))
        cast = build.insert(c.CastOp(number, IndexType()))
        return build.insert(c.VariableOp(IndexType(), cast), "time" if at == TIME else "fill")

    def _store(self, body: Block, build: ExpressionBuilder, at: int, value: SSAValue) -> None:
        number = build.insert(c.CastOp(value, i16))
        build.put(c.StoreOp(number, self._place(body, build), build.literal(at)))

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
        frame, hop, steps, _ = self.pushes
        body, build = self._begin({"samples": c.PointerType(element, CONST), "n": IndexType()})
        samples, count = self.signatures.arguments_of(body)
        time, fill = (self._load(body, build, at) for at in (TIME, FILL))
        read_count = build.insert(c.VariableOp(IndexType(), build.literal(0)), "taken")
        instance = self.signatures.instance_of(body)
        view = c.ViewOp("arena", self.given.offset.value.data, frame, "", c.PointerType(self.element), instance)
        pointer = build.insert(view, "X")
        part, inner = Block(arg_types=[IndexType()]), Block(arg_types=[IndexType()])

        def read(variable: SSAValue) -> SSAValue:
            return build.insert(c.ReadOp(variable))

        def take() -> None:
            room = build.binary(build.literal(frame), "-", read(fill))
            some = build.insert(c.VariableOp(IndexType(), room), "some")
            left = build.binary(count, "-", read(read_count))
            fewer = build.insert(c.CompareOp(left, "<", read(some)))

            def stop_at_the_last() -> None:
                build.put(c.AssignOp(some, build.binary(count, "-", read(read_count))))

            self._if(build, fewer, stop_at_the_last)
            with build.inside(inner):
                sample = build.insert(c.LoadOp(samples, build.binary(read(read_count), "+", inner.args[0])))
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
            for variable in (fill, read_count):
                build.put(c.AssignOp(variable, build.binary(read(variable), "+", read(some))))
            self._if(build, self._compare(build, fill, "==", frame), step)

        def step() -> None:
            call = [*self.signatures.instances_of(body), build.insert(c.ReadOp(time))]
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
        build.put(c.ReturnOp(build.insert(c.ReadOp(read_count))))
        what = "real numbers" if element == f32 else "samples"
        doc = (
            f"Takes up to n {what} and runs the model on each frame as it gets complete. Returns how many it has "
            f"taken: n, or fewer if an answer is due, before which ({self.name}_predict) it takes no more."
        )
        return self.signatures.function(suffix, [IndexType()], doc, body, elements={"samples": "n"})

    def _guard(self, body: Block, sample: SSAValue) -> SSAValue:
        return guarded(self.program, ExpressionBuilder(body), sample)

    def _ready(self) -> c.FuncOp:
        body, build = self._begin({})
        time = self._load(body, build, TIME)
        ready = self._compare(build, time, "==", self.pushes.steps)
        build.put(c.ReturnOp(build.insert(c.CastOp(ready, i16))))
        doc = f"Returns 1 if {self.name}_predict has an answer, first after {self.pushes.steps} frames, else 0."
        return self.signatures.function("ready", [i16], doc, body)

    def _predict(self) -> c.FuncOp:
        body, build = self._begin({})
        time = self._load(body, build, TIME)
        labelled = self.program.label is not None
        label = build.insert(c.VariableOp(i16, build.literal(-1, i16)), "label") if labelled else None

        def answer() -> None:
            arguments = [*self.signatures.instances_of(body), build.insert(c.ReadOp(time))]
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
