"""Spellings in C of loops, branches and calls."""

from __future__ import annotations

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, i16
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import c, scratch
from tinyml.dialects.scratch import memref_type
from tinyml.lowering.c.function import FunctionLowering, Spellings, unsupported
from tinyml.lowering.c.pointer_walks import Inductions
from tinyml.transforms.bits.hint_loops import PIPELINE, UNROLL


def _call(at: FunctionLowering, op: func.CallOp) -> None:
    if len(op.results) > 1:
        raise unsupported(op, "must return one value or none")
    name = op.callee.string_value()
    at.program.use_function(name)
    if op.results:
        at.expression(op, c.CallOp(name, at.operands(op), op.results[0].type))
    else:
        at.build.put(c.InvokeOp(name, at.operands(op)))


def _for(at: FunctionLowering, op: scf.ForOp) -> None:
    step = const_evaluate_operand(op.step)
    if step is None or not isinstance(op.lb.type, IndexType):
        raise unsupported(op, "needs a constant step and index bounds to become a loop of C")
    body = op.body.block
    inductions = Inductions(op)
    walks = [(load, load.indices) for load in inductions.consecutive_loads()] + inductions.nested_walks()
    if any(PIPELINE in inner.attributes for inner in op.walk()):
        # High-level synthesis sees which memory an element is in by its index.
        walks = []
    for load, indices in walks:
        if load not in at.walking:
            shape = memref_type(load.memref).get_shape()
            first = [inductions.at_first(index, at.build, at.values.__getitem__) for index in indices]
            pointer = at.build.address(at.values[load.memref], at.build.linear(first, shape))
            at.walking[load] = at.variable(pointer.type, pointer, f"{_source_hint(load.memref)}_at")
    hints = [arg.name_hint or result.name_hint for arg, result in zip(body.args[1:], op.results, strict=True)]
    variables = [
        at.variable(init.type, init, hint)
        for init, hint in zip((at.values[arg] for arg in op.iter_args), hints, strict=True)
    ]
    block = Block(arg_types=[IndexType()])
    at.values[body.args[0]] = block.args[0]
    block.args[0].name_hint = body.args[0].name_hint

    def write() -> None:
        if PIPELINE in op.attributes:
            at.build.put(c.PragmaOp("HLS PIPELINE"))
        if isinstance(factor := op.attributes.get(UNROLL), IntegerAttr):
            at.build.put(c.PragmaOp(f"HLS UNROLL factor={factor.value.data}"))
        for arg, variable in zip(body.args[1:], variables, strict=True):
            at.values[arg] = at.read(variable)
        at.lower_block(body)
        at.assign_all(variables, body.last_op)

    region = at.nested(block, write)
    at.build.put(c.ForOp(at.values[op.lb], at.values[op.ub], step, region))
    for result, variable in zip(op.results, variables, strict=True):
        at.values[result] = at.read(variable)


def _source_hint(value: SSAValue) -> str:
    while value.name_hint is None and isinstance(op := value.owner, scratch.SliceOp):
        value = op.source
    return value.name_hint or "p"


def _if(at: FunctionLowering, op: scf.IfOp) -> None:
    variables = [at.variable(result.type, None, result.name_hint) for result in op.results]

    def branch(region: Region) -> Region:
        if not region.blocks:
            return Region()

        def write() -> None:
            at.lower_block(region.block)
            at.assign_all(variables, region.block.last_op)

        return at.nested(Block(), write)

    then, otherwise = branch(op.true_region), branch(op.false_region)
    at.build.put(c.IfOp(at.values[op.cond], then, otherwise))
    for result, variable in zip(op.results, variables, strict=True):
        at.values[result] = at.read(variable)


def _return(at: FunctionLowering, op: func.ReturnOp) -> None:
    label = at.program.interpret_results(op)
    at.build.put(c.ReturnOp(None if label is None else at.build.insert(c.CastOp(at.values[label], i16))))


def _nothing(at: FunctionLowering, op: Operation) -> None:
    """Terminators are lowered by the op around them, which knows the variables that they assign."""


CONTROL_FLOW: Spellings = {
    func.CallOp: _call,
    func.ReturnOp: _return,
    scf.ForOp: _for,
    scf.IfOp: _if,
    scf.YieldOp: _nothing,
}
