"""Fragments of composed kernels for AVR: their instructions, and the cycles and bytes that add up from these."""

import numpy as np
import pytest

from tinyml.targets.avr.assembly.functions import framed
from tinyml.targets.avr.assembly.instructions import bytes_of, cycles, moved, registers, statement
from tinyml.targets.avr.assembly.loops import (
    TimedCode,
    again,
    counted_in_byte,
    counted_in_word,
    entry_by_count,
    over_steps,
)
from tinyml.targets.avr.composer.fragments import accumulate
from tinyml.targets.avr.composer.fragments.epilogues import FACTORS, factors, requantised, shifted
from tinyml.targets.avr.composer.fragments.fetch import FLASH, RAM, MovingPointer, run, skip, spaced, word
from tinyml.targets.avr.composer.fragments.multiply import arithmetic, chunk, squares
from tinyml.targets.avr.composer.tiles.tile_kernels import (
    REQUANTISED_CHANNELS,
    REQUANTISED_DOTS,
    SHIFTED_CHANNELS,
    SHIFTED_DOTS,
)
from tinyml.targets.composer.lines import joined
from tinyml.targets.costs import shared_code
from tinyml.targets.registry import kernel_named
from tinyml.targets.tiles import Sums, Tile


def test_fetches_come_from_flash_or_working_memory():
    assert word(run(16, FLASH, "Z"), ("r18", "r20")) == ("lpm r18,Z+", "lpm r20,Z+")
    assert word(run(8, RAM, "X"), ("r19",)) == ("ld r19,X+",)
    assert word(spaced(16, "r12"), ("r19", "r21")) == ("ld r19,X+", "ld r21,X", "add r26,r12", "adc r27,r13")
    assert skip("r22", "r18") == ("lpm r22,Z+", "add r26,r22", "adc r27,r18")


def test_a_product_of_bytes_joins_a_sum_of_two_or_three_bytes():
    operands = run(8, FLASH, "Z"), run(8, RAM, "X")
    fetched = ("lpm r22,Z+", "ld r23,X+")
    assert arithmetic(8, 8, 16).step(*operands) == (*fetched, "muls r22,r23", "add r24,r0", "adc r25,r1")
    assert arithmetic(8, 8, 24).step(*operands)[2:] == (
        *("muls r18,r19", "sbc r24,r25", "add r22,r0", "adc r23,r1", "adc r24,r25"),
    )


@pytest.mark.parametrize(
    ("first", "second", "sum", "time"),
    [(8, 8, 16, 9), (8, 8, 24, 11), (8, 8, 32, 11), (8, 16, 32, 19), (16, 16, 32, 31)],
)
def test_the_cycles_of_a_product(first: int, second: int, sum: int, time: int):
    assert cycles(arithmetic(first, second, sum).step(run(first, FLASH, "Z"), run(second, RAM, "X"))) == time


def test_a_few_products_of_bytes_share_their_high_byte():
    first, second, last = chunk(run(8, FLASH, "Z"), run(8, RAM, "X"), 3, ("r22", "r23", "r24"))
    product = ("lpm r18,Z+", "ld r19,X+", "muls r18,r19", "add r22,r0")
    assert first == (*product, "ldi r20,128", "adc r20,r1")
    assert second == (*product, "adc r20,r1")
    assert last == (*second, "add r23,r20", "clr r1", "adc r24,r1")
    loop = over_steps([first, second, last], "r25")
    assert loop.offsets == [0, 12, 22, 38]
    assert loop.step == (10 + 9 + 12 + 3) / 3


def test_squares_of_differences():
    step = squares(8, 24).step(run(8, FLASH, "Z"), run(8, RAM, "X"))
    assert step[2:] == (
        *("sub r16,r18", "brge 29f", "neg r16", "29:", "mul r16,r16"),
        *("add r22,r0", "adc r23,r1", "adc r24,r15"),
    )
    assert cycles(squares(16, 32).step(run(16, FLASH, "Z"), run(16, RAM, "X"))) == 27


