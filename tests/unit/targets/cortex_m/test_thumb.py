"""Thumb instructions as records: their text, the registers that they read and write, and the operands that they
reject.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tinyml.runtime.devices.cortex_m import disassembled
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.toolchain import call_tool
from tinyml.targets.composer.instructions import Code, Instruction, printed
from tinyml.targets.composer.tile_code import RepeatedCode
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.boards import ARMV6M, DSP
from tinyml.targets.cortex_m.composer.coded_depthwise import CodedDepthwise
from tinyml.targets.cortex_m.composer.coded_depthwise_armv6m import CodedDepthwiseArmv6m
from tinyml.targets.cortex_m.composer.coded_rows_armv6m import CodedRowsArmv6m
from tinyml.targets.cortex_m.composer.depthwise import SlidingWindow
from tinyml.targets.cortex_m.composer.depthwise_armv6m import ChannelsArmv6m
from tinyml.targets.cortex_m.composer.fragments import statement
from tinyml.targets.cortex_m.composer.paired_rows import ByOneFactor, PairedWindow
from tinyml.targets.cortex_m.composer.rows import RowPairs, SingleWindow, WidenedRows
from tinyml.targets.cortex_m.composer.rows_armv6m import RowsArmv6m
from tinyml.targets.cortex_m.composer.shifted_depthwise import ShiftedSlidingWindow
from tinyml.targets.cortex_m.composer.shifted_rows import ShiftedPairedWindow, ShiftedRowPairs, ShiftedWindow
from tinyml.targets.cortex_m.composer.winograd_1d import Winograd1d
from tinyml.targets.cortex_m.composer.winograd_2d import Winograd2d
from tinyml.targets.cortex_m.thumb import Opcode, at, post, slot
from tinyml.targets.tiles import Sums, Tile

ROWS, PIXELS = Tile(11, 2, 30, 600, 7, 9, 127), Tile(7, 3, 48, 160, 16, 9, -5)
CHANNELS = Tile(9, 3, 27, 120, 9, 13, 5)


def sums_of(tile: Tile, channels: bool) -> Sums:
    """Sums with random weights, about a third of which are zero.

    channels: whether each row has weights for its own channel only.
    """
    random = np.random.default_rng(3)
    shape = tile.rows, tile.runs * tile.length // (tile.rows if channels else 1)
    weights = random.integers(-128, 128, shape) * (random.random(shape) < 0.7)
    factors = np.full(tile.rows, 1 << 30), np.full(tile.rows, -9)
    return Sums(weights, random.integers(-(1 << 20), 1 << 20, tile.rows), *factors)


KERNELS: dict[str, list[RepeatedCode]] = {
    "cortex-m4": [
        *(
            RowPairs(ROWS),
            RowPairs(replace(PIXELS, to_even=1)),
            WidenedRows(ROWS),
            SingleWindow(Tile(13, 1, 50, 0, 50, 1, 0)),
            PairedWindow(Tile(13, 1, 50, 0, 50, 1, 0)),
            ByOneFactor(Tile(13, 1, 50, 0, 50, 1, 0)),
        ),
        *(ShiftedRowPairs(replace(ROWS, right=9)), ShiftedWindow(Tile(13, 1, 50, 0, 50, 1, 0, right=9))),
        *(Winograd1d(PIXELS), Winograd2d(Tile(7, 3, 48, 160, 16, 8, -5, lines=2))),
        ShiftedPairedWindow(Tile(13, 1, 50, 0, 50, 1, 0, right=9)),
        ShiftedSlidingWindow(replace(CHANNELS, zero=0, right=9)),
        *(SlidingWindow(CHANNELS), CodedDepthwise(CHANNELS, sums_of(CHANNELS, channels=True))),
    ],
    "cortex-m0": [
        *(
            RowsArmv6m(replace(ROWS, to_even=1)),
            ChannelsArmv6m(CHANNELS),
            RowsArmv6m(replace(ROWS, zero=0, right=9)),
            ChannelsArmv6m(replace(CHANNELS, zero=0, right=9)),
            CodedRowsArmv6m(ROWS, sums_of(ROWS, channels=False)),
        ),
        CodedDepthwiseArmv6m(CHANNELS, sums_of(CHANNELS, channels=True)),
    ],
}
"""Kernels of each composer, by boards."""


OTHERS: dict[str, Code] = {
    "cortex-m4": (
        *(t.smlal("r4", "r5", "r6", "r7"), t.smlald("r4", "r9", "r6", "r7"), t.mls("r4", "r5", "r6", "r7")),
        *(t.and_("r9", "r3", "r8", lsr=4), t.and_("r8", "r2", 7), t.bfi("r9", "r8", 0, 8), t.rsb("r8", "r8", 0)),
        *(t.mul("r2", "r2", "r8"), t.eors("r8", "r8", 1 << 17), t.eor("r8", "r8", 128)),
        *(t.orr("r3", "r0", "r2", lsl=1), t.pkhtb("r4", "r5", "r6", asr=16), t.lsl("r8", "r8", 2), t.mvn("r4", 5)),
        *(t.movt("r4", 7), t.cmn("r4", 128), t.it("eq"), t.mvneq("r4", 126), t.ldrsh("r4", post("r5", 2))),
        *(t.cbz("r4", ahead=2), t.blt(ahead=2), t.bls(ahead=2), t.label(2), t.ldmia("r3", ("r4", "r5"))),
        *(t.stmia("r3", ("r4", "r5")), t.strd("r4", "r9", post("r2", 8)), t.ldr("r3", at("r4", "r8", lsl=2))),
        *(t.smlatb("r4", "r5", "r6", "r7"), t.smlatt("r4", "r9", "r6", "r7")),
    ),
    "cortex-m0": (t.adcs("r0", "r0", "r1"), t.ldrsh("r3", at("r4", "r5")), t.ldmia("r3", ("r4", "r5"), update=True)),
}
"""Instructions of other kernels."""


def made(code: Code) -> list[Instruction]:
    """The instructions in code that also contains labels."""
    return [line for line in code if isinstance(line, Instruction)]


def test_records_are_printed_with_what_they_read_and_write():
    added, moved, stored = t.add("r4", "r4", "r5", asr=31), t.ldr("r3", post("r0", 4)), t.strd("r8", "r9", at("r2", 8))
    assert printed(
        (added, moved, stored, t.label(1), t.bne(back=1), t.stm("r2", (range(4, 8), "lr"), update=True))
    ) == (
        *("add r4, r4, r5, asr #31", "ldr r3, [r0], #4", "strd r8, r9, [r2, #8]", "1:", "bne 1b"),
        "stm r2!, {r4-r7, lr}",
    )
    assert (added.reads, added.writes) == (("r4", "r5"), ("r4",))
    assert (moved.reads, moved.writes, moved.cycles) == (("r0",), ("r3", "r0"), "load")
    assert (stored.reads, stored.writes, stored.words) == (("r2", "r8", "r9"), (), 2)
    assert (t.bl(ahead=2).writes, t.adcs("r0", "r0", "r1").writes) == (("lr",), ("flags", "r0"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (lambda: t.smlad("r4", "r5", "r6"), "smlad r4, r5, r6: smlad has other operands"),
        (lambda: t.mov("r4", "r13"), "mov r4, r13: mov does not take r13"),
        (lambda: t.adds("r4", "r4", -1), "adds r4, r4, #-1: adds does not take #-1"),
        (lambda: t.add("r4", "r4", 0x12345), "does not take #74565"),
        (lambda: t.movw("r4", 1 << 16), "does not take #65536"),
        (lambda: t.ldr("r4", at("sp", 4096)), r"does not take \[sp, #4096\]"),
        (lambda: t.ldrd("r4", "r5", at("r0", 2)), r"does not take \[r0, #2\]"),
        (lambda: t.smlad("r4", "r5", "r6", "r7", lsl=1), "smlad has other operands"),
        (lambda: t.bne(), "bne has other operands"),
    ],
)
def test_operands_are_checked_when_an_instruction_is_made(line: Callable[[], Instruction], message: str):
    with pytest.raises(ValueError, match=message):
        line()


@pytest.mark.parametrize(
    "line",
    [
        t.ldr("r8", slot(0)),
        t.adds("r0", "r0", "r8"),
        t.ldr("r0", at("r1", 128)),
        t.ldrsb("r0", at("r1", 4)),
        t.muls("r0", "r0", "r1"),
        t.add("r0", "r1", "r2"),
        t.smlad("r0", "r1", "r2", "r0"),
    ],
    ids=lambda line: line.text,
)
def test_armv6m_takes_its_own_instructions_only(line: Instruction):
    assert statement([line], DSP)
    with pytest.raises(ValueError, match="ARMv6-M has no such instruction"):
        statement([line], ARMV6M)


@pytest.mark.parametrize("board", KERNELS)
def test_the_table_agrees_with_the_assembler(board: str, tmp_path: Path):
    """For kernels, the sizes, classes of cycles and registers of all records equal those in the disassembly of the
    assembled text.
    """
    chip, source, object = runner_for(board).chip, tmp_path / "kernels.s", tmp_path / "kernels.o"
    lines = [line for kernel in KERNELS[board] for line in kernel.code.lines] + [*OTHERS[board]]
    source.write_text("\n".join([".syntax unified", ".thumb", *printed(lines), ""]))
    call_tool(chip, "gcc", [*runner_for(board).board.flags, "-c", source, "-o", object])
    ours = made(tuple(lines))
    theirs = [*disassembled(call_tool(chip, "objdump", ["-d", object])).values()]
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        # On an M4 branches may be far.
        assert one.size in (None, other.size) or (board, one.cycles) == ("cortex-m4", "branch"), one.text
        assert (one.cycles, one.words) == (other.cycles, other.words), one.text
        assert [*map(named, other.address)] == [*one.address], one.text
        if one.cycles in ("load", "other"):
            computed = [*map(named, other.writes)]
            assert computed == [name for name in one.writes if name != "flags"][: len(computed)], one.text


def test_all_of_the_table_is_compared():
    compared = {line.name for board in KERNELS for kernel in KERNELS[board] for line in made(kernel.code.lines)}
    compared |= {line.name for code in OTHERS.values() for line in made(code)}
    assert compared == {opcode.name for opcode in vars(t).values() if isinstance(opcode, Opcode)}


def named(register: str) -> str:
    """The name of a register in the table of instructions."""
    return {"sl": "r10", "fp": "r11", "ip": "r12"}.get(register, register)


@pytest.mark.parametrize("board", KERNELS)
def test_kernels_read_only_what_they_have_written(board: str):
    """In the order of its text, a kernel writes every register before it reads it, except when it saves the caller's
    registers.
    """
    for kernel in KERNELS[board]:
        lines, held = made(kernel.code.lines), {"r0", "r1", "r2", "sp"}
        body = max(number for number, line in enumerate(lines) if line.name == "push") + 1
        for line in lines[body:]:
            assert held.issuperset(line.reads), line.text
            held.update(line.writes)
