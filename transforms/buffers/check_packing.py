"""`check-packing`: proves that no view of an arena overwrites data that is still needed (L2).

The proof is independent of the packers. It shares with them only the code that computes the loads and stores of single
ops (`overlap/op_steps.py`). It uses data flow analysis instead of live ranges. A backward analysis finds the buffers
whose content is read before it is overwritten. A forward analysis finds the buffers that may have been written at all.

An op may write to a byte only if no other buffer at that address has content that is read later. The op itself may read
a buffer at that address only if it reads each element before it overwrites the element's bytes. If a loop is the last
reader of an operand and overwrites the operand, the check executes the loop on addresses only. The last read of every
byte must then precede the first write to the byte.

A separate algorithm, the judge, checks the lower bound on the size of the arena. It solves the packing problem again,
with the recorded live ranges and distances.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator, MemoryEffectKind, get_effects

from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.packed_bits import group_bytes, group_length, touched_bytes
from tinyml.dialects.locations import error_at
from tinyml.dialects.scratch import (
    AllocOp,
    ArenaOp,
    MoveOp,
    ReuseOp,
    SliceOp,
    ViewOp,
    element_bytes,
    memref_type,
    packed_bits,
    unit_bytes,
)
from tinyml.dialects.tdsl import TensorOp
from tinyml.transforms.buffers.overlap.byte_times import overwrites, reads_precede_writes, rewrites_before_reading
from tinyml.transforms.buffers.overlap.recorded_problem import recorded_problem
from tinyml.transforms.buffers.packing.bound_checks import BOUND_CHECKS, Verdict, other_check
from tinyml.transforms.buffers.packing.rectangles import JUDGES, NO_JUDGE, OTHER_JUDGE
from tinyml.transforms.ir.conditional_pass import ConditionalPass

Views = frozenset[SSAValue]
"""Results of `scratch.view`, and arguments of the function, which are the caller's memory.

