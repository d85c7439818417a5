"""Fragments of composed kernels: their instructions, and the costs that add up from these."""

from tinyml.targets.cortex_m.composer.assembly import DSP, instructions, joined, statement
from tinyml.targets.cortex_m.composer.epilogues import requantised
from tinyml.targets.cortex_m.composer.fetch import (
    at,
    halfword_pair,
    halfwords_in_order,
    next_one,
    pair_of_windows,
    parted_bytes,
    parted_halfwords,
)
from tinyml.targets.cortex_m.composer.loops import (
    blocks,
    blocks_by_alignment,
    counted,
    counted_up,
    single_columns,
    time_of_step,
)
from tinyml.targets.cortex_m.composer.multiply import halfwords, halves, low, single
from tinyml.targets.registry import kernel_named


def test_a_fetch_parts_bytes_into_even_and_odd_ones():
    assert parted_bytes("ldr r9, [r1], #4", "r8", "r9") == (
        "ldr r9, [r1], #4",
        "sxtb16 r8, r9",
        "sxtb16 r9, r9, ror #8",
    )
    assert pair_of_windows("r2", "r8, r9") == ("ldm r2!, {r8, r9}",)


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
    assert halves("r4", "r6", "r10", "r8") == ("smlabb r4, r10, r8, r4", "smlatt r6, r10, r8, r6")


def test_an_epilogue_rounds_shifts_and_saturates():
    lines = requantised("r4", "r8", "r10", "r3")
    assert [line.split()[0] for line in lines] == ["lsls", "smmulr", "add", "asrs", "adds", "add", "ssat"]


def test_a_loop_runs_steps_in_blocks_then_one_by_one():
    lines = counted(("step",), "r3", 4)
    assert lines.count("step") == 5
    assert [line for line in lines if line.endswith(":")] == ["4:", "5:", "6:", "7:"]
    assert time_of_step(("step",)) == 1.5


def test_instructions_are_lines_without_labels():
    lines = joined("1:", ("nop", "nop"), "bne 1b")
    assert instructions(lines) == 3
    assert statement(lines).count("\\n\\t") == len(lines)


def test_loops_over_columns():
    assert [line.split()[0] for line in single_columns(("step",))] == ["cbz", "8:", "step", "subs", "bne", "9:"]
    assert [line.split()[0] for line in blocks(("step",))] == ["subs", "blt", "1:", "step", "subs", "bge", "2:", "adds"]
    assert blocks_by_alignment(("pairs",), ("words",)).count("pairs") == 1
    assert counted_up(("step",), 2)[-3:] == ("adds r5, r5, #2", "bne 1b", "2:")


def test_a_kernel_is_plain_c_beside_its_assembly():
    composed = kernel_named("tm_cm_dot4_s8_s8_s32").composed
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
    plain = kernel_named("tm_cm_channels4_s8_s8_s32").composed
    assert plain is not None
    assert "TM_CORE" not in plain.text


def test_the_costs_of_a_tile_add_up():
    kernel = kernel_named("tm_cm_tile2_s8_s8_s32")
    assert kernel.composed is not None
    # Sixteen products: a load of two windows, two weights that come apart, eight multiplications, a share of the loop.
    assert kernel.composed.costs["element"] == (1 + 2 * 3 + 8 + 0.5) / 16
    assert kernel.step == kernel.composed.costs["element"]
    body = kernel.composed.bodies[(DSP,)]
    assert kernel.code >= 4 * body.count("smlad") > 0
