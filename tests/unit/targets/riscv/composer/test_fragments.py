"""Fragments of composed kernels for RISC-V: their instructions, and the costs that add up from these."""

import pytest

from tinyml.dialects.num import ListedKernelAttr
from tinyml.targets.composer.lines import instructions
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.costs import kernel_cost
from tinyml.targets.registry import kernel_of, known_kernel, tile_families
from tinyml.targets.riscv.composer.dot_strips import Strip
from tinyml.targets.riscv.composer.epilogues import SATURATED, requantised
from tinyml.targets.riscv.composer.fetch import loaded, scaled, unsigned
from tinyml.targets.riscv.composer.loops import counted, ends, far_until, in_blocks, time_of_step, until
from tinyml.targets.riscv.composer.multiply import added, added_wide
from tinyml.targets.riscv.composer.registers import SAVED, bytes_of, constant, moved, restored, saved
from tinyml.targets.tiles import Tile


def test_elements_are_extended_by_their_width():
    assert loaded(8, "a0", 3, "t0") == ("lb t0, 3(a0)",)
    assert loaded(16, "a1", 6, "t1") == ("lh t1, 6(a1)",)
    assert loaded(32, "sp", 8, "t0") == ("lw t0, 8(sp)",)
    assert unsigned("a1", 3, "t0") == ("lbu t0, 3(a1)",)
    assert scaled(8, "a2", "a2") == ()
    assert scaled(16, "a2", "t1") == ("slli t1, a2, 1",)


def test_a_product_is_added_to_a_sum_or_to_where_it_starts():
    assert added("s0", "t0", "t1", "t1") == ("mul t1, t1, t0", "add s0, s0, t1")
    assert added("s1", "t0", "a3", "t1", "s0") == ("mul t1, a3, t0", "add s1, s0, t1")
    wide = added_wide("a3", "a4", "t0", "t1")
    assert [line.split()[0] for line in wide] == ["mul", "add", "sltu", "add", "srai", "add"]


def test_an_epilogue_rounds_shifts_and_saturates():
    lines = requantised("s0", "a3", "a4", -128, "t1", "5(a2)")
    names = [
        "mul",
        "mulhsu",
        "srli",
        "add",
        "srai",
        "add",
        "sra",
        "addi",
        "srai",
        "slli",
        "srai",
        "beq",
        "srai",
        "xori",
    ]
    assert [line.split()[0] for line in lines] == [*names, "9:", "sb"]
    assert lines[7] == "addi s0, s0, -255"
    behind = lines[lines.index("beq t1, s0, 9f") + 1 : lines.index("9:")]
    assert len(behind) == SATURATED


@pytest.mark.parametrize(
    ("distance", "lines"),
    [
        (0, ()),
        (-8, ("addi a1, a1, -8",)),
        (3000, ("addi a1, a1, 2047", "addi a1, a1, 953")),
        (8192, ("lui t0, 2", "add a1, a1, t0")),
        (-5000, ("lui t0, 1048575", "addi t0, t0, -904", "add a1, a1, t0")),
    ],
)
def test_a_long_distance_takes_several_additions(distance: int, lines: tuple[str, ...]):
    assert moved("a1", distance, "t0") == lines


def test_a_pointer_moves_behind_another_one():
    assert moved("a1", 0, "t0", "a2") == ("mv a1, a2",)
    assert moved("a1", 4, "t0", "a2") == ("addi a1, a2, 4",)
    assert constant("ra", 3) == ("li ra, 3",)


def test_loops_end_by_a_counter_or_by_an_address():
    step = Repeated.once(("step",))
    assert counted(step, 3, "ra", 4).lines == ("li ra, 3", "4:", "step", "addi ra, ra, -1", "bnez ra, 4b")
    assert counted(step, 3, "ra", 4).time == 1 + 3 * 3
    near = until(step, "a0", ("lw t2, 4(sp)",), "t2", 3, 3)
    assert near.lines == ("3:", "step", "lw t2, 4(sp)", "bne a0, t2, 3b")
    far = far_until(step, "a0", (), "t2", 3, 1)
    assert far.lines == ("1:", "step", "beq a0, t2, 2f", "j 1b", "2:")
    assert far.time == 3 * 3 - 1


def test_elements_run_in_blocks_then_one_by_one():
    step = {"a0": 1, "a1": 2}
    lines = in_blocks(lambda number: (f"step {number}",), step, "t2", "a2")
    assert [line for line in lines if line.startswith("step")] == ["step 0", "step 1", "step 2", "step 3", "step 0"]
    assert "addi a1, a1, 8" in lines
    assert time_of_step(lambda number: ("step",), step) == 1 + 3 / 4
    assert ends(8, "a0", "a2", "t2", "a2") == ("andi t2, a2, -4", "add t2, t2, a0", "add a2, a2, a0")


def test_a_frame_keeps_all_registers_that_a_call_preserves():
    assert instructions(saved(64)) == instructions(restored(64)) - 1 == len(SAVED) + 1
    assert saved(64)[1] == "sw ra, 60(sp)"
    assert bytes_of(("mv a0, a1", "add a0, a0, a1", "add a0, a1, a2", "1:", "lb a0, 0(a1)")) == 12


def test_four_rows_meet_four_windows_in_forty_instructions():
    strip = Strip(Tile(8, 3, 48, 160, 16, 8, 0))
    assert instructions(strip.element(4, 4, ("a7", 0), 0)) == 40
    assert strip.windows == [(2, 4)]
    assert strip.blocks.groups == [(2, 4)]
    # Windows that loads of 2 KB do not reach are taken alone, by eight rows.
    assert Strip(Tile(8, 1, 2040, 0, 2040, 2, 0)).windows == [(2, 1)]


def test_a_tile_is_known_by_its_attribute():
    tile = Tile(2, 3, 6, 30, 2, 5, -128)
    for family in tile_families("riscv"):
        kernel = family.kernel(tile)
        assert kernel is not None
        assert known_kernel(kernel.attribute, "riscv") is kernel
        call, of_element = kernel_cost(kernel).cost, kernel_cost(kernel, "element").cost
        assert call is not None
        assert call.time > 0
        assert of_element is not None
        assert of_element.time == 0


def test_a_kernel_is_plain_c_beside_its_assembly():
    composed = kernel_of(ListedKernelAttr.of("tm_rv_dot4_s8_s8_s32"), "riscv").composed
    assert composed is not None
    assert "#if TM_CORE == 32" in composed.text
    assert composed.portable in composed.text
    assert composed.costs["element"] == (1 + 4 * 3 + 6 / 4) / 4


def test_an_entry_of_a_sparse_row_takes_six_instructions_and_a_quarter_of_an_iteration():
    composed = kernel_of(ListedKernelAttr.of("tm_rv_dot_sparse_s8_s8_s32"), "riscv").composed
    wide = kernel_of(ListedKernelAttr.of("tm_rv_dot_sparse_s16_s16_s32"), "riscv").composed
    assert composed is not None
    assert wide is not None
    assert composed.costs["element"] == 6 + 3 / 4
    assert wide.costs["element"] == 7 + 3 / 4
    assert composed.costs["rest"] == 3 - 3 / 4