The view of an input has a value from the start, like the arguments.
"""


@dataclass(frozen=True)
class CheckPackingPass(ConditionalPass):
    """Verify the packing of functions on L2 without changing the program. Raise `InputError` if a packing is wrong.

    Every buffer must be a view of a `scratch.arena`, lie inside the arena and be aligned for its elements. The size
    of the arena must equal the highest end of a buffer. No op may destroy a value that is read later. The pass must
    run before ops are lowered to loops, because only an op on a whole buffer shows that it overwrites all of the
    old content.

    judge: the algorithm that proves the lower bound of the arena again, or `none`. Algorithm X (`exact-cover`) and
        `branch-and-bound` search for a packing of fewer bytes. If there is none, the pass records the name of the
        judge on the arena (`checked`). If the judge finds a smaller packing, the pass raises an error. Algorithm X
        accepts only problems with a small matrix and without moving buffers. If the named algorithm already proved
        the bound during packing, the other algorithm is the judge. `other` selects the algorithm that did not prove
        the bound, and no judge if the peak of live bytes proves the bound.
    align: the alignment option of `pack-scratch`.
    """

    name = "check-packing"
    judge: str = NO_JUDGE
    align: int = 1

    def obstacle(self, module: ModuleOp) -> str | None:
        return "only verifies the places of buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.judge not in (NO_JUDGE, OTHER_JUDGE, *JUDGES):
            raise unknown("judge", self.judge, [NO_JUDGE, OTHER_JUDGE, *JUDGES])
        for function in defined_functions(op):
            _check_views(function)
            try:
                _Flow(function, replays=False).check()
            except InputError:
                # Finding the loops that fill a buffer takes time, and few programs need it.
                _Flow(function, replays=True).check()
            if self.judge != NO_JUDGE:
                _check_bound(function, self.judge, self.align)


def _check_bound(function: func.FuncOp, name: str, align: int) -> None:
    """Check the lower bound of a function's arena with the judge `name`. If the judge proves the bound, record the name
    of the judge on the arena. Raises `InputError` if the judge finds a smaller packing.

    Nothing is checked if the function moves buffers, if it does not have exactly one arena with a recorded bound, or if
    `name` is `OTHER_JUDGE` and the peak of live bytes proves the bound.

    align: as in `pack-scratch`.
    """
    arenas = [op for op in function.walk() if isinstance(op, ArenaOp)]
    if len(arenas) != 1 or arenas[0].lower_bound is None or any(isinstance(op, MoveOp) for op in function.walk()):
        return
    if name == OTHER_JUDGE and arenas[0].proof is None:
        return
    _, shapes = recorded_problem(function, align)
    bound, proof = arenas[0].lower_bound.value.data, arenas[0].proof
    name = other_check(name, proof.data if proof is not None else None)
    check = BOUND_CHECKS[name](shapes, bound)
    if check.verdict is Verdict.REFUTED:
        lower = max(start + shape.size for start, shape in zip(check.offsets, shapes, strict=True))
        raise error_at(arenas[0], f"the lower bound of the arena is {bound} bytes, but {name} packs it in {lower}")
    if check.verdict is Verdict.AGREED:
        arenas[0].properties["checked"] = StringAttr(name)


def _name(view: SSAValue) -> str:
    start, end = _span(view)
    return f"{view.name_hint or 'a buffer'} (bytes {start} to {end - 1})"


def _span(view: SSAValue) -> tuple[int, int]:
    type, op = memref_type(view), view.owner
    start = op.offset.value.data if isinstance(op, ViewOp) else 0
    return start, start + _end(type, prod(type.get_shape()))


def _end(type: MemRefType[Attribute], count: int) -> int:
    """The size of `count` elements in bytes. For packed elements, it is the size of all groups that contain these
    elements.
    """
    if (bits := packed_bits(type)) is None:
        return count * element_bytes(type)
    return -(-count // group_length(bits)) * group_bytes(bits)


def _start(type: MemRefType[Attribute], index: int) -> int:
    """The offset in bytes of element `index` or, for packed elements, of the group that contains it."""
    if (bits := packed_bits(type)) is None:
        return index * element_bytes(type)
    return index // group_length(bits) * group_bytes(bits)


def _touched(type: MemRefType[Attribute], count: int) -> int:
    """The number of bytes that a store of the first `count` elements modifies, including bytes that are modified only
    in part because packed elements share them.
    """
    bits = packed_bits(type)
    return count * element_bytes(type) if bits is None else touched_bytes(count, bits)


def _memory(view: SSAValue) -> SSAValue:
    return view.owner.arena if isinstance(view.owner, ViewOp) else view


class _SharedBytes:
    """An index of the buffers that share bytes. Buffers with identical byte ranges are compared with other buffers
    only once.
    """

    def __init__(self, buffers: Views) -> None:
        self.place_of = {view: (_memory(view), *_span(view)) for view in buffers}
        at: dict[tuple[SSAValue, int, int], list[SSAValue]] = {}
        for view, place in self.place_of.items():
            at.setdefault(place, []).append(view)
        self.rows: dict[SSAValue, list[tuple[int, int, Views]]] = {}
        """The places in each memory, by their starts: start, end, and the buffers there."""
        for (memory, start, end), views in at.items():
            if start < end:
                self.rows.setdefault(memory, []).append((start, end, frozenset(views)))
        for rows in self.rows.values():
            rows.sort(key=_start_of)
        self.meeting: dict[tuple[SSAValue, int, int], list[Views]] = {}

    def others(self, view: SSAValue, among: Views) -> set[SSAValue]:
        place = self.place_of[view]
        if place not in self.meeting:
            memory, start, end = place
            rows = self.rows[memory] if start < end else []
            before = rows[: bisect_left(rows, end, key=_start_of)]
            self.meeting[place] = [views for _, other_end, views in before if other_end > start]
        return set[SSAValue]().union(*(views & among for views in self.meeting[place])) - {view}


def _start_of(row: tuple[int, int, Views]) -> int:
    return row[0]


def _check_views(function: func.FuncOp) -> None:
    ends: dict[ArenaOp, int] = {}
    for op in function.walk():
        match op:
            case AllocOp() | ReuseOp():
                raise error_at(op, f"{op.result.name_hint or 'a buffer'} has no address")
            case ArenaOp():
                ends[op] = 0
            case ViewOp():
                _check_view(op)
                if isinstance(arena := op.arena.owner, ArenaOp):
                    ends[arena] = max(ends[arena], _span(op.result)[1])
            case _:
                pass
    for arena, end in ends.items():
        if arena.size != end:
            raise error_at(arena, f"the arena has {arena.size} bytes, its buffers end at {end}")


def _check_view(op: ViewOp) -> None:
    arena, (start, end) = op.arena.owner, _span(op.result)
    if not isinstance(arena, ArenaOp):
        raise error_at(op, f"{_name(op.result)} is not in a scratch.arena")
    if start < 0 or end > arena.size:
        raise error_at(op, f"{_name(op.result)} lies outside the arena of {arena.size} bytes")
    size = unit_bytes(memref_type(op.result))
    if start % size or arena.alignment.value.data % size:
        raise error_at(op, f"{_name(op.result)} is not aligned for elements of {size} bytes")


class _Flow:
    """The data flow through the buffers of a function.

    replays: whether nested loops are executed on addresses only, to find the buffers that they overwrite completely.
    """

    def __init__(self, function: func.FuncOp, replays: bool) -> None:
        self.function, self.replays = function, replays
        self.order = {op: i for i, op in enumerate(function.walk())}
        self.views = _views_of_values(function)
        self.written_from = self._find_first_writes()
        self.read_after: dict[Operation, Views] = {}
        """The buffers whose content is read after each op, or after the loop if the op is one."""
        self.shared = _SharedBytes(frozenset[SSAValue]().union(*self.views.values()))
        self.filled: dict[scf.ForOp, Views] = {}
        self.replayed: dict[tuple[Operation, SSAValue, SSAValue], bool] = {}

    def check(self) -> None:
        for body in self.function.body.blocks:
            kept = (op.result for op in self.order if isinstance(op, ViewOp) and op.state is not None)
            self._before(body, frozenset(kept))
        for op in reversed(self.order):
            reads, writes, _ = self._access(op)
            for written in writes:
                self._check_write(op, written, reads, self.read_after[op])
            if isinstance(op, TensorOp):
                self._check_destroyed(op)

    def position(self, view: SSAValue) -> int:
        return self.order[view.owner] if isinstance(view.owner, Operation) else -1

    def _named(self, values: Iterable[SSAValue]) -> Views:
        return frozenset[SSAValue]().union(*(self.views.get(value, frozenset()) for value in values))

    def _whole(self, value: SSAValue) -> SSAValue | None:
        views = self.views.get(value, frozenset())
        if len(views) != 1:
            return None
        [view] = views
        sizes = {prod(memref_type(one).get_shape()) for one in (value, view)}
        return view if len(sizes) == 1 else None

    def _access(self, op: Operation) -> tuple[Views, Views, Views]:
        """Return three sets: the buffers that an op reads, the buffers that it may write, and the buffers that it
        overwrites completely.
        """
        none: Views = frozenset()
        if isinstance(op, SliceOp | ViewOp):
            return none, none, none
        if isinstance(op, MoveOp | TensorOp) and op.dest is not None:
            inputs = list(op.operands)
            inputs.remove(op.dest)
            reads, writes = self._named(inputs), self._named([op.dest])
            whole = self._whole(op.dest)
            return reads, writes, none if whole is None else frozenset({whole})
        touched = self._named(op.operands)
        if op.regions or op.has_trait(IsTerminator):
            return touched, none, none
        effects = get_effects(op)
        silent = effects is not None and all(effect.kind is not MemoryEffectKind.WRITE for effect in effects)
        return touched, none if silent else touched, none

    def _find_first_writes(self) -> dict[SSAValue, int]:
        """For each buffer, the position of the first op that may write to it. For an op in a loop, it is the
        position of the outermost loop around it.
        """
        given = [op.result for op in self.order if isinstance(op, ViewOp) and (op.input or op.state) is not None]
        first: dict[SSAValue, int] = dict.fromkeys([*self.function.args, *given], 0)
        for op in self.function.walk():
            _, writes, _ = self._access(op)
            if not writes:
                continue
            start = around = op
            while (around := around.parent_op()) is not None and around is not self.function:
                if not isinstance(around, scf.IfOp):
                    start = around
            for view in writes:
                first[view] = min(first.get(view, self.order[op]), self.order[start])
        return first

    def _before(self, block: Block, after: Views) -> Views:
        """The buffers whose content is read after the start of a block before it is overwritten.

        after: the buffers whose content is read after the end of the block.
        """
        for op in reversed(block.ops):
            self.read_after[op] = after
            blocks = [inner for region in op.regions for inner in region.blocks]
            if isinstance(op, scf.IfOp):
                branches = [self._before(inner, after) for inner in blocks]
                after = frozenset[SSAValue]().union(*branches, *([after] if len(blocks) < 2 else []))
            elif blocks:
                seen: Views | None = None
                while after != seen:
                    seen = after
                    after = after.union(*(self._before(inner, after) for inner in blocks))
            reads, _, overwritten = self._access(op)
            if self.replays and isinstance(op, scf.ForOp) and op.parent is not self.function.body.block:
                overwritten = self._filled(op, after)
            after = (after - overwritten) | reads
        return after

    def _filled(self, loop: scf.ForOp, after: Views) -> Views:
        """The buffers that a loop overwrites completely before it reads them. Only buffers that share bytes with other
        buffers are considered.

        after: the buffers whose content is read after an iteration; the result is a subset of them.
        """
        if loop not in self.filled:
            written = frozenset[SSAValue]().union(*(self._access(op)[1] for op in loop.walk() if op is not loop))
            buffers = frozenset(self.shared.place_of)
            shared = [view for view in written if self.shared.others(view, buffers)]
            self.filled[loop] = frozenset(view for view in shared if overwrites(loop, view))
        return self.filled[loop] & after

    def _check_write(self, op: Operation, written: SSAValue, reads: Views, after: Views) -> None:
        others = sorted(self.shared.others(written, reads) | self.shared.others(written, after), key=self.position)
        for other in others:
            if self._reads_precede_writes(op, written, other, others):
                continue
            if other in reads and not self._reads_before_writing(op, written, other):
                raise error_at(op, f"'{op.name}' writes {_name(written)} over {_name(other)}, which it reads")
            if other in after and self.written_from.get(other, len(self.order)) <= self.order[op]:
                if self.replays and self._rewritten_before_read(op, written, other):
                    continue
                raise error_at(op, f"'{op.name}' writes {_name(written)} over {_name(other)}, which is read later")

    def _check_destroyed(self, op: TensorOp) -> None:
        for lost in self._named(op.destroyed):
            if lost in self.read_after[op]:
                raise error_at(op, f"'{op.name}' destroys {_name(lost)}, which is read later")
            if lost in self.function.args:
                raise error_at(op, f"'{op.name}' destroys {_name(lost)}, which is the caller's")

    def _reads_precede_writes(self, op: Operation, written: SSAValue, read: SSAValue, others: list[SSAValue]) -> bool:
        """Whether an op, or a loop around it, reads each shared byte of `read` for the last time before it
        writes the byte through `written`.

        others: all buffers that share bytes with `written`; one replay covers all of them.
        """
        if (loop := self._end_of(read, op)) is None:
            return False
        if (loop, written, read) not in self.replayed:
            start = _span(written)[0]
            shifts = {other: start - _span(other)[0] for other in others if self._end_of(other, op) is loop}
            for other, precedes in reads_precede_writes(loop, written, shifts).items():
                self.replayed[loop, written, other] = precedes
        return self.replayed[loop, written, read]

    def _end_of(self, read: SSAValue, op: Operation) -> Operation | None:
        """The op, or the innermost loop around it, after which no op reads the old content of a buffer. None if
        a later op may read it.
        """
        return next((loop for loop in (op, *_loops_around(op)) if read not in self.read_after[loop]), None)

    def _rewritten_before_read(self, op: Operation, written: SSAValue, read: SSAValue) -> bool:
        """Whether the outermost loop around an op rewrites each byte of `read` that the op overwrites through
        `written`, before the loop reads the byte again.

        The loop is executed on addresses only. This replay detects the rewriting even if an inner loop may run no
        iteration; the data flow analysis does not.
        """
        loops = _loops_around(op)
        if not loops or read in self.read_after[loops[-1]]:
            return False
        return rewrites_before_reading(loops[-1], read, written, _span(written)[0] - _span(read)[0])

    def _reads_before_writing(self, op: Operation, written: SSAValue, read: SSAValue) -> bool:
        """Whether an op reads each element of `read` for the last time before it writes to the element's bytes."""
        if isinstance(op, MoveOp):
            return True
        if not isinstance(op, TensorOp) or op.dest is None or self._whole(op.dest) is not written:
            return False
        operands = [value for value in op.inputs if read in self.views.get(value, frozenset())]
        if not all(op.reads_in_place(value) for value in operands):
            return False
        type = memref_type(op.dest)
        steps = prod(type.get_shape()) - 1
        if steps == 0:
            return True
        (target, _), (source, _) = _span(written), _span(read)

        def behind(value: SSAValue) -> bool:
            """Whether every write to the result ends below the elements of `value` that are still to be read.

            Also true if `value` and the result are packed in the same way and start at the same address.
            """
            operand = memref_type(value)
            if packed_bits(type) is not None and packed_bits(type) == packed_bits(operand) and target == source:
                return True
            return all(target + _touched(type, i) <= source + _start(operand, i) for i in range(1, steps + 1))

        return all(self._whole(value) is read and behind(value) for value in operands)


