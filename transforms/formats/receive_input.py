"""`receive-input`: receives an image row by row or a sequence step by step, without storing the whole input (L1).

The readers of an image read a copy of the image instead (`tdsl.receive`). In a streamed segment, the copy is a ring
that stores only some rows. Otherwise the whole copy is received before the first op. If a loop reads a sequence one
step at a time, each step is received where the loop reads it. An input that the caller pushes is only marked, for
`stream-over-time`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.extensions import imported
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.tdsl.base import spell
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.targets.chip import CALLBACK, INPUTS, MEMORY, PUSH, SERIAL
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.schedules.table import TIME_LOOPS

if TYPE_CHECKING:
    from tinyml.transforms.schedules.streams.time_loops import SequenceLoop

COUNT_LIMIT = (1 << 16) - 1
"""Limit on rows and on elements per row, which the program counts in 16 bits."""


@dataclass(frozen=True)
class ReceiveInputPass(ConditionalPass):
    """Set `received` of the input's interface, and insert a `tdsl.receive` of the whole image or of each step of a
    sequence.

    input: `memory` changes nothing. `serial` and `callback` produce the same program. `push` only sets `pushed`.
    stride: the number of frames between answers of a stream; by default the windows of answers are adjacent.

    Raises `InputError` for an unknown value of `input`, and for a `stride` without `push`. It is also raised for an
    input that is neither a single image nor a sequence, that is too large, or that is in the arena (`reuse-input`).
    """

    name = "receive-input"
    input: str = MEMORY
    stride: int | None = None

    def obstacle(self, module: ModuleOp) -> str | None:
        if self.input == MEMORY:
            return f"only if input={SERIAL}, {CALLBACK} or {PUSH}"
        known = tdsl.read_input(module)
        marked = known.received is not None or known.pushed is not None
        return "the interface already states how the input arrives" if marked else None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.input not in INPUTS:
            raise unknown("input", self.input, INPUTS)
        if self.stride is not None and self.input != PUSH:
            raise InputError(f"--stride is for programs that stream, with --input {PUSH}")
        function = predict_function(op)
        known = tdsl.read_input(function)
        if self.input == MEMORY or known.received is not None or known.pushed is not None:
            return
        streams = imported(TIME_LOOPS)
        if known.reused:
            raise InputError(f"an input from {self.input} arrives row by row: --reuse-input is for one in memory")
        if self.input == PUSH:
            tdsl.update_input(function, pushed=streams.time_of(function, self.stride).pushes)
            return
        argument = function.body.block.args[0]
        image = streams.sequence_of(argument)
        shape, steps = tdsl.shape_of(image), streams.steps_of(image)
        if steps is None and not streams.is_image(shape):
            raise InputError(
                f"an input from {self.input} is an image 1xHxWxC, or a sequence that one loop reads step by step, "
                f"got {spell(shape)}"
            )
        rows, length = (shape[0], prod(shape[1:])) if steps else (shape[1], prod(shape[2:]))
        if max(rows, length) > COUNT_LIMIT:
            most = f"at most {COUNT_LIMIT} rows, and as many elements in each"
            raise InputError(f"an input from {self.input} has {most}, got {spell(shape)}")
        tdsl.update_input(function, received=length)
        if steps is not None:
            _receive_steps(image, steps, length)
        else:
            streams.receive_image(image, argument.name_hint)


def _receive_steps(sequence: SSAValue, steps: SequenceLoop, length: int) -> None:
    image = tdsl.ReshapeOp(sequence, (1, steps.pushes.steps, 1, length))
    Rewriter.insert_op(image, imported(TIME_LOOPS).behind(sequence))
    received = tdsl.ReceiveOp(image.out, steps.loop.body.block.args[0], 1)
    received.out.name_hint = steps.read.out.name_hint
    read = tdsl.ReshapeOp(received.out, tdsl.shape_of(steps.read.out))
    Rewriter.replace_op(steps.read, [received, read])
