"""Fragments of composed kernels: their instructions, and the costs that add up from these."""

from tinyml.targets.cortex_m.composer.assembly import instructions, joined, statement
from tinyml.targets.cortex_m.composer.epilogues import requantised
from tinyml.targets.cortex_m.composer.fetch import pair_of_windows, parted_bytes
from tinyml.targets.cortex_m.composer.loops import counted, time_of_step
from tinyml.targets.cortex_m.composer.multiply import halfwords, halves
from tinyml.targets.registry import kernel_named


def test_a_fetch_parts_bytes_into_even_and_odd_ones():
    assert parted_bytes("ldr r9, [r1], #4", "r8", "r9") == (
        "ldr r9, [r1], #4",
        "sxtb16 r8, r9",
        "sxtb16 r9, r9, ror #8",
    )
    assert pair_of_windows("r2", "r8, r9") == ("ldm r2!, {r8, r9}",)


def test_a_multiplication_adds_two_products():
    assert halfwords("r4", "r12", "r8") == ("smlad r4, r12, r8, r4",)
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


def test_the_costs_of_a_tile_add_up():
    kernel = kernel_named("tm_cm_tile2_s8_s8_s32")
    assert kernel.composed is not None
    # Sixteen products: a load of two windows, two weights that come apart, eight multiplications, a share of the loop.
    assert kernel.composed.costs["element"] == (1 + 2 * 3 + 8 + 0.5) / 16
    assert kernel.step == kernel.composed.costs["element"]
    body = kernel.composed.bodies[8]
    assert kernel.code >= 4 * body.count("smlad") > 0
