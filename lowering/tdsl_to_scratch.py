"""`lower-tdsl-to-scratch`: turns tensors into buffers (L1 to L2).

Every op writes to a separate buffer, to which packing later assigns an address. If an op only moves contiguous
elements, its result becomes a view. Constants are in flash; the input is in a buffer of the arena on request
(`reuse-input`). An iter_arg of a loop has one buffer for all iterations. The body writes to this buffer directly if no
later op reads the old value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import func, memref, scf, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    MemRefType,
    ModuleOp,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import error_at, not_supported
from tinyml.dialects.rewriting import Builder, Rewriter
from tinyml.dialects.scratch.types import NO_SPACE, array_type, packed_space
from tinyml.dialects.tdsl.base import shaped
from tinyml.lowering.loops.lowerings import lowering_of
from tinyml.transforms.buffers.liveness.live_ranges import reshaped
from tinyml.transforms.ir.indices import build_index, build_offset
from tinyml.transforms.ir.levels import FORMATS


@dataclass(frozen=True)
class LowerTdslToScratchPass(ModulePass):
    """Convert the tensors of every function to buffers. Raises `InputError` for an op without a lowering."""

    name = "lower-tdsl-to-scratch"
    takes = FORMATS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            _repeat_fills(function)
            _Bufferization(function).apply()


def _repeat_fills(function: func.FuncOp) -> None:
    """Create a separate fill op, directly before its use, for each tensor whose initial value is a fill.

    Without this step, all tensors of one shape would be copies of a single filled tensor, whose buffer would be
    live throughout.
    """
    for fill in [op for op in function.walk() if isinstance(op, tdsl.FillOp)]:
        users = {use.operation for use in fill.out.uses}
        # In program order; the order of uses depends on earlier passes.
        for user in [op for op in function.walk() if op in users]:
            for index, operand in enumerate(user.operands):
                if operand is fill.out and _begins(user, operand):
                    own = fill.clone()
                    Rewriter.insert_op(own, InsertPoint.before(user))
                    own.out.name_hint = fill.out.name_hint
                    user.operands[index] = own.out
        if not fill.out.uses:
            Rewriter.erase_op(fill)


def _begins(user: Operation, operand: SSAValue) -> bool:
    """Whether an operand is the initial value of a tensor that a loop or an insertion updates."""
    return isinstance(user, scf.ForOp) or (isinstance(user, tdsl.InsertSliceOp) and user.input is operand)


def _as_memref(type: Attribute, packed: int | None = None) -> Attribute:
    if not isinstance(type, TensorType):
        return type
    tensor = cast("TensorType[Any]", type)
    space = NO_SPACE if packed is None else packed_space(tensor.element_type, packed)
    return array_type(tensor.element_type, tensor.shape, space)


class _Bufferization:
    """The bufferization of a function. A new body is built, which then replaces the old body."""

    def __init__(self, function: func.FuncOp):
        self.function = function
        self.buffers: dict[SSAValue, SSAValue] = {}
        self.destinations: dict[SSAValue, SSAValue] = {}
        self.interface = tdsl.read_interface(function)
        self.states = [] if self.interface.calls is None else [*function.args[2:]]
        """The arguments whose new values are the last results; they follow the frame and the time of a step
        function.
        """

    def apply(self) -> None:
        old, input = self.function.body.block, self.interface.input
        argument_attributes = (
            self.function.arg_attrs.data if self.function.arg_attrs else [DictionaryAttr({})] * len(old.args)
        )
        new = Block()
        self.builder = Builder(InsertPoint.at_end(new), self.function.location)
        kept: list[DictionaryAttr] = []
        for argument, attributes in zip(old.args, argument_attributes, strict=True):
            is_input = argument is old.args[0]
            type = _as_memref(argument.type, input.packed if is_input else None)
            if argument in self.states or (is_input and input.reused):
                # Overlapping frames are also a state: the caller stores the beginning of the next frame.
                state = not is_input or (input.pushed is not None and input.pushed.frame > input.pushed.hop)
                alloc = scratch.AllocOp(cast("MemRefType[Attribute]", type), input=is_input, state=state)
                self.buffers[argument] = self.builder.insert(alloc).result
            else:
                self.buffers[argument] = new.insert_arg(type, len(new.args))
                kept.append(attributes)
            self.buffers[argument].name_hint = argument.name_hint
        self.block(old)
        self.function.detach_region(self.function.body)
        self.function.add_region(Region(new))
        self.function.update_function_type()
        if self.function.arg_attrs is not None:
            self.function.arg_attrs = ArrayAttr(kept)
        if self.function.res_attrs is not None and self.states:
            self.function.res_attrs = ArrayAttr(self.function.res_attrs.data[: -len(self.states)])

    def block(self, block: Block) -> None:
        for op in block.ops:
            self.builder.location = op.location
            self.operation(op)

    def operation(self, op: Operation) -> None:
        match op:
            case tdsl.ConstOp():
                self.constant(op)
            case tensor.EmptyOp():
                self.buffers[op.tensor] = self.alloc(op.tensor.type, op.tensor.name_hint)
            case scf.ForOp():
                self.loop(op)
            case func.ReturnOp():
                self.end(op)
            case scf.YieldOp():
                pass
            case tdsl.TensorOp():
                if (view := self.view(op)) is not None:
                    view.name_hint = op.out.name_hint
                    self.buffers[op.out] = view
                elif lowering_of(op) is None:
                    raise not_supported(op, ": it has no lowering")
                else:
                    self.compute(op)
            case _:
                if op.regions:
                    raise not_supported(op, ": it has no lowering")
                copy = op.clone(value_mapper=dict(self.buffers))
                self.builder.insert(copy)
                self.buffers.update(zip(op.results, copy.results, strict=True))

    def constant(self, op: tdsl.ConstOp) -> None:
        type = op.result.type
        space = scratch.CsrFlash() if isinstance(type.encoding, tdsl.Csr) else scratch.Flash()
        new = self.builder.insert(scratch.ConstantOp(op.value, array_type(type.element_type, type.shape, space)))
        new.result.name_hint = op.result.name_hint
        self.buffers[op.result] = new.result

    def alloc(self, type: Attribute, name_hint: str | None) -> SSAValue:
        buffer = self.builder.insert(scratch.AllocOp(cast("MemRefType[Attribute]", _as_memref(type)))).result
        buffer.name_hint = name_hint
        return buffer

    def compute(self, op: tdsl.TensorOp) -> None:
        destination = self.destinations.get(op.out)
        if isinstance(op, tdsl.TransposeOp) and op.in_place is not None:
            if not isinstance(reshaped(self.buffers[op.input]).owner, scratch.AllocOp):
                raise error_at(op, "only a buffer of the arena can be transposed in place")
            destination = self.slice(op.input, self.index(0), tdsl.shape_of(op.out))
        elif destination is None:
            destination = self.alloc(op.out.type, op.out.name_hint)
        for lost in op.destroyed:
            self.buffers[lost] = self.moved(self.buffers[lost])
        operands = [[self.buffers[value] for value in group] for group in _operand_groups(op)]
        properties = {name: value for name, value in op.properties.items() if name != "operandSegmentSizes"}
        regions = [region.clone() for region in op.regions]
        self.builder.insert(_create(type(op), operands, destination, properties, regions))
        self.buffers[op.out] = destination

    def moved(self, buffer: SSAValue) -> SSAValue:
        """Move a buffer to a new buffer, and return the new buffer. Packing can then place the new buffer so
        that the op's result overlaps it.

        A buffer that the function did not allocate is returned unchanged.
        """
        source = reshaped(buffer)
        if not isinstance(source.owner, scratch.AllocOp):
            return buffer
        dest = self.builder.insert(scratch.AllocOp(scratch.memref_type(source))).result
        dest.name_hint = source.name_hint
        self.builder.insert(scratch.MoveOp(source, dest))
        if buffer is source:
            return dest
        return self.builder.insert(scratch.SliceOp(dest, self.index(0), scratch.memref_type(buffer).get_shape())).result

    def view(self, op: tdsl.TensorOp) -> SSAValue | None:
        """The result of an op as a view of its operand, if the result's elements are contiguous in the operand; None
        otherwise.
        """
        if (run := op.run) is None:
            return None
        [operand] = op.inputs
        offset = self.offset(run, tdsl.shape_of(operand))
        return self.slice(operand, offset, tdsl.shape_of(op.out), shaped(op.out).get_element_type())

    def slice(
        self, source: SSAValue, offset: SSAValue, shape: Sequence[int], element: Attribute | None = None
    ) -> SSAValue:
        return self.builder.insert(scratch.SliceOp(self.buffers[source], offset, tuple(shape), element)).result

    def index(self, value: int) -> SSAValue:
        return build_index(value, self.builder)

    def offset(self, indices: Sequence[SSAValue], shape: Sequence[int]) -> SSAValue:
        return build_offset([self.buffers[index] for index in indices], shape, self.builder)

    def copy(self, source: SSAValue, destination: SSAValue) -> None:
        self.builder.insert(memref.CopyOp(source, destination))

    def end(self, op: func.ReturnOp) -> None:
        """Emit the return of the outputs. The last results of a program with states are the new values of the
        states, which are stored to the states' buffers instead.
        """
        outputs = op.operands[: len(op.operands) - len(self.states)]
        new = op.operands[len(outputs) :]
        self.write_back([(self.buffers[state], value) for state, value in zip(self.states, new, strict=True)])
        self.builder.insert(func.ReturnOp(*(self.returned(value) for value in outputs)))

    def returned(self, value: SSAValue) -> SSAValue:
        """The buffer of a returned value. If the function did not allocate the buffer, as for a constant, the value is
        copied to a new buffer in RAM.
        """
        buffer = self.buffers[value]
        type: Attribute = value.type
        if isinstance(type, TensorType) and not isinstance(scratch.root(buffer).owner, scratch.AllocOp):
            own = self.alloc(cast(Attribute, type), value.name_hint)
            self.copy(buffer, own)
            return own
        return buffer

    def loop(self, op: scf.ForOp) -> None:
        old = op.body.block
        carried = [
            (position, argument)
            for position, argument in enumerate(old.args[1:])
            if isinstance(argument.type, TensorType)
        ]
        yielded = cast(scf.YieldOp, old.last_op).operands
        for position, argument in carried:
            buffer = self.iter_arg_buffer(op, position)
            _mark_ring(buffer, op, position)
            self.buffers[argument] = self.buffers[op.results[position]] = buffer
            self.destinations |= dict.fromkeys(written_in_place(op, position), buffer)
        plain = [p for p in range(len(op.iter_args)) if p not in dict(carried)]
        new = Block(arg_types=[IndexType(), *(old.args[1 + p].type for p in plain)])
        self.buffers[old.args[0]] = new.args[0]
        new.args[0].name_hint = old.args[0].name_hint
        for p, argument in zip(plain, new.args[1:], strict=True):
            self.buffers[old.args[1 + p]] = argument
        outer, self.builder = self.builder, Builder(InsertPoint.at_end(new))
        self.block(old)
        self.write_back([(self.buffers[argument], yielded[position]) for position, argument in carried])
        self.builder.insert(scf.YieldOp(*(self.buffers[yielded[p]] for p in plain)))
        self.builder = outer
        self.builder.location = op.location
        low, high, step = (self.buffers[value] for value in (op.lb, op.ub, op.step))
        initial = [self.buffers[op.iter_args[p]] for p in plain]
        loop = self.builder.insert(scf.ForOp(low, high, step, initial, new))
        if (calls := op.attributes.get(tdsl.CALLS)) is not None:
            loop.attributes[tdsl.CALLS] = calls
        self.buffers.update((op.results[p], result) for p, result in zip(plain, loop.results, strict=True))

    def iter_arg_buffer(self, op: scf.ForOp, position: int) -> SSAValue:
        """The buffer of the iter_arg at `position`, which contains the initial value.

        It is the initial value's own buffer if the function allocated this buffer and no other op reads the value, in
        three cases: the value is computed in the block of the loop, carried by a loop around it, or a state of the
        program. Otherwise the value is copied to a new buffer.
        """
        initial = op.iter_args[position]
        buffer = self.buffers[initial]
        # Values that the enclosing loop carries are recreated in each of its iterations.
        carried = isinstance(initial.owner, Block) and isinstance(initial.owner.parent_op(), scf.ForOp)
        made_here = carried or (isinstance(initial.owner, Operation) and initial.owner.parent is op.parent)
        made_here |= initial in self.states and initial.owner is op.parent
        if not (made_here and initial.has_one_use() and isinstance(buffer.owner, scratch.AllocOp)):
            own = self.alloc(initial.type, op.body.block.args[1 + position].name_hint)
            self.copy(buffer, own)
            buffer = own
        return buffer

    def write_back(self, pairs: Sequence[tuple[SSAValue, SSAValue]]) -> None:
        """Copy yielded values into the buffers of the iter_args, paired in `pairs`, as one simultaneous assignment. A
        value is first copied elsewhere if another copy would overwrite it.
        """
        moves: list[tuple[SSAValue, SSAValue]] = []
        for buffer, value in pairs:
            source = self.buffers[value]
            if source is buffer:
                continue
            if any(scratch.root(source) is overwritten for overwritten, _ in moves):
                own = self.alloc(value.type, value.name_hint)
                self.copy(source, own)
                source = own
            moves.append((buffer, source))
        for buffer, source in moves:
            self.copy(source, buffer)


def _mark_ring(buffer: SSAValue, loop: scf.ForOp, position: int) -> None:
    noted = loop.attributes.get(tdsl.RINGS)
    rings = list(cast("ArrayAttr[Attribute]", noted)) if isinstance(noted, ArrayAttr) else []
    if len(rings) != len(loop.iter_args) or isinstance(rings[position], UnitAttr):
        return
    if isinstance(alloc := buffer.owner, scratch.AllocOp):
        alloc.attributes[tdsl.RING] = rings[position]


def _operand_groups(op: tdsl.TensorOp) -> list[Sequence[SSAValue]]:
    """The operands of an op without the destination, grouped by the operand definitions of the op."""
    definitions = type(op).get_irdl_definition().operands
    groups: list[Sequence[SSAValue]] = []
    for name, _ in definitions:
        if name != "dest":
            operand: SSAValue | Sequence[SSAValue] | None = getattr(op, name)
            groups.append([operand] if isinstance(operand, SSAValue) else operand or [])
    return groups


def _create(
    kind: type[tdsl.TensorOp],
    operands: Sequence[Sequence[SSAValue]],
    destination: SSAValue,
    properties: dict[str, Attribute],
    regions: Sequence[Region],
) -> tdsl.TensorOp:
    op = kind.__new__(kind)
    tdsl.TensorOp.__init__(
        op, operands=[*operands, [destination]], result_types=[[]], properties=properties, regions=regions
    )
    return op


FIRST_ITER_ARG = 3
"""The operand of `scf.for` that follows its bounds and its step."""


def written_in_place(loop: scf.ForOp, position: int) -> Sequence[SSAValue]:
    """The values that the loop body can write directly to the buffer of iter_arg `position`; empty if there are none.

    They are the yielded value and the values from which a chain of in-place updates computes it. The last read of the
    old value must precede the first op of this chain. This op itself may read the old value if it is able to overwrite
    its operand.
    """
    body = loop.body.block
    chain: list[SSAValue] = [cast(scf.YieldOp, body.last_op).operands[position]]
    while isinstance(producer := chain[-1].owner, tdsl.TensorOp) and producer.parent is body:
        before = producer.updated
        if before is None or not before.has_one_use() or not producer.reads_in_place(before):
            break
        chain.append(before)
    while chain and not _writes_in_place(loop, position, chain[-1].owner):
        chain.pop()
    return chain


def _writes_in_place(loop: scf.ForOp, position: int, producer: Operation | Block) -> bool:
    """Whether `producer` may write to the buffer of iter_arg `position`, because no later op reads the old value."""
    body = loop.body.block
    if not isinstance(producer, tdsl.TensorOp) or producer.parent is not body or producer.MAY_BE_VIEW:
        return False
    order = {op: position for position, op in enumerate(body.ops)}
    old = body.args[1 + position]
    for alias in _aliases(old):
        for use in alias.uses:
            user = use.operation
            if user is producer:
                # An alias of the same type has the same elements at the same positions.
                if alias.type != old.type or not producer.reads_in_place(alias):
                    return False
            elif order[_ancestor(user, loop)] > order[producer]:
                return False
    return True


def _aliases(value: SSAValue) -> list[SSAValue]:
    """A value and all values that may have the same buffer: views of the value, and values that loops carry from
    it.
    """
    aliases = [value]
    for alias in aliases:
        for use in alias.uses:
            aliases.extend(_sharing(use))
    return aliases


def _sharing(use: Use) -> tuple[SSAValue, ...]:
    match use.operation:
        case scf.ForOp() as loop if (position := use.index - FIRST_ITER_ARG) >= 0:
            return loop.body.block.args[1 + position], loop.results[position]
        case tdsl.MovementOp() as movement if movement.MAY_BE_VIEW:
            return (movement.out,)
        case _:
            return ()


def _ancestor(op: Operation, loop: scf.ForOp) -> Operation:
    while op.parent is not loop.body.block:
        op = cast(Operation, op.parent_op())
    return op
