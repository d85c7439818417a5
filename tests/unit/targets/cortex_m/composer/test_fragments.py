"""Fragments of composed kernels: their instructions, and the costs that add up from these."""

import numpy as np
import pytest

from tinyml.dialects.num import ListedKernelAttr
from tinyml.targets.cortex_m.composer.assembly import moved, pushed, statement
from tinyml.targets.cortex_m.composer.epilogues import requantised, requantised_by_constants
from tinyml.targets.cortex_m.composer.fetch import (
    at,
    halfword_pair,
    halfwords_in_order,
    last_few,
    next_four,
    next_one,
    parted_bytes,
    parted_halfwords,
    widened_elements,
    widened_windows,
)
from tinyml.targets.cortex_m.composer.loops import (
    blocks,
    blocks_by_alignment,
    counted_in_memory,
    counted_up,
    repeated,
    single_columns,
)
from tinyml.targets.cortex_m.composer.multiply import half, halfwords, low, single
from tinyml.targets.costs import kernel_cost
from tinyml.targets.registry import kernel_of, known_kernel, tile_families
from tinyml.targets.tiles import Sums, Tile


def test_a_fetch_parts_bytes_into_even_and_odd_ones():
    assert parted_bytes("ldr r9, [r1], #4", "r8", "r9") == (
        "ldr r9, [r1], #4",
        "sxtb16 r8, r9",
        "sxtb16 r9, r9, ror #8",
    )
    assert widened_windows("r2", "r8, r9") == ("ldm r2!, {r8, r9}",)


def test_halfwords_take_the_order_of_parted_bytes():
    assert halfwords_in_order("r1", "r3", "r11") == ("ldr r3, [r1], #4", "ldr r11, [r1], #4")
    assert halfword_pair("r0", "r12", "lr") == ("ldrd r12, lr, [r0], #8",)
    assert parted_halfwords("r1", "r3", "r11", "r12")[2:] == (
        "pkhbt r3, r11, r12, lsl #16",
        "pkhtb r11, r12, r11, asr #16",
    )


def test_single_elements_are_extended_by_their_width():
    assert next_one(8, "r0", "r3") == ("ldrsb r3, [r0], #1",)
    assert next_one(16, "r0", "r3") == ("ldrsh r3, [r0], #2",)
    assert at(16, "r4", "r5", "r6") == ("ldrsh r6, [r4, r5]",)


def test_a_multiplication_adds_two_products():
    assert halfwords(("r4",), "r12", "r8") == ("smlad r4, r12, r8, r4",)
    assert halfwords(("r4", "r5"), "r12", "r8") == ("smlald r4, r5, r12, r8",)
    assert single(("r4",), "r12", "r3") == ("mla r4, r12, r3, r4",)
    assert single(("r4", "r5"), "r12", "r3") == ("smlal r4, r5, r12, r3",)
    assert low("r8") == ("muls r7, r6, r7", "add r8, r8, r7")
    assert half("r4", "r10", "r8", top=False) == ("smlabb r4, r10, r8, r4",)
    assert half("r4", "r10", "r8", top=True) == ("smlabt r4, r10, r8, r4",)


def test_four_elements_of_two_windows_are_fetched_at_once():
    lines = next_four("lr", 8, "r8, r9, r10, r11")
    assert lines[::3] == ("ldr r11, [lr, #8]", "ldr r9, [lr], #4")
    assert lines[1:3] == ("sxtb16 r10, r11", "sxtb16 r11, r11, ror #8")


def test_the_last_elements_of_a_run_stand_before_zeros():
    lines = last_few("lr", [0, 8], "r8, r9, r10, r11", 3)
    assert lines[:2] == ("ldr r9, [lr, #-1]", "lsr r9, r9, #8")
    assert lines[4:6] == ("ldr r11, [lr, #7]", "lsr r11, r11, #8")


def test_elements_that_windows_share_are_loaded_once():
    lines = widened_elements(3, 1, 10, [0, 2], 4)
    assert [line.split()[0] for line in lines].count("ldrsb") == 5
    # Elements 3 to 5 of each window: one in its first group of four, two in the second.
    stores = [line.split("#")[1] for line in lines if line.startswith("strh")]
    assert stores == ["6]", "16]", "18]", "14]", "24]", "26]"]
    # By two: elements 0 to 2 of each window.
    stores = [line.split("#")[1] for line in widened_elements(3, 0, 10, [0, 2], 2) if line.startswith("strh")]
    assert stores == ["0]", "2]", "8]", "4]", "6]", "12]"]