def _loops_around(op: Operation) -> list[scf.ForOp]:
    around = op.parent_op()
    return [around, *_loops_around(around)] if isinstance(around, scf.ForOp) else []


def _views_of_values(function: func.FuncOp) -> dict[SSAValue, Views]:
    """For each memref, the buffers of which it may be a view, found by following slices, branches and loops. Raises
    `InputError` for branches between blocks.
    """
    given = [argument for argument in function.args if isinstance(argument.type, MemRefType)]
    views: dict[SSAValue, Views] = {argument: frozenset({argument}) for argument in given}
    for op in function.walk():
        if any(len(region.blocks) > 1 for region in op.regions):
            raise error_at(op, f"'{op.name}' branches between blocks; only scf control flow can be checked")
        if isinstance(op, ViewOp):
            views[op.result] = frozenset({op.result})
    changed = True
    while changed:
        changed = False
        for op in function.body.walk():
            if isinstance(op, ViewOp):
                continue
            sources = list(op.operands)
            targets: list[SSAValue] = list(op.results)
            for region in op.regions:
                for block in region.blocks:
                    targets += block.args
                    sources += block.last_op.operands if block.last_op is not None else ()
            reaching = frozenset[SSAValue]().union(*(views.get(source, frozenset()) for source in sources))
            for target in targets:
                if isinstance(target.type, MemRefType) and not reaching <= views.get(target, frozenset()):
                    views[target] = views.get(target, frozenset()) | reaching
                    changed = True
    return views