def test_what_was_gathered_joins_the_sum():
    sum = ("r22", "r23", "r24", "r25")
    third = accumulate.flush_third_byte(sum, "r16", "r17")
    assert third == ("add r24,r16", "adc r25,r17", "sbrc r16,7", "dec r25", "clr r16")
    assert accumulate.flush_low_bytes(sum, ("r16", "r17"))[3:6] == ("add r23,r16", "adc r24,r17", "adc r25,r0")
    assert accumulate.pair_of_words(sum, ("r18", "r19"), ("r0", "r1"))[1:3] == ("adc r23,r19", "adc r24,r0")


SUM = ("r16", "r17", "r18")
SUM_IN_PAIRS = ("r2", "r3", "r10")


def test_an_epilogue_shifts_to_the_side_that_is_nearer():
    def shifts(right: int) -> list[str]:
        lines = shifted(SUM, right, "r19", "r15")
        return list(lines[: next(i for i, line in enumerate(lines) if line.startswith(("mov", "ldi")))])

    assert shifts(8) == shifts(16) == []
    assert shifts(2) == ["asr r18", "ror r17", "ror r16"] * 2
    assert shifts(9) == ["asr r18", "ror r17"]
    assert shifts(6) == ["lsl r16", "rol r17", "rol r18", "sbc r0,r0", "lsl r16", "rol r17", "rol r18", "rol r0"]
    assert shifts(15) == ["lsl r17", "rol r18", "sbc r0,r0"]
    assert shifts(23) == ["lsl r18", "sbc r0,r0"]


def test_an_epilogue_limits_what_is_left():
    more = "ldi r19,127", "add r19,r17"
    assert shifted(SUM, 8, "r19", "r15") == (
        *("mov r1,r18", "lsl r1", "sbc r1,r1", "com r1", *more, "adc r18,r15"),
        *("cpse r18,r15", "mov r19,r1", "cpi r19,255", "adc r19,r15", "subi r19,128"),
    )
    assert shifted(SUM, 16, "r19", "r15") == ("ldi r19,127", "add r19,r18", "cpi r19,255", "sbci r19,126")
    # No branches: every sum takes the same time.
    assert max(cycles(shifted(SUM, right, "r19", "r15")) for right in range(1, 24)) == 12 + 14


def test_a_requantisation_multiplies_the_magnitude():
    number = ("r16", "r17", "r18", "r19")
    lines = requantised(SUM_IN_PAIRS, number, "r25", "r24", "r15")
    assert lines[:3] == ("mov r24,r10", "lsl r24", "sbc r24,r24")
    assert lines[3:9] == ("eor r2,r24", "eor r3,r24", "eor r10,r24", "sub r2,r24", "sbc r3,r24", "sbc r10,r24")
    # Three bytes by four, then what is left by a power of two.
    assert [line.split()[0] for line in lines].count("mul") == 3 * 4 + 3
    assert sum(line.startswith("lpm") for line in lines) == FACTORS
    # No branches: every sum takes the same time.
    assert not any(line.startswith(("br", "rjmp")) for line in lines)
    assert cycles(lines) == 135


def test_factors_stand_for_a_multiplier_and_a_shift():
    shifts, multipliers = np.array([-1, -8, -9, -16]), np.array([1 << 30, (1 << 31) - 1, 3 << 29, 1 << 30])
    sums = Sums(np.zeros((4, 1), np.int64), np.zeros(4, np.int64), multipliers, shifts)
    assert factors(sums, -9).astype(np.uint8).tolist() == [
        [0, 0, 0, 128, 1 << 7, 0, 119],
        [254, 255, 255, 255, 1, 0, 119],
        [0, 0, 0, 192, 1 << 7, 1, 119],
        [0, 0, 0, 128, 1, 1, 119],
    ]


