"""Ops of the `scratch` dialect on memory: constants in flash, buffers, the arena, views of them, and moves of buffers.
Copies are in `moves.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
    i8,
    i64,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    BaseAttr,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, Pure
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import INTEGER_CODING, number_format
from tinyml.dialects.layouts.dense import dense_elements
from tinyml.dialects.layouts.digits import Digits, Width
from tinyml.dialects.layouts.packed_bits import packings
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.operations import DialectOp, index_constant
from tinyml.dialects.scratch.types import (
    CsrFlash,
    Flash,
    PackedRam,
    array_type,
    element_bytes,
    in_flash,
    memref_type,
    packed_bits,
    packed_offset,
    size_in_bytes,
    storage_of,
    unit_bytes,
)

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws

__all__ = [
    "AllocOp",
    "ArenaOp",
    "ConstantOp",
    "MoveOp",
    "ReuseOp",
    "SliceOp",
    "ViewOp",
    "constant_root",
    "root",
]

MEMREF = BaseAttr[MemRefType[Attribute]](MemRefType)


def root(buffer: SSAValue) -> SSAValue:
    """The buffer of which a value is a view, through any number of views; the value itself if it is not a view."""
    while isinstance(buffer.owner, SliceOp):
        buffer = buffer.owner.source
    return buffer


def constant_root(buffer: SSAValue) -> ConstantOp | None:
    """The constant array of which a value is a view, through any number of views; None for other memory."""
    owner = root(buffer).owner
    return owner if isinstance(owner, ConstantOp) else None


@irdl_op_definition
class ConstantOp(DialectOp):
    """A constant array. `value` contains the raw bits. It is a dense attribute even if the array is stored sparse
    or packed.

    An array in flash is initialised by the program. The caller writes an array in RAM before the first inference.
    `far` permits the linker to place an array in flash beyond the range of short addresses.
    """

    name = "scratch.constant"
    value = prop_def(DenseIntOrFPElementsAttr)
    far = opt_prop_def(UnitAttr)
    result = result_def(MEMREF)
    traits = traits_def(Pure())
    assembly_format = "$value (`far` $far^)? attr-dict `->` type($result)"

    def __init__(self, value: DenseIntOrFPElementsAttr, type: MemRefType[Attribute]):
        super().__init__(properties={"value": value}, result_types=[type])

    @staticmethod
    def of(raws: Raws, element: Attribute, *, loaded: bool = False) -> ConstantOp:
        """A constant array with the given raws, which have the element's storage type.

        loaded: true for an array in RAM, false for an array in flash.
        """
        type: TensorType[Any] = TensorType(storage_of(element), raws.shape)
        value = DenseIntOrFPElementsAttr(type, BytesAttr(raws.astype(raws.dtype.newbyteorder("<")).tobytes()))
        space = NoneAttr() if loaded else Flash()
        return ConstantOp(value, array_type(element, raws.shape, space))

    @property
    def loaded(self) -> bool:
        """True for an array in RAM, which the caller writes."""
        return not in_flash(memref_type(self.result))

    @property
    def raws(self) -> Raws:
        """The raws as signed integers or floats, in the shape of the memref. They are not copied.

        Raises `VerifyException` if the value does not match the memref.
        """
        type = memref_type(self.result)
        stored = storage_of(type.element_type)
        dtype = np.dtype(f"<{'f' if stored == f32 else 'i'}{element_bytes(type)}")
        return dense_elements(self.properties.get("value"), dtype, type.get_shape())

    def verify_(self) -> None:
        type = memref_type(self.result)
        expected = TensorType(storage_of(type.element_type), type.get_shape())
        if self.value.type != expected:
            raise VerifyException(f"value must be of type {expected}, got {self.value.type}")
        packed_ram = isinstance(type.memory_space, PackedRam) and not packed_offset(type)
        if not (in_flash(type) or packed_ram or isinstance(type.memory_space, NoneAttr)):
            raise VerifyException("a constant lies in #scratch.flash, #scratch.csr or #scratch.packed, or in RAM")
        if (bits := packed_bits(type)) is not None:
            self._verify_width(bits)
        if (format := number_format(type.element_type)) is not None:
            format.verify_raws(self.raws)

    def _verify_width(self, bits: Width) -> None:
        if storage_of(memref_type(self.result).element_type) == f32:
            raise VerifyException("only integers are packed")
        format = number_format(memref_type(self.result).element_type)
        if isinstance(bits, Digits) and (format is None or format.coding is not INTEGER_CODING):
            raise VerifyException(f"only integers are packed as {bits.name}")
        if bits not in packings(self.raws):
            raise VerifyException(
                f"not all elements {f'are {bits}' if isinstance(bits, Digits) else f'have {bits} bits'}"
            )


class AllocatesResult(MemoryEffect):
    """The memory effects of an op that only allocates its result. An unused allocation is dead, unless it is the
    program's input.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.ALLOC, op.results[0])} | _writes_input(op)


