"""Fragments of composed kernels for ARMv6-M, and the instructions of its tiles."""

import pytest

from tinyml.targets.composer.lines import instructions
from tinyml.targets.composer.repeated import Repeated
from tinyml.targets.cortex_m.composer.armv6m import (
    SAVED_BYTES,
    again,
    bytes_of,
    constant,
    moved,
    moved_in_frame,
    restored,
    saved,
)
from tinyml.targets.cortex_m.composer.depthwise.channels_armv6m import ChannelsArmv6m
from tinyml.targets.cortex_m.composer.epilogues import SATURATED, requantised_by_halves
from tinyml.targets.cortex_m.composer.rows.rows_armv6m import RowsArmv6m
from tinyml.targets.tiles import Tile


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (255, ("movs r4, #255",)),
        (1152, ("movs r4, #9", "lsls r4, r4, #7")),
        (257, ("movs r4, #1", "lsls r4, r4, #8", "adds r4, #1")),
        (-128, ("movs r4, #128", "rsbs r4, r4, #0")),
        (0, ("movs r4, #0",)),
        (
            70001,
            ("movs r4, #1", "lsls r4, r4, #8", "adds r4, #17", "lsls r4, r4, #8", "adds r4, #113"),
        ),
    ],
)
def test_constants_are_put_together_from_bytes(value: int, lines: tuple[str, ...]):
    assert constant("r4", value) == lines


def test_a_long_distance_takes_a_register():
    assert moved("r0", 0, "r1") == ()
    assert moved("r0", -300, "r1") == ("subs r0, #255", "subs r0, #45")
    assert moved("r0", 512, "r1") == ("movs r1, #1", "lsls r1, r1, #9", "adds r0, r0, r1")
    assert moved_in_frame(8, 4) == ("ldr r0, [sp, #8]", "adds r0, #4", "str r0, [sp, #8]")


def test_a_long_loop_branches_in_two_steps():
    near = again(Repeated.once(("step",) * 3), ("begin",), ("cmp",), 4, 3)
    assert near.lines == ("begin", "3:", *["step"] * 3, "cmp", "bne 3b")
    assert near.time == 1 + 4 * 5
    far = again(Repeated.once(("step",) * 120), (), ("cmp",), 4, 3)
    assert far.lines[-4:] == ("cmp", "beq 4f", "b 3b", "4:")
    assert far.time == 4 * 123 - 1
    assert again(Repeated.once(("step",) * 120), ("begin",), ("cmp",), 1, 3).lines == ("step",) * 120


def test_a_frame_keeps_high_registers_in_low_ones():
    assert instructions(saved(28)) == 7
    assert restored(28)[-1] == "pop {r4, r5, r6, r7, pc}"
    assert SAVED_BYTES == 9 * 4
    assert bytes_of(saved(28)) == 14


def test_an_epilogue_parts_factors_into_halfwords():
    lines = requantised_by_halves("r5", 4, 8, "r4", "[r7, #2]")
    assert [line for line in lines if "[" in line] == [
        "ldrh r2, [r5, #4]",
        "ldrh r3, [r5, #6]",
        "ldrb r1, [r5, #8]",
        "strb r0, [r7, #2]",
    ]
    assert sum(line.startswith("muls") for line in lines) == 4
    assert len(lines[lines.index("beq 9f") + 1 : lines.index("9:")]) == SATURATED


def test_four_rows_meet_an_element_in_fourteen_instructions():
    strip = RowsArmv6m(Tile(8, 3, 48, 160, 16, 8, 0))
    assert instructions(strip.step(4)) == 14
    assert strip.step(4)[-1] == "adds r5, #1"
    assert strip.layout.groups == [(2, 4)]


def test_an_element_of_a_strip_is_loaded_once():
    lines = ChannelsArmv6m(Tile(4, 3, 12, 40, 4, 6, 0)).part(0, 3, 6)
    names = [line.split()[0] for line in lines]
    # Eight columns, eighteen products, and a copy of the element for all but the last of a column.
    assert (names.count("ldrsb"), names.count("muls"), names.count("mov")) == (8, 18, 10)