def test_a_loop_that_repeats_jumps_back_all_times_but_one():
    near, far = again(2, 100), again(2, 200)
    assert (near, far) == (("brne 2b",), ("breq 19f", "rjmp 2b", "19:"))
    short, long = (TimedCode(("nop",) * count, 10).looped(2, 5, "r18") for count in (5, 100))
    assert short.lines == ("2:", *["nop"] * 5, "dec r18", *near)
    assert short.time == 5 * 11 + 4 * 2 + 1
    assert long.lines[-3:] == far
    assert long.time == 5 * 11 + 4 * 3 + 2


def test_a_function_keeps_the_registers_of_its_caller():
    assert framed(("mov r18,r3", "ld r25,Y", "mov r2,r3")) == (
        *("push r2", "push r3", "push r28", "push r29", "mov r18,r3", "ld r25,Y", "mov r2,r3"),
        *("pop r29", "pop r28", "pop r3", "pop r2", "clr r1", "ret"),
    )


def test_a_pointer_moves_where_a_displacement_does_not_reach():
    places = MovingPointer("Y")
    loads = [places.load("r25", place) for place in (0, 63, 64, 70, 20)]
    assert loads == [
        ("ld r25,Y",),
        ("ldd r25,Y+63",),
        ("subi r28,lo8(-64)", "sbci r29,hi8(-64)", "ld r25,Y"),
        ("ldd r25,Y+6",),
        ("sbiw r28,44", "ld r25,Y"),
    ]
    assert (places.move(21), places.move(21)) == (("adiw r28,1",), ())


def test_pointers_move_by_any_number_of_bytes():
    assert moved("r26", 63) == ("adiw r26,63",)
    assert moved("r28", -2) == ("sbiw r28,2",)
    assert moved("r26", 64) == ("subi r26,lo8(-64)", "sbci r27,hi8(-64)")
    assert moved("r20", 1) == ("subi r20,lo8(-1)", "sbci r21,hi8(-1)")
    assert moved("r26", 0) == ()


def test_a_tile_is_composed_for_its_shape():
    # Sixteen rows by windows of three runs of 24 elements, each 80 elements on, eight elements apart.
    tile = Tile(16, 3, 24, 80, 8, 4, 0, 9)
    kernel = SHIFTED_DOTS.kernel(tile)
    assert kernel is not None
    assert kernel.composed is not None
    assert kernel.symbol == "tm_dot_strip_s8_16_3_24_80_8_4_128_9"
    text = kernel.composed.text
    assert text.count("#if TM_CORE == 2") == 2
    for instruction in ("adiw r28,8", "adiw r26,56", "ldi r24,12", "ldi r25,3", "ldi r18,8", "ldi r19,2"):
        assert f"{instruction}\\n" in text
    # Two steps of 34 cycles for four products each, and their loop.
    products, time = 16 * 4 * 72, kernel.composed.costs[""]
    assert 8.5 + 3 / 8 < time / products < 9.6
    # The registers, two return addresses and where results go.
    assert kernel.composed.stack == 17 + 2 * 2 + 2


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
    # Its code counts once.
    symbols = [kernel.symbol for kernel in kernels if kernel is not None]
    assert shared_code("uno", [*symbols, f"{symbols[0]} element"]) == shared_code("uno", symbols[:1]) == function.code
    assert shared_code("uno", ["add i16"]) == 0


def test_a_channel_keeps_its_weights_along_the_strip():
    # Eight channels, 3x3 in rows of 112 elements, 12 windows beside each other.
    tile = Tile(8, 3, 24, 112, 8, 12, 0, 9)
    kernel = SHIFTED_CHANNELS.kernel(tile)
    assert kernel is not None
    assert kernel.composed is not None
    assert kernel.symbol == "tm_channel_strip_s8_8_3_24_112_8_12_128_9"
    text = kernel.composed.text
    # Nine products of a window, and as many of the first two columns.
    assert text.count("muls ") == 2 * 9
    assert text.count("lpm ") == 9 + 3
    assert text.count("lo8(-112)") == 2 * 3
    products = 8 * 12 * 9
    assert 10 < kernel.composed.costs[""] / products < 12