class ViewsMemory(MemoryEffect):
    """The memory effects of an op that only creates a view. An unused view is dead, unless it is the program's
    input or state.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return _writes_input(op)


def _writes_input(op: Operation) -> set[EffectInstance]:
    """The memory effects on a buffer before a call: the caller writes the input, and previous calls write the
    state.
    """
    given = "input" in op.properties or "state" in op.properties
    return {EffectInstance(MemoryEffectKind.WRITE, op.results[0])} if given else set()


def _marks(input: bool, state: bool) -> dict[str, Attribute]:
    return {name: UnitAttr() for name, holds in (("input", input), ("state", state)) if holds}


@irdl_op_definition
class AllocOp(DialectOp):
    """A buffer of working memory that has not been assigned an address.

    `input` marks the program's input, which the caller writes before each call. `state` marks a buffer that
    preserves its content between calls.
    """

    name = "scratch.alloc"
    input = opt_prop_def(UnitAttr)
    state = opt_prop_def(UnitAttr)
    result = result_def(MEMREF)
    traits = traits_def(AllocatesResult())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type: MemRefType[Attribute], *, input: bool = False, state: bool = False):
        super().__init__(properties=_marks(input, state), result_types=[type])

    def verify_(self) -> None:
        if in_flash(memref_type(self.result)):
            raise VerifyException("working memory does not lie in flash")
        size_in_bytes(memref_type(self.result))


@irdl_op_definition
class ReuseOp(DialectOp):
    """A buffer that starts at the first byte of another buffer, the source. The live range of the source ends at
    this op.

    The first op that uses the result may be the last op that uses the source.
    """

    name = "scratch.reuse"
    source = operand_def(MEMREF)
    result = result_def(MEMREF)
    traits = traits_def(AllocatesResult())
    assembly_format = "$source attr-dict `:` type($source) `as` type($result)"

    def __init__(self, source: SSAValue, type: MemRefType[Attribute]):
        super().__init__(operands=[source], result_types=[type])

    def verify_(self) -> None:
        if not isinstance(self.source.owner, AllocOp | ReuseOp):
            raise VerifyException("only a whole buffer without an address can be reused")
        source, type = memref_type(self.source), memref_type(self.result)
        if in_flash(type):
            raise VerifyException("working memory does not lie in flash")
        if size_in_bytes(type) > size_in_bytes(source):
            raise VerifyException(f"{type} does not fit into the {size_in_bytes(source)} bytes of {source}")


@irdl_op_definition
class ArenaOp(DialectOp):
    """The block of working memory, `memref<Nxi8>`, aligned to `alignment` bytes.

    * lower_bound: a lower bound, in bytes, on the size of all packings of the arena's buffers. A packing of this size
      is optimal.
    * proof: the name of the search that has proved `lower_bound` by excluding smaller packings. Without `proof`, the
      bound is the peak of live bytes.
    * checked: the name of the algorithm that verified the bound (`check-packing`).
    * packer: the name of the packing algorithm; by default first fit.
    * memories: the assignment of buffers, constants and the stack to the board's memories by `place-memories`. It
      contains the name, size, wait states and content of each memory, the wait cycles of an inference, a lower
      bound on the wait cycles, and the methods that proved and checked the bound.
    * shared: whether other programs store elements of any type in the arena.
    """

    name = "scratch.arena"
    alignment = prop_def(IntegerAttr)
    lower_bound = opt_prop_def(IntegerAttr)
    proof = opt_prop_def(StringAttr)
    checked = opt_prop_def(StringAttr)
    packer = opt_prop_def(StringAttr)
    memories = opt_prop_def(DictionaryAttr)
    shared = opt_prop_def(UnitAttr)
    result = result_def(MEMREF)
    traits = traits_def(AllocatesResult())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict `:` type($result)"

    def __init__(
        self,
        size: int,
        alignment: int,
        lower_bound: int | None = None,
        proof: str | None = None,
        packer: str | None = None,
    ):
        numbers = {"alignment": alignment, "lower_bound": lower_bound}
        properties: dict[str, Attribute] = {
            name: IntegerAttr(number, i64) for name, number in numbers.items() if number is not None
        }
        algorithms = {"proof": proof, "packer": packer}
        properties |= {name: StringAttr(each) for name, each in algorithms.items() if each}
        super().__init__(properties=properties, result_types=[MemRefType(i8, [size])])

    def verify_(self) -> None:
        type = memref_type(self.result)
        if type.element_type != i8 or len(type.get_shape()) != 1:
            raise VerifyException(f"an arena is a memref<Nxi8>, got {type}")
        size_in_bytes(type)
        if (alignment := self.alignment.value.data) < 1 or alignment & (alignment - 1):
            raise VerifyException(f"alignment must be a power of two, got {alignment}")
        if self.lower_bound is not None and not 0 <= (bound := self.lower_bound.value.data) <= self.size:
            raise VerifyException(f"the arena has {self.size} bytes, which its lower bound {bound} does not allow")

    @property
    def size(self) -> int:
        return memref_type(self.result).get_shape()[0]


@irdl_op_definition
class ViewOp(DialectOp):
    """A buffer at a byte offset in the arena.

    `live` is the range of program points, both inclusive, during which the buffer contains a value. The packing pass
    numbers the points and records this range. Views with the same `place` share memory: each of them contains the
    operand or the result of an op that overwrites its operand. The packing pass packed all views with the same `place`
    as one buffer.

    `input` marks the program's input, which the caller writes before each call. The input contains a value from point
    -1 on. `state` marks a buffer that preserves its content between calls.
    """

    name = "scratch.view"
    arena = operand_def(MEMREF)
    offset = prop_def(IntegerAttr)
    live = opt_prop_def(ArrayAttr)
    place = opt_prop_def(IntegerAttr)
    input = opt_prop_def(UnitAttr)
    state = opt_prop_def(UnitAttr)
    result = result_def(MEMREF)
    traits = traits_def(ViewsMemory())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$arena `[` $offset `]` attr-dict `:` type($arena) `to` type($result)"

    def __init__(
        self,
        arena: SSAValue,
        offset: int,
        type: MemRefType[Attribute],
        live: tuple[int, int] | None = None,
        *,
        input: bool = False,
        state: bool = False,
    ):
        properties: dict[str, Attribute] = {"offset": IntegerAttr(offset, i64)}
        if live is not None:
            properties["live"] = ArrayAttr([IntegerAttr(point, i64) for point in live])
        properties |= _marks(input, state)
        super().__init__(operands=[arena], properties=properties, result_types=[type])

    def verify_(self) -> None:
        if self.live is not None:
            match self.live.data:
                case (IntegerAttr() as first, IntegerAttr() as last) if first.value.data <= last.value.data:
                    pass
                case _:
                    raise VerifyException(f"live is the first and the last point, such as [0, 4], got {self.live}")
        offset, type = self.offset.value.data, memref_type(self.result)
        capacity = size_in_bytes(memref_type(self.arena))
        if offset < 0 or offset + size_in_bytes(type) > capacity:
            raise VerifyException(
                f"{size_in_bytes(type)} bytes at offset {offset} lie outside the arena of {capacity} bytes"
            )
        if offset % unit_bytes(type):
            raise VerifyException(f"offset {offset} is not a multiple of the element size {unit_bytes(type)}")


class MovesBytes(MemoryEffect):
    """The memory effects of an op that reads its first operand and writes its second operand."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        read = EffectInstance(MemoryEffectKind.READ, op.operands[0])
        return {read, EffectInstance(MemoryEffectKind.WRITE, op.operands[1])}


