"""The xDSL target `-t mlir-opt`, which prints a module of any level so that MLIR's tools parse it, and the inverse of
its rewriting, which `tinyml-opt` applies to its input.

MLIR accepts elements of a memref only if their type is builtin or registered, and memory spaces only if they are
integers, strings, dictionaries or registered. A memref of numbers, or in flash, is therefore printed as a memref of the
integers or floats in which the numbers are stored. Its memory space is a dictionary of the original element type and
memory space:

    memref<4x!fixed.q<8, 7>, #scratch.flash>
    memref<4xi8, {element = !fixed.q<8, 7>, space = #scratch.flash}>

`builtin.unrealized_conversion_cast`s convert between elements and their storage at `memref.load` and `memref.store`,
and replace each `memref.cast` to another memory space, such as that of weights whose address a kernel accepts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, cast

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DictionaryAttr,
    FixedBitwidthType,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    TypeConversionPattern,
    attr_type_rewrite_pattern,
    op_type_rewrite_pattern,
)
from xdsl.printer import Printer
from xdsl.rewriter import InsertPoint
from xdsl.utils.target import Target

from tinyml.dialects.scratch import storage_of

ELEMENT, SPACE = "element", "space"
"""The entries of the dictionary."""


@dataclass(frozen=True)
class MlirOptTarget(Target):
    """Print a module in the generic form that `mlir-opt --allow-unregistered-dialect` parses. `tinyml-opt` reads the
    module back unchanged, except for names of values and the order of sums in affine maps.
    """

    name = "mlir-opt"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        module = module.clone()
        encode_memrefs(module)
        Printer(output, print_generic_format=True).print_op(module)
        output.write("\n")


def encode_memrefs(module: ModuleOp) -> None:
    """Replace the memrefs that MLIR does not accept by memrefs of the storage of their elements."""
    PatternRewriteWalker(_EncodeTypes(recursive=True), apply_recursively=False).rewrite_module(module)
    accesses = GreedyRewritePatternApplier([_EncodeLoads(), _EncodeStores(), _EncodeCasts()], dce_enabled=False)
    PatternRewriteWalker(accesses, apply_recursively=False).rewrite_module(module)


def decode_memrefs(module: ModuleOp) -> None:
    """Undo `encode_memrefs`. No effect on a module without encoded memrefs."""
    PatternRewriteWalker(_DecodeTypes(recursive=True), apply_recursively=False).rewrite_module(module)
    accesses = GreedyRewritePatternApplier(
        [_DecodeLoads(), _DecodeStores(), _DecodeCasts(), _DropOverflowFlags()], dce_enabled=False
    )
    PatternRewriteWalker(accesses, apply_recursively=False).rewrite_module(module)


class _EncodeTypes(TypeConversionPattern):
    @attr_type_rewrite_pattern
    def convert_type(self, typ: MemRefType[Attribute], /) -> MemRefType[Attribute] | None:
        element, space = typ.element_type, typ.memory_space
        is_known = isinstance(element, FixedBitwidthType | IndexType)
        if is_known and isinstance(space, NoneAttr | IntegerAttr):
            return None
        entries = {} if is_known else {ELEMENT: element}
        entries |= {} if isinstance(space, NoneAttr) else {SPACE: space}
        return MemRefType(storage_of(element), typ.shape, typ.layout, DictionaryAttr(entries))


class _DecodeTypes(TypeConversionPattern):
    @attr_type_rewrite_pattern
    def convert_type(self, typ: MemRefType[Attribute], /) -> MemRefType[Attribute] | None:
        if not isinstance(typ.memory_space, DictionaryAttr):
            return None
        entries = typ.memory_space.data
        return MemRefType(entries.get(ELEMENT, typ.element_type), typ.shape, typ.layout, entries.get(SPACE, NoneAttr()))


def _memref(array: SSAValue) -> MemRefType[Attribute]:
    return cast(MemRefType[Attribute], array.type)


def _element(array: SSAValue) -> Attribute:
    return _memref(array).element_type


class _EncodeLoads(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.LoadOp, rewriter: PatternRewriter, /) -> None:
        element = op.res.type
        if element == _element(op.memref):
            return
        hint = op.res.name_hint
        stored = rewriter.replace_value_with_new_type(op.res, _element(op.memref))
        cast_op = UnrealizedConversionCastOp.get([stored], [element])
        cast_op.results[0].name_hint = hint
        rewriter.insert(cast_op, InsertPoint.after(op))
        stored.replace_uses_with_if(cast_op.results[0], lambda use: use.operation is not cast_op)


class _EncodeStores(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.StoreOp, rewriter: PatternRewriter, /) -> None:
        if op.value.type == _element(op.memref):
            return
        cast_op = UnrealizedConversionCastOp.get([op.value], [_element(op.memref)])
        rewriter.insert(cast_op, InsertPoint.before(op))
        op.operands[0] = cast_op.results[0]


class _EncodeCasts(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.CastOp, rewriter: PatternRewriter, /) -> None:
        if _memref(op.source).memory_space != _memref(op.dest).memory_space:
            rewriter.replace(op, UnrealizedConversionCastOp.get([op.source], [op.dest.type]))


def _converted(op: Operation | Block, type: Attribute) -> SSAValue | None:
    """The operand of a conversion of one value to `type`; None for another op. Conversions of several values, which
    MLIR's passes insert where one value becomes several, remain.
    """
    if not isinstance(op, UnrealizedConversionCastOp) or not len(op.inputs) == len(op.outputs) == 1:
        return None
    return op.inputs[0] if op.outputs[0].type == type else None


class _DecodeLoads(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.LoadOp, rewriter: PatternRewriter, /) -> None:
        stored, element = op.res.type, _element(op.memref)
        if stored == element:
            return
        uses = list(op.res.uses)
        loaded = rewriter.replace_value_with_new_type(op.res, element)
        of_raws = [use for use in uses if _converted(use.operation, element) is None]
        for use in uses:
            if use not in of_raws:
                rewriter.replace(use.operation, [], [loaded])
        if of_raws:
            raw = UnrealizedConversionCastOp.get([loaded], [stored])
            rewriter.insert(raw, InsertPoint.after(op))
            for use in of_raws:
                use.operation.operands[use.index] = raw.results[0]


class _DecodeStores(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.StoreOp, rewriter: PatternRewriter, /) -> None:
        element = _element(op.memref)
        if op.value.type == element or (number := _converted(op.value.owner, op.value.type)) is None:
            return
        cast_op = op.value.owner
        op.operands[0] = number
        if isinstance(cast_op, Operation) and not cast_op.results[0].uses:
            rewriter.erase(cast_op)


class _DecodeCasts(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: UnrealizedConversionCastOp, rewriter: PatternRewriter, /) -> None:
        if _converted(op, op.outputs[0].type) is None:
            return
        [source], [dest] = op.inputs, op.outputs
        arrays = isinstance(source.type, MemRefType) and isinstance(dest.type, MemRefType)
        if arrays and _memref(source).memory_space != _memref(dest).memory_space:
            rewriter.replace(op, memref.CastOp.get(source, _memref(dest)))


class _DropOverflowFlags(RewritePattern):
    """Remove the flags of truncations, which MLIR prints from version 21 on and xDSL's op does not have."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.TruncIOp, rewriter: PatternRewriter, /) -> None:
        if op.properties.pop("overflowFlags", None) is not None:
            rewriter.notify_op_modified(op)
