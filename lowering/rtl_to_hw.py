"""`lower-rtl-to-hw`: turns a scheduled program into a hardware module (`hw`, `comb`, `seq` and `rtl.ram`).

The module has the ports `clock` and `reset`. `start` begins an inference while `busy` is low. `in_valid`, `in_data` and
`in_ready` transfer the elements of the input, at most one per cycle. `out_valid`, `out_data` and `out_ready` transfer
the elements of the outputs. `done` is high from the end of an inference to the next start. `label` exists if the
program returns a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import func, hw, seq
from xdsl.dialects.builtin import ArrayAttr, IntegerType, ModuleOp, StringAttr, i1
from xdsl.ir import Block, Region, SSAValue, TypeAttribute
from xdsl.passes import ModulePass

from tinyml.dialects import rtl
from tinyml.dialects.errors import InputError
from tinyml.dialects.locations import error_at
from tinyml.dialects.operations import width_of
from tinyml.dialects.rewriting import Rewriter, inherit_location
from tinyml.lowering.hw.circuit import Circuit
from tinyml.lowering.hw.control import Control
from tinyml.lowering.hw.memories import ElementStreams, Memories
from tinyml.targets.verilog.fabric import fabric_around
from tinyml.transforms.ir.intervals import intervals
from tinyml.transforms.ir.levels import HARDWARE
from tinyml.transforms.rtl.scheduling.operators import Operators
from tinyml.transforms.rtl.scheduling.regions import check_schedule


@dataclass(frozen=True)
class LowerRtlToHwPass(ModulePass):
    """Replace the only function of a module, which `schedule-cycles` has scheduled, by an `hw.module` of the same name.

    Raises `InputError` for other modules, for a program without a schedule, and for ops without a hardware
    implementation.
    """

    name = "lower-rtl-to-hw"
    takes = HARDWARE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = list(op.ops)
        if len(functions) != 1 or not isinstance(function := functions[0], func.FuncOp):
            raise InputError("lower-rtl-to-hw: expected one function")
        if function.function_type.inputs.data:
            raise error_at(function, "lower-rtl-to-hw: a program receives its input, expected no arguments")
        check_schedule(function)
        lowered = _lowered(function)
        Rewriter.erase_op(function, safe_erase=False)
        op.body.block.add_op(lowered)


def _width(values: list[SSAValue]) -> IntegerType:
    return IntegerType(max((width_of(value) for value in values), default=1))


def _lowered(function: func.FuncOp) -> hw.HWModuleOp:
    body = function.body.block
    end = body.last_op
    assert isinstance(end, func.ReturnOp)
    if len(end.operands) > 1:
        raise InputError("lower-rtl-to-hw: a program has one label at most")
    operators = Operators(fabric_around(function).delays, intervals(function))
    incoming = _width([op.result for op in function.walk() if isinstance(op, rtl.ReceiveOp)])
    outgoing = _width([op.value for op in function.walk() if isinstance(op, rtl.SendOp)])
    inputs: list[tuple[str, TypeAttribute]] = [
        ("clock", seq.ClockType()),
        *((name, cast("TypeAttribute", i1)) for name in ("reset", "start", "in_valid", "out_ready")),
        ("in_data", cast("TypeAttribute", incoming)),
    ]
    block = Block(arg_types=[type for _, type in inputs])
    for argument, (name, _) in zip(block.args, inputs, strict=True):
        argument.name_hint = name
    clock, reset, start, in_valid, out_ready, in_data = block.args
    c = Circuit(block, clock, reset, function.location)
    memories, streams = Memories(c), ElementStreams(c, in_data)
    for op in function.walk():
        if isinstance(op, rtl.MemoryOp):
            memories.allocate(op)
    control = Control(c, operators, memories, streams)
    busy, done = (c.register(1, name, resets=True) for name in ("busy", "done"))
    enter = c.both(start, c.negate(busy.op.data))
    left = control.block(body, enter)
    for flag, at_start in ((busy, 1), (done, 0)):
        flag.takes += [(left.signal, c.constant(1 - at_start, 1)), (enter, c.constant(at_start, 1))]
    outputs: list[tuple[str, SSAValue]] = []
    for label in end.operands:
        register = c.register(operators.width(label), "label")
        register.takes.append((left.signal, control.values.read(label, left.timeline, left.cycle)))
        outputs.append(("label", register.op.data))
    receiving, sending = c.any(streams.received), c.any([when for when, _ in streams.sent])
    sent = c.any([c.negate(sending), out_ready])
    in_ready = c.both(receiving, sent)
    out_valid = c.both(sending, c.any([c.negate(receiving), in_valid]))
    advance = c.both(c.any([c.negate(receiving), in_valid]), sent)
    outputs += [
        ("busy", busy.op.data),
        ("done", done.op.data),
        ("in_ready", in_ready),
        ("out_valid", out_valid),
        ("out_data", streams.outgoing(outgoing)),
    ]
    memories.close(advance)
    c.close(advance)
    block.add_op(hw.OutputOp([value for _, value in outputs]))
    ports = [_port(name, type, hw.Direction.INPUT) for name, type in inputs]
    ports += [_port(name, cast("TypeAttribute", value.type), hw.Direction.OUTPUT) for name, value in outputs]
    lowered = hw.HWModuleOp(function.sym_name, hw.ModuleType(ArrayAttr(ports)), Region(block))
    inherit_location(function.location, lowered)
    return lowered


def _port(name: str, type: Any, direction: hw.Direction) -> hw.ModulePort:
    return hw.ModulePort(StringAttr(name), type, hw.DirectionAttr(direction))