@irdl_op_definition
class MoveOp(DialectOp):
    """Move a live buffer to another address of the arena. The source and the destination may overlap.

    Moves are executed between two other ops (Shiftry 7.1, defragmentation); the packing assigns them no program point.
    Before the arena is packed, source and destination are buffers without an address.
    """

    name = "scratch.move"
    source = operand_def(MEMREF)
    dest = operand_def(MEMREF)
    traits = traits_def(MovesBytes())
    assembly_format = "$source `to` $dest attr-dict `:` type($source) `to` type($dest)"

    def __init__(self, source: SSAValue, dest: SSAValue):
        super().__init__(operands=[source, dest])

    def verify_(self) -> None:
        if self.source.type != self.dest.type:
            raise VerifyException(f"a buffer keeps its type, got {self.source.type} and {self.dest.type}")
        source, dest = self.source.owner, self.dest.owner
        buffers = isinstance(source, AllocOp | ReuseOp) and isinstance(dest, AllocOp)
        placed = isinstance(source, ViewOp) and isinstance(dest, ViewOp) and source.arena is dest.arena
        if not buffers and not placed:
            raise VerifyException("a buffer moves from one view of an arena to another")

    @property
    def placed(self) -> bool:
        return isinstance(self.dest.owner, ViewOp)

    @property
    def distance(self) -> int:
        """The distance in bytes from the old to the new address of the buffer. Both addresses must be known."""
        return cast(ViewOp, self.dest.owner).offset.value.data - cast(ViewOp, self.source.owner).offset.value.data

    @property
    def upwards(self) -> bool:
        """True if the new address is higher, so that the last element must be copied first."""
        return self.distance > 0


