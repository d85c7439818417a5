"""`lower-rtl-to-circt`: turns the memories of hardware modules into ops of CIRCT, so that no op of tinyml remains.

CIRCT accepts the generic form with locations, and with properties as attributes, from version 1.62 on.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import comb, hw, seq
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, StringAttr, i32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from tinyml.dialects import rtl
from tinyml.dialects.locations import error_at
from tinyml.dialects.operations import width_of
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.xdsl_additions.circt import AggregateConstantOp, FirMemOp, FirMemReadOp, FirMemType, FirMemWriteOp
from tinyml.transforms.ir.levels import CIRCUITS


@dataclass(frozen=True)
class LowerRtlToCirctPass(ModulePass):
    """Replace each `rtl.ram` by a `seq.firmem` or, if the memory is never written, by an array of constants.

    The output of an `rtl.ram` holds the last read word until the next read. The replacement therefore reads without
    latency into a register. Registers are named after their values. Raises `InputError` for a memory that is
    written and also has initial content, since CIRCT stores such content in a file.
    """

    name = "lower-rtl-to-circt"
    takes = CIRCUITS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for nested in list(op.walk()):
            if isinstance(nested, rtl.RamOp):
                _lower(nested)
        for nested in op.walk():
            if isinstance(nested, seq.CompRegOp) and nested.data.name_hint is not None:
                nested.attributes["name"] = StringAttr(nested.data.name_hint)


def _lower(ram: rtl.RamOp) -> None:
    rewriter = _Before(ram)
    word = rewriter.table() if ram.data is None else rewriter.memory()
    register = seq.CompRegOp(word, ram.clock)
    kept = rewriter.put(comb.MuxOp(ram.enable, word, register.data))
    register.operands[0] = kept
    rewriter.put(register).name_hint = ram.result.name_hint
    Rewriter.replace_op(ram, [], [register.data])


class _Before:
    """A builder that inserts reads without latency before a memory."""

    def __init__(self, ram: rtl.RamOp):
        self.ram = ram
        self.depth = ram.depth.value.data

    def put(self, op: Operation) -> SSAValue:
        Rewriter.insert_op(op, InsertPoint.before(self.ram))
        return op.results[0]

    def table(self) -> SSAValue:
        words = self.ram.words
        assert words is not None
        if self.depth < 2:
            return self.put(hw.ConstantOp(words[0], self.ram.width, truncate_bits=True))
        constant = AggregateConstantOp(words, self.ram.width)
        self.put(constant)
        return self.put(hw.ArrayGetOp(constant.result, self._address(self.ram.address)))

    def memory(self) -> SSAValue:
        ram, name = self.ram, self.ram.result.name_hint
        if ram.content is not None:
            raise error_at(ram, f"'{ram.name}' has content and is written, which 'seq.firmem' has no form for")
        assert ram.data is not None
        assert ram.target is not None
        # An address of no bits cannot be written in Verilog, so a single word becomes two.
        type = FirMemType(max(self.depth, 2), ram.width, ram.lanes if ram.lanes > 1 else 0)
        memory = FirMemOp(type, read_latency=0, name=name)
        self.put(memory)
        written = (None, ram.mask) if ram.lanes > 1 else (ram.mask, None)
        self.put_write(FirMemWriteOp(memory.memory, self._address(ram.target), ram.clock, ram.data, *written))
        return self.put(FirMemReadOp(memory.memory, self._address(ram.address), ram.clock))

    def put_write(self, op: FirMemWriteOp) -> None:
        Rewriter.insert_op(op, InsertPoint.before(self.ram))

    def _address(self, value: SSAValue) -> SSAValue:
        width, have = max((self.depth - 1).bit_length(), 1), width_of(value)
        if have > width:
            return self.put(comb.ExtractOp(value, IntegerAttr(0, i32), IntegerType(width)))
        if have < width:
            zeros = self.put(hw.ConstantOp(0, width - have))
            return self.put(comb.ConcatOp([zeros, value], IntegerType(width)))
        return value
