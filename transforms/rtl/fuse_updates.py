"""`fuse-updates`: a loop that updates what the loop before it has just stored becomes part of that.

The activation behind the sums of a pixel, for example, which is then neither stored nor loaded. `fuse-loops` does the
same at L3 for loops without loops in them.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import rtl
from tinyml.transforms.ir.indices import counts_from_zero, trips_of
from tinyml.transforms.ir.intervals import intervals
from tinyml.transforms.rtl.scheduling.dependences import are_apart, terms
from tinyml.transforms.rtl.scheduling.regions import is_pure


@dataclass(frozen=True)
class FuseUpdatesPass(ModulePass):
    """Fuse loops whose iterations load the element that the loop before them stores, and store it again."""

    name = "fuse-updates"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                for second in [each for each in function.walk() if isinstance(each, scf.ForOp)]:
                    first = second.prev_op
                    while first is not None and is_pure(first):
                        first = first.prev_op
                    if isinstance(first, scf.ForOp):
                        _fuse(function, first, second)


def _fuse(function: func.FuncOp, first: scf.ForOp, second: scf.ForOp) -> None:
    """Fuse two loops if the second only updates what the first stores."""
    if not all(counts_from_zero(loop) and not loop.iter_args for loop in (first, second)):
        return
    if trips_of(first) != trips_of(second) or (update := _update(second)) is None:
        return
    load, after = update
    stores = [op for op in first.body.block.ops if isinstance(op, rtl.StoreOp) and op.memory is load.memory]
    if len(stores) != 1 or (store := stores[0]).condition is not None or store.value.type != load.result.type:
        return
    if _element(store, first) != _element(load, second) or first.body.block.args[0] not in terms(store.address):
        return
    others = [op for op in first.walk() if isinstance(op, rtl.LoadOp | rtl.StoreOp) and op.memory is load.memory]
    known = intervals(function)
    if not all(other is store or are_apart(other, store, known) for other in others):
        return
    new: dict[SSAValue, SSAValue] = {second.body.block.args[0]: first.body.block.args[0], load.result: store.value}
    for op in second.body.block.ops:
        if is_pure(op):
            Rewriter.insert_op(copy := op.clone(new), InsertPoint.before(store))
            new |= zip(op.results, copy.results, strict=True)
    store.operands[0] = new.get(after.value, after.value)
    Rewriter.erase_op(second)


def _update(loop: scf.ForOp) -> tuple[rtl.LoadOp, rtl.StoreOp] | None:
    """The only load and store of a loop that loads an element and stores it again; None for another loop."""
    match [op for op in loop.body.block.ops if not is_pure(op)]:
        case [rtl.LoadOp() as load, rtl.StoreOp() as store, scf.YieldOp()] if (
            store.condition is None
            and store.memory is load.memory
            and store.value.type == load.result.type
            and terms(load.address) == terms(store.address)
        ):
            return load, store
        case _:
            return None


def _element(op: rtl.LoadOp | rtl.StoreOp, loop: scf.ForOp) -> dict[SSAValue | str | None, int]:
    """The address of an access, with the loop's counter under a name of its own."""
    counter = loop.body.block.args[0]
    return {"counter" if value is counter else value: factor for value, factor in terms(op.address).items() if factor}
