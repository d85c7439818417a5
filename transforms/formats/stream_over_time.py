"""`stream-over-time`: turns a program over a whole sequence into a function that processes one time step (L1).

The state between steps becomes an argument and a result of the function. Examples are the hidden state of a recurrent
network, the rows that convolutions over time still need, and the running means of features. In the arena a state is a
buffer that shares no bytes with other buffers. The input of a call is one frame instead of all frames. If the calls are
made in order, the function computes the same bits as the whole program.

The caller counts the calls since the last reset in the argument `t`. For each t below the number of steps, call t
passes frame t of the input. One more call, without a frame, returns the answer. This last call runs the iterations that
need no more input, such as those past the end of an image, and the ops after the loops. States are initialised in call
0. Each part of the function that some calls omit, such as the initialisation, is a loop that runs at most one iteration
per call.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.targets.registry import HOST
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.schedules.table import TIME_LOOPS


@dataclass(frozen=True)
class StreamOverTimePass(ConditionalPass):
    """Replace the predict function by `(frame, t, states...) -> (outputs..., states...)`.

    Loops that read the input step by step or frame by frame run one iteration in each call. A loop that reads rows
    computed by one of these loops also runs one iteration in each call. Ops on an image whose rows follow each
    other in time run row by row if `tile-segment` supports them. All ops after these row-by-row ops run in the call
    after the last frame.

    axis: the time axis of the input, in the shape in which the program reads it; without an axis, programs without
        `pushed` (`receive-input{input=push}`) are unchanged.
    target: as for printing C; its kernels determine how many pixels of a row are computed at once.

    Raises `InputError` for an axis that does not exist, and for a program that needs all of its input at once.
    """

    name = "stream-over-time"
    axis: int | None = None
    target: str = HOST

    def obstacle(self, module: ModuleOp) -> str | None:
        pushed = self.axis is not None or tdsl.read_input(module).pushed is not None
        return None if pushed else "only if axis, or if the caller pushes the input"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.obstacle(op) is not None:
            return
        known = tdsl.read_input(op).pushed
        streams = imported(TIME_LOOPS)
        function = predict_function(op)
        time = streams.time_of(function, None if known is None else known.stride)
        if self.axis not in (None, time.axis):
            raise InputError(f"the program reads its input along axis {time.axis}, not along axis {self.axis}")
        step_function = imported("tinyml.transforms.schedules.streams.step_function:StepFunction")
        step_function(function, time.pushes, streams.time_loops(function, time, self.target)).build()