@irdl_op_definition
class SliceOp(DialectOp, HasFolderInterface, HasCanonicalizationPatternsInterface):
    """A contiguous view of the elements of a memref, starting at an element offset that is computed at run time.

    The view is in the same memory space as the memref. It may have another shape, and another element type with the
    same storage type; in this case it reinterprets the raws.
    """

    name = "scratch.slice"
    source = operand_def(MEMREF)
    offset = operand_def(IndexType)
    result = result_def(MEMREF)
    traits = traits_def(Pure())
    assembly_format = "$source `[` $offset `]` attr-dict `:` type($source) `to` type($result)"

    def __init__(self, source: SSAValue, offset: SSAValue, shape: tuple[int, ...], element: Attribute | None = None):
        type = memref_type(source)
        super().__init__(
            operands=[source, offset],
            result_types=[array_type(element or type.element_type, shape, type.memory_space)],
        )

    def verify_(self) -> None:
        source, result = memref_type(self.source), memref_type(self.result)
        kept = [(storage_of(type.element_type), type.memory_space) for type in (source, result)]
        if kept[0] != kept[1]:
            raise VerifyException(f"a slice cannot change memory space or storage type: {source} and {result}")
        if size_in_bytes(result) > size_in_bytes(source):
            raise VerifyException(f"{result} has more elements than {source}")
        if isinstance(source.memory_space, CsrFlash):
            raise VerifyException("a sparse matrix has no slices")

    def fold(self) -> tuple[SSAValue] | None:
        whole = self.source.type == self.result.type and const_evaluate_operand(self.offset) == 0
        return (self.source,) if whole else None

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (SliceOfSlice(),)


class SliceOfSlice(RewritePattern):
    """Replace a slice of a slice by one slice, if the offsets can be added at compile time: one offset is 0, or
    both are constant.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SliceOp, rewriter: PatternRewriter, /) -> None:
        if not isinstance(inner := op.source.owner, SliceOp):
            return
        first, second = const_evaluate_operand(inner.offset), const_evaluate_operand(op.offset)
        if first == 0:
            offset = op.offset
        elif second == 0:
            offset = inner.offset
        elif first is None or second is None:
            return
        else:
            sum = index_constant(first + second)
            rewriter.insert(sum)
            offset = sum.result
        type = memref_type(op.result)
        rewriter.replace(op, SliceOp(inner.source, offset, type.get_shape(), type.element_type))
