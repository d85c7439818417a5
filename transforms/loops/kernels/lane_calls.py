"""Calls of vector code, which replace nests whose iterations can be computed as lanes (`vectorise-loops`)."""

from __future__ import annotations

from contextlib import suppress
from typing import cast

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.traits import SymbolTable

from tinyml.dialects import num, scratch
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.dialects.remarks import Statistic, missed, passed
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.registry import offers
from tinyml.transforms.ir.index_maps import expand_nest
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder, function_around, local_array
from tinyml.transforms.loops.kernels.lane_recorder import NotInLanes
from tinyml.transforms.loops.kernels.lane_runs import LaneNest, Nest, Run, lane_nest
from tinyml.transforms.loops.kernels.tiles import code_of, size_of, usual_tile

VECTORISED = Statistic("num-vectorised", "Number of nests that became code for vectors")


def vectorise(function: func.FuncOp, target: str) -> None:
    """Replace nests by calls of vector code, wherever the target has such code and it is faster than loops."""
    for nest in [each for each in function.walk() if isinstance(each, Nest)]:
        if isinstance(nest, num.ContractOp) and (nest.tile or usual_tile(nest, target)) is not None:
            continue
        # The reductions of a nest are part of it.
        if function.is_ancestor(nest) and not isinstance(nest.parent_op(), num.ClosedNestOp | num.ReduceOp):
            try:
                _replace(lane_nest(nest), target)
            except NotInLanes as error:
                inside = [each for each in nest.walk() if isinstance(each, Nest) and each is not nest]
                if not inside:
                    missed(nest, f"stays a loop: {error}")
                elif isinstance(nest, num.NestOp):
                    _reduce_inside(nest, target)


def _reduce_inside(nest: num.NestOp, target: str) -> None:
    found: list[LaneNest] = []
    for reduction in [op for op in nest.body.block.ops if isinstance(op, num.ReduceOp)]:
        with suppress(NotInLanes):
            found.append(lane_nest(reduction))
    if any([_replace(one, target) for one in found]):
        expand_nest(nest)


def _replace(found: LaneNest, target: str) -> bool:
    """Replace a nest by calls of vector code. Return whether this was done; without such code, or if it is not
    faster, nothing is changed.
    """
    kernel = next((offer.kernel for offer in offers(target, found.program)), None)
    if kernel is None or kernel.composed is None:
        missed(found.nest, "stays a loop: the target has no code for vectors that computes its ops")
        return False
    if (cost := kernel.composed.costs[""]) >= (work := found.program.work):
        missed(found.nest, f"stays a loop: code for vectors takes {cost:.0f}, plain code about {work:.0f}")
        return False
    passed(found.nest, f"becomes code for vectors, which takes {cost:.0f}, plain code about {work:.0f}")
    VECTORISED.add(found.nest)
    builder, singles = LoopBuilder(found.nest), dict[int, SSAValue]()
    for number, run in enumerate(found.runs):
        made = run.root.owner
        if not isinstance(run.root.type, MemRefType):
            singles[number] = _single(found, run, builder)
        elif isinstance(made, Operation) and (made.parent is None or found.nest.is_ancestor(made)):
            if made.parent is not None:
                made.detach()
            builder.put(made)
    routine = num.CodedLoopAttr.named(_define(found.function, found.nest), size_of(kernel))

    def call(numbers: Indices) -> None:
        known = dict(zip(found.outer, numbers, strict=True))
        operands = list[SSAValue]()
        for number, (run, reach) in enumerate(zip(found.runs, found.program.reach, strict=True)):
            if number in singles:
                operands.append(singles[number])
                continue
            start = builder.index(run.start.constant)
            for variable, factor in run.start.factors.items():
                start = builder.add(start, builder.times(known.get(variable, variable), factor))
            operands.append(builder.insert(scratch.SliceOp(run.root, start, (reach,))))
        builder.put(num.CallOp(routine, [operands[-1], *operands[:-1]], code_of(kernel)))

    builder.over([*found.outer.values()], call)
    if found.program.join is not None:
        result, to = builder.load(singles[len(found.runs) - 1], [builder.index(0)]), found.runs[-1].root
        if isinstance(to.type, IndexType):
            result = builder.insert(arith.IndexCastOp(result, to.type))
        to.replace_all_uses_with(result)
    Rewriter.erase_op(found.nest)
    return True


def _single(found: LaneNest, run: Run, builder: LoopBuilder) -> SSAValue:
    type = i32 if run.root.type == IndexType() else run.root.type
    array = local_array(function_around(found.nest), type, 1, run.root.name_hint or "single")
    if run is not found.runs[-1]:
        builder.store(run.root, array, [builder.index(0)])
    return array


def _define(function: num.LaneFunctionOp, user: Operation) -> str:
    module = user
    while not isinstance(module, ModuleOp):
        module = cast(Operation, module.parent_op())
    name, block = function.sym_name.data, module.body.block
    if SymbolTable.lookup_symbol(module, name) is None:
        called = [op.callee.root_reference.data for op in function.body.walk() if isinstance(op, func.CallOp)]
        for runtime in dict.fromkeys(called):
            if SymbolTable.lookup_symbol(module, runtime) is None:
                known = RUNTIME_FUNCTIONS[runtime]
                block.add_op(func.FuncOp.external(runtime, known.arguments, [known.result]))
        block.add_op(function)
    return name
