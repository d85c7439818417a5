"""Kernels for RISC-V are generated as IR: costs that are counted from the IR equal those of the built kernels, whose
registers are allocated.
"""

from collections.abc import Sequence

import pytest
from programs.kernel_tables import tile_families
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.riscv_func import FuncOp
from xdsl.ir import Region, SSAValue

from tinyml.targets.composer.instructions import Lines
from tinyml.targets.riscv.assembly import ACCUMULATE, ADD, ADDI, BEQ, LBU, MUL, InstructionCounter, RiscvCode, V
from tinyml.targets.riscv.builder import SAVED, OutOfRegistersError, RiscvBuilder, allocate, assembly
from tinyml.targets.riscv.composer.channel_tiles import RiscvChannelTile
from tinyml.targets.riscv.composer.dot_tiles import RiscvDotTile
from tinyml.targets.tiles import Tile


def instructions(lines: Lines) -> int:
    """The number of lines that are not labels."""
    return sum(not line.endswith(":") for line in lines)


def finished(builder: RiscvBuilder) -> Lines:
    builder.give([])
    allocate(builder.region, saved=builder.has_frame)
    return assembly(builder.region)


def test_loads_and_stores_have_an_offset_and_a_base():
    code = RiscvBuilder()
    pointer, out = code.arguments(2)
    code.store_byte(out, code.load(8, pointer, 3), 5)
    code.store_word(out, code.load(32, pointer, 8), 4)
    code.store_byte(out, code.put(LBU, pointer, 1), 0)
    lines = finished(code)
    assert lines[0::2] == ("lb a3, 3(a0)", "lw a3, 8(a0)", "lbu a0, 1(a0)", "ret")
    assert lines[1::2] == ("sb a3, 5(a1)", "sw a3, 4(a1)", "sb a0, 0(a1)")


@pytest.mark.parametrize(
    ("distance", "lines"),
    [
        (0, ()),
        (-8, ("addi a0, a0, -8",)),
        (3000, ("addi a0, a0, 2047", "addi a0, a0, 953")),
        (8192, ("lui a3, 2", "add a0, a0, a3")),
        (-5000, ("lui a3, 1048575", "addi a3, a3, -904", "add a0, a0, a3")),
    ],
)
def test_a_long_distance_takes_several_additions(distance: int, lines: Lines):
    code, counter = RiscvBuilder(), InstructionCounter()
    code.store_word(code.arguments(2)[1], code.moved(code.arguments(1)[0], distance), 0)
    counter.moved(None, distance)
    assert finished(code)[:-2] == lines
    assert counter.instructions == len(lines)


def sums(code: RiscvCode[V], times: int) -> None:
    """Emit a loop of `times` iterations, each of which adds the squares of three bytes to a sum."""
    pointer, sum = code.arguments(2)

    def body(values: Sequence[V]) -> Sequence[V]:
        pointer, sum = values
        for number in range(3):
            element = code.load(8, pointer, number)
            sum = code.put(ACCUMULATE, sum, code.put(MUL, element, element))
        return code.moved(pointer, 3), sum

    pointer, sum = code.counted(times, [pointer, sum], body)
    code.give([sum])


def test_a_loop_carried_sum_keeps_one_register():
    code = RiscvBuilder()
    sums(code, 5)
    allocate(code.region, saved=False)
    step = [line for number in range(3) for line in (f"lb a4, {number}(a0)", "mul a4, a4, a4", "add a1, a1, a4")]
    lines = ["li a3, 5", "1:", *step, "addi a0, a0, 3", "addi a3, a3, -1", "bnez a3, 1b", "mv a0, a1", "ret"]
    assert list(assembly(code.region)) == lines
    counter = InstructionCounter()
    sums(counter, 5)
    assert counter.instructions == 1 + 5 * 12 + 2
    single = InstructionCounter()
    sums(single, 1)
    assert single.instructions == 10 + 2


def test_a_far_loop_leaves_by_a_short_branch():
    code, counter = RiscvBuilder(), InstructionCounter()
    far(code)
    far(counter)
    allocate(code.region, saved=False)
    assert assembly(code.region) == ("1:", "addi a0, a0, 1", "beq a0, a1, 2f", "j 1b", "2:", "ret")
    assert counter.instructions == 3 * 3 - 1 + 1


def far(code: RiscvCode[V]) -> None:
    pointer, end = code.arguments(2)
    code.until(lambda: end, 3, [pointer], lambda values: [code.moved(values[0], 1)], far=True)
    code.give([])


