"""Composed kernels for AVR: factors, registers, shared functions, shapes without a kernel."""

import numpy as np
import pytest

from tinyml.dialects.num import ListedKernelAttr
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import bytes_of, cycles, framed, registers, statement
from tinyml.targets.avr.composer.fragments import factors
from tinyml.targets.avr.composer.sums import dot, dot_in_chunks
from tinyml.targets.avr.kernels import (
    REQUANTISED_CHANNELS,
    REQUANTISED_DOTS,
    SHIFTED_CHANNELS,
    SHIFTED_DOTS,
)
from tinyml.targets.composer.instructions import printed
from tinyml.targets.kernel import LONGEST_IN_CHUNKS
from tinyml.targets.registry import kernel_of
from tinyml.targets.tiles import Sums, Tile


def test_factors_stand_for_a_multiplier_and_a_shift():
    shifts, multipliers = np.array([-1, -8, -9, -16]), np.array([1 << 30, (1 << 31) - 1, 3 << 29, 1 << 30])
    sums = Sums(np.zeros((4, 1), np.int64), np.zeros(4, np.int64), multipliers, shifts)
    assert factors(sums, -9).astype(np.uint8).tolist() == [
        [0, 0, 0, 128, 1 << 7, 0, 119],
        [254, 255, 255, 255, 1, 0, 119],
        [0, 0, 0, 192, 1 << 7, 1, 119],
        [0, 0, 0, 128, 1, 1, 119],
    ]


def test_a_function_keeps_the_registers_of_its_caller():
    assert printed(framed((a.mov("r18", "r3"), a.ld("r25", "Y"), a.mov("r2", "r3")))) == (
        *("push r2", "push r3", "push r28", "push r29", "mov r18,r3", "ld r25,Y", "mov r2,r3"),
        *("pop r29", "pop r28", "pop r3", "pop r2", "clr r1", "ret"),
    )


def test_kernels_share_the_function_that_requantises():
    kernels = [
        family.kernel(tile)
        for family, tile in (
            (REQUANTISED_DOTS, Tile(16, 3, 24, 80, 8, 4, 5)),
            (REQUANTISED_CHANNELS, Tile(8, 3, 24, 112, 8, 12, -128)),
        )
    ]
    [dots, channels] = [kernel.composed for kernel in kernels if kernel is not None]
    assert dots is not None
    assert channels is not None
    assert dots.text.count("%~call %x[tm_requantised_s8]") == 4
    assert channels.text.count("%~call %x[tm_requantised_s8]") == 1
    assert '[tm_requantised_s8] "i"(tm_requantised_s8)' in channels.text
    [function] = dots.shared
    assert [*channels.shared] == [function]
    assert function.text.count("mul ") == 15


@pytest.mark.parametrize(
    "tile",
    [
        # Two rows of nine weights, no step, parts of pixels, too many groups of windows.
        Tile(4, 2, 36, 40, 4, 2, 0, 8),
        Tile(4, 1, 4, 0, 0, 2, 0, 8),
        Tile(4, 1, 6, 0, 4, 2, 0, 8),
        Tile(1, 1, 1, 0, 1, 257, 0, 8),
    ],
)
def test_filters_that_have_no_registers_have_no_kernel(tile: Tile):
    assert SHIFTED_CHANNELS.kernel(tile) is None


def test_an_odd_pixel_is_computed_twice_unless_that_takes_longer():
    odd = SHIFTED_DOTS.kernel(Tile(16, 3, 24, 104, 8, 11, 0, 9))
    assert odd is not None
    assert odd.composed is not None
    assert "cpi r19,2" in odd.composed.text
    assert SHIFTED_DOTS.kernel(Tile(16, 3, 24, 80, 8, 3, 0, 9)) is None
    assert SHIFTED_DOTS.kernel(Tile(15, 3, 24, 80, 8, 4, 0, 9)) is None


def test_registers_and_bytes_of_instructions():
    assert registers((a.lpm("r16", "Z+"), a.movw("r12", "r0"), a.label(1))) == {16, 30, 31, 12, 13, 0, 1}
    assert registers((a.muls("r18", "r19"),)) == {0, 1, 18, 19}
    assert bytes_of((a.label(1), a.sec(), a.call("somewhere"))) == 6
    assert cycles((a.lpm("r18", "Z+"), a.ld("r19", "X+"), a.ret())) == 9
    assert statement((a.label(1), a.sec())) == '    __asm__ volatile("1:\\tsec\\n\\t");'


def test_a_kernel_is_plain_c_beside_its_assembly():
    kernel = kernel_of(ListedKernelAttr.of("tm_dot_s8_s8_s24"), "uno")
    assert kernel.composed is not None
    text = kernel.composed.text
    assert text.index("TM_KERNEL tm_dot_s8_s8_s24_steps") < text.index("static TM_INLINED TM_INT24 tm_dot_s8_s8_s24(")
    assert kernel.composed.portable in text
    # The sum, what is zero and the counter have variables; the others are overwritten.
    assert '"+r"(s), "+r"(k), "+z"(w), "+x"(x) : [kernel] "i"(tm_dot_s8_s8_s24_steps), "r"(zero) : "r18", "r19"' in text


def test_only_rows_of_any_length_are_cut_where_the_counter_ends():
    """A kernel for rows of any length contains code that splits rows longer than a one-byte counter permits. A kernel
    that sums in chunks contains no such code, since its rows are never so long.
    """
    long, limited = dot(8, 8, 24).composed, dot_in_chunks(24, 6).composed
    assert long is not None
    assert limited is not None
    assert LONGEST_IN_CHUNKS <= 255 * 6
    assert [composed.text.count("TM_ENTER") for composed in (long, limited)] == [2, 1]