def test_an_epilogue_rounds_shifts_and_saturates():
    lines = requantised("r4", "r8", "r10", -128)
    assert [line.split()[0] for line in lines] == ["smmlar", "add", "asr", "sub", "ssat"]
    assert lines[3] == "sub r4, r4, #255"
    assert requantised("r4", "r8", "r10", 3)[3] == "add r4, r4, #7"


def test_a_known_shift_takes_an_instruction_less_where_the_zero_point_fits():
    lines = requantised_by_constants("r4", "r8", 9, -128, 1 << 20)
    assert lines[2:] == ("sub r4, r4, #65280", "ssat r4, #8, r4, asr #9")
    lines = requantised_by_constants("r4", "r8", 24, -128, (1 << 31) - 256)
    assert lines[2:] == ("asr r4, r4, #23", "sub r4, r4, #255", "ssat r4, #8, r4, asr #1")


def test_a_long_distance_takes_several_additions():
    assert moved("r1", 0) == ()
    assert moved("r1", -8) == ("sub r1, r1, #8",)
    assert moved("r1", 4100) == ("add r1, r1, #4095", "add r1, r1, #5")


def test_many_steps_are_a_loop_over_some_of_them():
    assert repeated(("step",), 3, "r3", 4).lines == ("step",) * 3
    loop = repeated(("step",), 10, "r3", 4)
    assert loop.lines == ("step", "step", "mov r3, #2", "4:", *["step"] * 4, "subs r3, #1", "bne 4b")
    assert loop.time == 2 + 1 + 2 * 6
    in_memory = counted_in_memory(loop, 3, "[sp, #8]", "r3", 5)
    assert in_memory.time == 2 + 3 * (loop.time + 4)
    assert in_memory.lines[:3] == ("mov r3, #3", "str r3, [sp, #8]", "5:")


def test_assembly_begins_with_its_syntax():
    assert statement(("nop",)).startswith('    __asm__ volatile(".syntax unified')


def test_loops_over_columns():
    assert [line.split()[0] for line in single_columns(("step",))] == ["cbz", "8:", "step", "subs", "bne", "9:"]
    assert [line.split()[0] for line in blocks(("step",))] == ["subs", "blt", "1:", "step", "subs", "bge", "2:", "adds"]
    assert blocks_by_alignment(("pairs",), ("words",)).count("pairs") == 1
    assert counted_up(("step",), 2)[-3:] == ("adds r5, r5, #2", "bne 1b", "2:")


def test_a_kernel_is_plain_c_beside_its_assembly():
    composed = kernel_of(ListedKernelAttr.of("tm_cm_dot4_s8_s8_s32"), "cortex-m4").composed
    assert composed is not None
    text = composed.text
    guards = [line for line in text.splitlines() if "TM_CORE" in line]
    assert guards == [
        "#if TM_CORE == 6 || TM_CORE == 7 || TM_CORE == 8",
        "#if TM_CORE == 6",
        "#elif TM_CORE == 7",
        "#elif TM_CORE == 8",
    ]
    assert composed.portable in text
    plain = kernel_of(ListedKernelAttr.of("tm_cm_channels4_s8_s8_s32"), "cortex-m4").composed
    assert plain is not None
    assert "TM_CORE" not in plain.text


def test_the_weights_of_a_pair_of_rows_stand_together():
    sums = Sums(np.arange(8).reshape(2, 4), np.array([1, 2]), np.array([1 << 30] * 2), np.array([-1, -9]))
    [dots, _] = tile_families("cortex-m4")
    words = dots.stream(Tile(2, 1, 4, 0, 4, 2, 0), sums)
    assert words[8:16].tolist() == list(range(8))
    assert words[-4:].tolist() == [0, 8, 0, -128]


@pytest.mark.parametrize("target", ["cortex-m0", "cortex-m4"])
def test_a_tile_is_known_by_its_attribute(target: str):
    [dots, channels] = tile_families(target)
    tile = Tile(2, 3, 6, 30, 2, 5, -128)
    assert tile_families("cortex-m3") == []
    for family in (dots, channels):
        kernel = family.kernel(tile)
        assert kernel is not None
        assert known_kernel(kernel.attribute, target) is kernel
        call, element = kernel_cost(kernel).cost, kernel_cost(kernel, "element").cost
        assert call is not None
        assert call.time > 0
        assert element is not None
        assert element.time == 0


def test_the_stack_of_a_kernel_is_what_it_pushes():
    assert pushed(("push {r4, r5, lr}", "1:", "push {r4}", "pop {r4}")) == 16
    four = kernel_of(ListedKernelAttr.of("tm_cm_dot4_s8_s8_s32"), "cortex-m4").composed
    assert four is not None
    assert four.stack == 4 * 9
