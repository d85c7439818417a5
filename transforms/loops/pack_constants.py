"""`pack-constants`: bit-packs constants whose raws need fewer bits than their type, if packing is profitable (L3).

The raws of an array determine the width, independent of the number format. Kernels of the target read packed rows. If
ops load single elements, each load becomes a call. Packing must reduce the product of bytes and time, as in
`choose-storage`, by at least the fraction `MIN_GAIN`. The bytes saved must also exceed the bytes of the code that reads
the packed elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeGuard

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.accumulator import ACCUMULATOR_WIDTHS
from tinyml.dialects.formats.number_format import INTEGER, INTEGER_CODING, element_format, number_format
from tinyml.dialects.functions import are_data
from tinyml.dialects.layouts.digits import Digits, Width
from tinyml.dialects.layouts.packed_bits import group_length, packed_bytes, packed_widths, packings
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import memref_type
from tinyml.targets.costs import cost_table, kernel_cost, kernel_step
from tinyml.targets.kernel import Kernel, packed_reader
from tinyml.targets.kernel_table import ListedKernels
from tinyml.targets.nests import SumQuery
from tinyml.targets.registry import HOST, chip_of, offers
from tinyml.transforms.ir.buffers import buffer_reads, retype_buffer, retype_elements
from tinyml.transforms.ir.cost.estimate import known_cost
from tinyml.transforms.ir.indices import exchanged, executions, is_multiple
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.ir.sparse_layouts import SparseRows, best_rows, compressed_rows
from tinyml.transforms.loops.kernels.tiles import is_bought

CHOICES = ("auto", "always", "never")

INDEX_LIMIT = (1 << 15) - 1
"""The most elements of an array whose single elements can be read: their index is an `int16_t`."""


MIN_GAIN = 0.15
"""The least share by which packing has to reduce the product of bytes and time; a few bytes do not justify slower
code.
"""


@dataclass(frozen=True)
class PackConstantsPass(ModulePass):
    """Pack constants whose elements need few bits: change the memory space of the constants to packed flash or packed
    RAM.

    Rows that kernels read are padded to whole groups.

    target: as for `select-kernels`; targets without kernels have enough flash, so no constants in flash are packed.
    packed: `auto` packs constants in flash if this is profitable, and all constants that are loaded into RAM; `always`
        packs without regard to the cost; `never` packs nothing.

    Raises `InputError` for an unknown target or mode.
    """

    name = "pack-constants"
    target: str = HOST
    packed: str = CHOICES[0]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = chip_of(self.target)
        if self.packed not in CHOICES:
            raise InputError(f"constants are packed {', '.join(CHOICES)}, not '{self.packed}'")
        bought = _bought(op, self.target)
        constants = [constant for constant in op.walk() if isinstance(constant, scratch.ConstantOp)]
        packables = [_Packable.find(constant, self.target) for constant in constants if constant not in bought]
        chosen = [packable for packable in packables if packable is not None]
        if self.packed == "auto":
            # RAM is always scarcer than time and flash.
            loaded = [packable for packable in chosen if packable.constant.loaded]
            chosen = [
                *loaded,
                *(
                    _worthwhile([each for each in chosen if each not in loaded])
                    if chip.entries_of(ListedKernels)
                    else []
                ),
            ]
        for packable in chosen if self.packed != "never" else []:
            packable.pack()


def _bought(module: ModuleOp, target: str) -> set[scratch.ConstantOp | None]:
    tiled = [op for op in module.walk() if isinstance(op, num.ContractOp) and is_bought(op.tile, target)]
    return {scratch.constant_root(factor) for op in tiled for products in op.products for factor in products.factors}


@dataclass
class _Packable:
    """A constant that can be packed to a width of `bits`, or as digits.

    row: the number of elements of each row that dot products read; 1 if rows are unknown or cannot be padded to whole
        groups.
    size, packed_size: bytes of flash before and after packing, including the gaps of sparse rows.
    readers: by symbol, the code size in bytes of each function that would read the packed array.
    calls: the number of reads that load single elements.
    slowdown: the time to read the packed array divided by the time to read the unpacked array, by the cost table.
    time: the time to read the unpacked array in an inference. Reads without a kernel count as a step of one.
    step_ratio: as slowdown, by the steps of the kernels. The cost table has measured some widths only, but each kernel
        has a step, so that widths are compared by one price.
    """

    constant: scratch.ConstantOp
    target: str
    bits: Width
    row: int
    size: int
    packed_size: int
    readers: dict[str, int] = field(default_factory=dict[str, int])
    calls: int = 0
    slowdown: float = 0.0
    time: float = 0.0
    step_ratio: float = 0.0

    @classmethod
    def find(cls, op: scratch.ConstantOp, target: str) -> _Packable | None:
        if are_data(op) or not isinstance(memref_type(op.result).memory_space, scratch.Flash | NoneAttr):
            return None
        format = number_format(memref_type(op.result).element_type)
        if format is None or format.dtype.kind != "i":
            return None
        readers = [use.operation for use in buffer_reads(op.result)]
        rows = {dot.length for dot in readers if _is_dense(dot)}
        row = rows.pop() if len(rows) == 1 else 1
        if op.loaded and any(map(_is_sparse, readers)):
            # The entries of sparse rows share bytes with the gaps, which are structure and stay in flash.
            return None
        # Digits need raws that are equal to the integers; the functions that read them read flash.
        whole = format.coding is INTEGER_CODING and not op.loaded
        widths = packings(op.raws) if whole else packed_widths(op.raws)
        candidates = [cls._with(op, target, bits, row, readers) for bits in widths]
        readable = [candidate for candidate in candidates if candidate.calls == 0 or op.raws.size <= INDEX_LIMIT]
        return min(
            readable, key=lambda candidate: (candidate.size - candidate.saved) * candidate.step_ratio, default=None
        )

    @classmethod
    def _with(
        cls, op: scratch.ConstantOp, target: str, bits: Width, row: int, readers: Sequence[Operation]
    ) -> _Packable:
        row = row if row % group_length(bits) == 0 or _can_pad(op.result, row) else 1
        size = op.raws.size // row * packed_bytes(row, bits) if row > 1 else packed_bytes(op.raws.size, bits)
        packable = cls(op, target, bits, row, scratch.bytes_of(op.result), size)
        for reader in readers:
            packable._count(reader)
        return packable

    def _count(self, reader: Operation) -> None:
        reads = chip_of(self.target).packed_reads
        symbol = packed_reader(self.bits, flash=not self.constant.loaded)
        code = 0 if isinstance(self.bits, Digits) else reads.code.get(self.bits, 0)
        slowdown = step_ratio = reads.loop if isinstance(reader, memref.LoadOp) else reads.kernel
        time = executions(reader)
        if _is_dense(reader):
            width = 8 * element_format(reader.factors[0].type).dtype.itemsize
            rows = self.constant.raws.size // self.row
            plain, packed = (_kernel(reader, bits, rows, self.target) for bits in (width, self.bits))
            time *= reader.length * (plain.step if plain is not None else 1.0)
            if packed is not None and self.row > 1:
                symbol, code = packed.symbol, packed.code
                if packed.composed is not None:
                    self.readers |= {shared.symbol: shared.code for shared in packed.composed.shared}
                # If the plain array has no kernel, a loop is slower by the same ratio as one that a kernel replaces.
                slowdown = step_ratio = 1 / reads.kernel
                if plain is not None:
                    slowdown = self._slowdown(reader, packed, plain) or reads.loop
                    step_ratio = packed.step / plain.step if packed.step and plain.step else reads.loop
                self.calls -= 1
        if _is_sparse(reader):
            whole, packed = (
                _sparse(reader, bits, self.target) for bits in (8 * self.constant.raws.itemsize, self.bits)
            )
            if whole is not None and packed is not None:
                symbol, code = packed.kernel.symbol, packed.kernel.code
                # A matrix of zeros takes no time in either form.
                slowdown = step_ratio = packed.time / whole.time if whole.time else 1.0
                self.size, self.packed_size = whole.bytes, packed.bytes
                self.calls -= 1
            elif whole is not None:
                # Without a kernel the gaps remain; widths are compared by the bytes of weights and gaps.
                gaps = whole.bytes - self.size
                self.size, self.packed_size = whole.bytes, self.packed_size + gaps
        self.calls += 1
        self.readers[symbol] = code
        self.slowdown = max(self.slowdown, slowdown)
        self.step_ratio = max(self.step_ratio, step_ratio)
        self.time += time

    def _slowdown(self, reader: num.Adding, packed: Kernel, plain: Kernel) -> float:
        times = [_row_time(kernel, reader.length, self.target) for kernel in (packed, plain)]
        return times[0] / times[1] if all(times) else 0.0

    @property
    def saved(self) -> int:
        return self.size - self.packed_size - chip_of(self.target).packed_reads.call * self.calls

    @property
    def effort(self) -> float:
        return (self.size - self.saved) * self.slowdown

    def repays(self, code: int) -> bool:
        """Whether packing is profitable even if no other constant uses the function that reads the packed elements.

        code: the size of this function in bytes.
        """
        return self.effort + code * self.slowdown < (1 - MIN_GAIN) * self.size

    def pack(self) -> None:
        raws, type = self.constant.raws, memref_type(self.constant.result)
        element = type.element_type
        shape, padded = type.get_shape(), self.row + -self.row % group_length(self.bits)
        if self.row > 1 and padded != self.row:
            shape = _padded(shape, self.row, padded)
            element = _with_zero(self.constant.result.type, self.bits)
            # Kernels for fields multiply the padding, too; those for digits, of which 1 is one, do not.
            filled = np.full((raws.size // self.row, padded), isinstance(self.bits, Digits), raws.dtype)
            filled[:, : self.row] = raws.reshape(-1, self.row)
            raws = filled.reshape(shape)
            _pad_slices(self.constant.result, self.row, padded)
        ram = self.bits if self.constant.loaded and isinstance(self.bits, int) else None
        space = scratch.PackedFlash(self.bits) if ram is None else scratch.PackedRam(ram)
        self.constant.value = scratch.ConstantOp.of(raws, element).value
        retype_elements(self.constant.result, element)
        retype_buffer(self.constant.result, MemRefType(element, shape, memory_space=space))


def _with_zero(type: Attribute, bits: Width) -> Attribute:
    """The element type of a constant that is packed with padding, in which the raw 0 must represent zero.

    If a format encodes zero as a nonzero raw, the elements become integers, except in constants packed as digits.

    bits: the width of the packed elements.
    """
    format = element_format(type)
    if isinstance(bits, Digits) or not np.any(format.encode(np.zeros(()))):
        return format.type
    whole = format.as_integers(8 * format.dtype.itemsize)
    assert whole is not None
    return whole.type


def _worthwhile(packables: Sequence[_Packable]) -> list[_Packable]:
    """The constants that are profitable to pack.

    Packing a constant must reduce the product of its bytes and time by `MIN_GAIN`. It must also reduce the product of
    the powers of both whose exponents are the shares of the constant in all bytes and in all time: an inner loop is not
    made slower for a few bytes. Constants with a common reader are omitted if together they save no more bytes than the
    reader's code has.
    """
    bytes, time = sum(each.size for each in packables), sum(each.time for each in packables)

    def gains(each: _Packable) -> bool:
        if each.effort >= (1 - MIN_GAIN) * each.size:
            return False
        left, slower = 1 - each.saved / each.size, each.slowdown
        return left ** (each.size / bytes) * slower ** (each.time / (time or 1)) < 1

    chosen = [*filter(gains, packables)]
    while True:
        saved: dict[str, int] = {}
        for packable in chosen:
            for symbol in packable.readers:
                saved[symbol] = saved.get(symbol, 0) + packable.saved
        kept = [
            packable
            for packable in chosen
            if all(saved[symbol] > code or packable.repays(code) for symbol, code in packable.readers.items())
        ]
        if len(kept) == len(chosen):
            return kept
        chosen = kept


def _is_sparse(op: Operation) -> TypeGuard[num.Adding]:
    return isinstance(op, num.SparseProductsOp) or (isinstance(op, num.CallOp) and op.routine.name == num.SPARSE_DOT)


def _is_dense(op: Operation) -> TypeGuard[num.Adding]:
    return num.calls_dot(op) or (isinstance(op, num.ProductsOp) and op.channels is None and op.spacing is None)


def _kernel(dot: num.Adding, weights: Width, rows: int, target: str) -> Kernel | None:
    names = {num.DotAttr.name: 1, num.DOT_ROWS: rows}
    fitting = [
        kernel
        for name, count in names.items()
        for kernel in _summing(dot.sum, *dot.factors, weights, name, target, count)
    ]
    dense = [kernel for kernel in fitting if kernel.rows <= rows]
    return min(dense, key=lambda kernel: kernel.step, default=None)


def _row_time(kernel: Kernel, length: int, target: str) -> float:
    if not kernel.step or (table := cost_table(target)) is None:
        return kernel.step * length

    def time(unit: str) -> float:
        step = kernel_step(kernel, unit)
        return (known_cost(table, step, kernel_cost(kernel, unit)) or table.generic_cost(step)).time

    if kernel.weights % 8 and kernel.codings[0] == INTEGER:
        length += -length % group_length(kernel.weights)
    return time("") / kernel.rows + (time("element") + length % 2 * time("odd element")) * length


def _sparse(dot: num.Adding, weights: Width, target: str) -> SparseRows | None:
    sparse = _summing(dot.sum, *dot.factors, weights, num.SPARSE_DOT, target)
    least = min((kernel.sum for kernel in sparse), default=0)
    narrowest = [kernel for kernel in sparse if kernel.sum == least]
    return best_rows(narrowest, compressed_rows(dot), dot.length)


def _summing(
    sum: SSAValue, values: SSAValue, vector: SSAValue, weights: Width, op: str, target: str, rows: int = 1
) -> list[Kernel]:
    formats = [element_format(operand.type) for operand in (values, vector)]
    if not num.accumulator_type(sum).INTEGER or any(format.coding is None for format in formats):
        return []
    codings = tuple(format.coding.name for format in formats if format.coding is not None)
    packed = scratch.ram_bits(memref_type(vector)) if op == num.SPARSE_DOT else None
    bits = packed or 8 * formats[1].dtype.itemsize
    widths = [width for width in ACCUMULATOR_WIDTHS if width >= num.accumulator_type(sum).bits]
    flash = scratch.in_flash(memref_type(values))
    nest = SumQuery(op, weights, bits, tuple(widths), codings, flash, rows=rows)
    return [offer.kernel for offer in offers(target, nest)]


def _can_pad(value: SSAValue, row: int) -> bool:
    """Whether the rows of a buffer, of `row` elements each, can be padded. The shape of the buffer must consist of such
    rows, and every view of the buffer must contain whole rows. If a row spans several axes, ops may use the buffer
    only through views. False for rows of one element.
    """
    shape = memref_type(value).get_shape()
    if row == 1 or (axis := _axis_of_rows(shape, row)) is None:
        return False
    views = [use.operation for use in value.uses if isinstance(use.operation, scratch.SliceOp)]
    if shape[axis] != row and len(views) < value.uses.get_length():
        return False
    return all(
        is_multiple(view.offset, row) and (scratch.elements_of(view.result) == row or _can_pad(view.result, row))
        for view in views
    )


def _axis_of_rows(shape: Sequence[int], row: int) -> int | None:
    """The index of the first of the trailing axes that together form rows of `row` elements. None if no trailing
    axes form such rows.
    """
    return max((axis for axis in range(len(shape)) if prod(shape[axis:]) == row), default=None)


def _padded(shape: Sequence[int], row: int, padded: int) -> tuple[int, ...]:
    """The shape of an array after its rows are lengthened from `row` to `padded` elements. The axes of a row are
    merged into one axis.
    """
    axis = _axis_of_rows(shape, row)
    assert axis is not None
    return (*shape[:axis], padded, *(shape[axis + 1 :] if shape[axis] == row else ()))


def _pad_slices(value: SSAValue, row: int, padded: int) -> None:
    """Adapt the views of a buffer to rows that were padded from `row` to `padded` elements. The shape of a view of
    a single row does not change.
    """
    for use in list(value.uses):
        view = use.operation
        if isinstance(view, scratch.SliceOp):
            view.operands[1] = exchanged(view.offset, row, padded, LoopBuilder(view))
            type = memref_type(view.result)
            if scratch.elements_of(view.result) > row:
                _pad_slices(view.result, row, padded)
                shape = _padded(type.get_shape(), row, padded)
                Rewriter.replace_value_with_new_type(view.result, MemRefType(type.element_type, shape))