def test_weights_that_have_no_registers_are_fetched_row_by_row():
    # Four channels, 5x5 in rows of 60 elements, six windows: two groups of three.
    kernel = SHIFTED_CHANNELS.kernel(Tile(4, 5, 20, 60, 4, 6, 0, 9))
    assert kernel is not None
    assert kernel.composed is not None
    text = kernel.composed.text
    assert text.count("muls ") == 3 * 5
    assert text.count("lpm ") == 3 + 5
    # Every element under the windows is loaded once.
    assert text.count(",Y") == 7
    assert kernel.composed.costs[""] / (4 * 6 * 25) < 11
    # Four windows that overlap, though there are registers for their weights.
    many = SHIFTED_CHANNELS.kernel(Tile(4, 1, 16, 0, 4, 4, 0, 8))
    assert many is not None
    assert many.composed is not None
    assert many.composed.text.count("muls ") == 2 * 4


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


def test_a_loop_is_entered_at_any_of_its_steps():
    loop = counted_in_byte(("nop",), 4, "r20")
    assert loop.lines == (
        "4:",
        "nop",
        "3:",
        "nop",
        "2:",
        "nop",
        "1:",
        "nop",
        "0:",
        "dec r20",
        "brne 4b",
        "clr r1",
        "ret",
    )
    assert (loop.offsets, loop.step, loop.least) == ([0, 2, 4, 6, 8], 1 + 3 / 4, 7)
    assert [line for line in entry_by_count("r16") if line.startswith("rjmp")] == [
        f"rjmp {n}f" for n in (31, 1, 0, 3, 2)
    ]


def test_a_loop_that_is_too_long_for_a_branch_jumps():
    steps = joined(*["nop"] * 20)
    far, near = counted_in_word(steps, 4, "r20", ("com r2",)), counted_in_word(("nop",), 4, "r20")
    assert far.lines[-8:] == ("19:", "com r2", "subi r21,1", "brcs 19f", "rjmp 4b", "19:", "clr r1", "ret")
    assert near.lines[-6:] == ("subi r20,4", "brcc 4b", "subi r21,1", "brcc 4b", "clr r1", "ret")
    # The jump takes a cycle more.
    assert far.step - cycles(steps) == pytest.approx(near.step - 1 + 1 / 4 + 1 / 256)


def test_registers_and_bytes_of_instructions():
    assert registers(("lpm r16,Z+", "movw r12,r0", "1:")) == {16, 30, 31, 12, 13, 0, 1}
    assert registers(("muls r18,r19",)) == {0, 1, 18, 19}
    assert bytes_of(("1:", "nop", "call somewhere")) == 6
    assert cycles(("lpm r18,Z+", "ld r19,X+", "ret")) == 9
    assert statement(("1:", "nop")) == '    __asm__ volatile("1:\\tnop\\n\\t");'


def test_a_kernel_is_plain_c_beside_its_assembly():
    kernel = kernel_named("tm_dot_s8_s8_s24", "uno")
    assert kernel.composed is not None
    text = kernel.composed.text
    assert text.index("TM_KERNEL tm_dot_s8_s8_s24_steps") < text.index("static TM_INLINED TM_INT24 tm_dot_s8_s8_s24(")
    assert kernel.composed.portable in text
    # The sum, what is zero and the counter have variables; the others are overwritten.
    assert '"+r"(s), "+r"(k), "+z"(w), "+x"(x) : [kernel] "i"(tm_dot_s8_s8_s24_steps), "r"(zero) : "r18", "r19"' in text


def test_the_costs_of_a_kernel_add_up():
    kernel = kernel_named("tm_dot_s16_s16_s32", "uno")
    assert kernel.composed is not None
    # Four products of 31 cycles, of 42 bytes each, a counter and a jump that no branch reaches.
    assert kernel.step == kernel.composed.costs["element"] == 31 + (1 + 1 + 2) / 4
    assert kernel.code == 4 * 42 + 3 * 2 + 2 * 2
    # The return address, r15 and r16.
    assert kernel.composed.stack == 2 + 2