def test_a_change_is_counted_by_its_share():
    code, counter = RiscvBuilder(), InstructionCounter()
    changed(code)
    changed(counter)
    allocate(code.region, saved=False)
    assert assembly(code.region) == ("beq a0, a1, 1f", "addi a0, a0, 7", "1:", "sw a0, 0(a1)", "ret")
    assert counter.instructions == 1 + 0.25 + 2


def changed(code: RiscvCode[V]) -> None:
    value, other = code.arguments(2)
    value = code.changed_unless(BEQ, value, other, value, lambda value: code.put(ADDI, value, 7), share=0.25)
    code.store_word(other, value, 0)
    code.give([])


def test_a_frame_keeps_all_registers_that_a_call_preserves():
    code, counter = RiscvBuilder(), InstructionCounter()
    framed(code)
    framed(counter)
    allocate(code.region, saved=code.has_frame)
    lines = assembly(code.region)
    assert lines[:2] == ("addi sp, sp, -64", "sw ra, 60(sp)")
    assert lines[-2:] == ("addi sp, sp, 64", "ret")
    assert instructions(lines) == counter.instructions == 2 * len(SAVED) + 3


def framed(code: RiscvCode[V]) -> None:
    code.enter(64)
    code.leave(64)


def test_registers_run_out_with_a_message():
    code = RiscvBuilder()
    loads = [code.load(8, code.arguments(1)[0], number) for number in range(20)]
    for value in loads:
        code.store_byte(code.arguments(1)[0], value, 0)
    code.give([])
    with pytest.raises(OutOfRegistersError, match="no register is left"):
        allocate(code.region, saved=False)


def test_values_alive_at_once_cannot_share_a_register():
    """Allocation fails if a loop computes the next value of a pointer and then reads the old value, since both must be
    in the same register.
    """
    code = RiscvBuilder()

    def body(values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        following = code.put(ADD, values[0], values[0])
        code.store_byte(values[0], following, 0)
        return [following]

    code.counted(2, code.arguments(1), body)
    code.give([])
    with pytest.raises(OutOfRegistersError, match="alive at the same time"):
        allocate(code.region, saved=False)


TILES = [
    (RiscvDotTile, Tile(18, 3, 48, 160, 16, 7, -128)),
    (RiscvDotTile, Tile(17, 1, 7, 0, 7, 1, 5)),
    (RiscvChannelTile, Tile(4, 3, 12, 4000, 4, 17, 0)),
    (RiscvChannelTile, Tile(2, 5, 10, 40, 2, 11, 0)),
]


@pytest.mark.long
@pytest.mark.parametrize(("kind", "tile"), TILES)
def test_kernels_are_valid_ir_of_as_many_bytes_as_counted(
    kind: type[RiscvDotTile] | type[RiscvChannelTile], tile: Tile
):
    tile_code, code = kind(tile), RiscvBuilder()
    tile_code.write(code)
    allocate(code.region, saved=True)
    ModuleOp([FuncOp("kernel", code.region, ((), ()))]).verify()
    assert compressed_size(tile_code.lines) <= tile_code.bytes


def compressed_size(lines: Lines) -> int:
    """The size of instructions in bytes: two for a copy and for an addition to the register of its result, four for any
    other.
    """
    additions = (line.removeprefix("add ").split(", ") for line in lines if line.startswith("add "))
    short = sum(line.startswith("mv ") for line in lines) + sum(to == first for to, first, _ in additions)
    return 4 * instructions(lines) - 2 * short


def test_only_a_kernel_that_is_printed_is_built(monkeypatch: pytest.MonkeyPatch):
    """Of all candidates for a kernel, only the one that is printed is built. The costs of the others are counted
    without building them.
    """
    built: list[Region] = []

    def printed(region: Region) -> Lines:
        built.append(region)
        return ("ret",)

    monkeypatch.setattr("tinyml.targets.riscv.composer.fragments.assembly", printed)
    kernel = tile_families("riscv")[0].kernel(Tile(13, 3, 50, 170, 17, 7, -11))
    assert kernel is not None
    assert kernel.composed is not None
    assert kernel.composed.costs[""] > 0
    assert not built
    texts = [kernel.composed.text for _ in range(2)]
    assert '"ret"' in texts[0]
    assert texts[0] == texts[1]
    assert len(built) == 1
