"""Fragments of composed kernels for AVR: their instructions, and the cycles and bytes that add up from these."""

import pytest

from tinyml.targets.avr.composer import accumulate
from tinyml.targets.avr.composer.assembly import bytes_of, cycles, registers, statement
from tinyml.targets.avr.composer.dot_strips import DOT_STRIPS
from tinyml.targets.avr.composer.epilogues import shifted
from tinyml.targets.avr.composer.fetch import FLASH, RAM, run, skip, spaced, word
from tinyml.targets.avr.composer.loops import counted_in_byte, counted_in_word, entry_by_count, moved, over_steps
from tinyml.targets.avr.composer.multiply import arithmetic, chunk, squares
from tinyml.targets.composer.lines import joined
from tinyml.targets.registry import kernel_named
from tinyml.targets.tiles import Tile


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
    assert loop.places == [0, 12, 22, 38]
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


def test_an_epilogue_shifts_by_a_byte_then_by_bits_and_limits():
    lines = shifted(("r16", "r17", "r18"), "r23", "r19", 60)
    assert [line.split()[0] for line in lines] == [
        *("mov", "subi", "brcs", "mov", "mov", "lsl", "sbc", "rjmp", "60:", "subi", "rjmp"),
        *("62:", "asr", "ror", "ror", "61:", "subi", "brcc"),
        *("mov", "lsl", "sbc", "cpse", "rjmp", "cpse", "rjmp", "cpi", "brne", "ldi", "rjmp"),
        *("63:", "ldi", "sbrc", "ldi", "64:"),
    ]


def test_pointers_move_by_any_number_of_bytes():
    assert moved("r26", 63) == ("adiw r26,63",)
    assert moved("r28", -2) == ("sbiw r28,2",)
    assert moved("r26", 64) == ("subi r26,lo8(-64)", "sbci r27,hi8(-64)")
    assert moved("r20", 1) == ("subi r20,lo8(-1)", "sbci r21,hi8(-1)")
    assert moved("r26", 0) == ()


def test_a_tile_is_composed_for_its_shape():
    # Sixteen rows by windows of three runs of 24 elements, each 80 elements on, eight elements apart.
    tile = Tile(16, 3, 24, 80, 8, 4, 0)
    kernel = DOT_STRIPS.kernel(tile)
    assert kernel is not None
    assert kernel.composed is not None
    assert kernel.symbol == "tm_dot_strip_s8_16_3_24_80_8_4_128"
    text = kernel.composed.text
    assert text.count("#if TM_CORE == 2") == 2
    for instruction in ("adiw r28,8", "adiw r26,56", "ldi r24,12", "ldi r25,3", "ldi r22,8", "ldi r23,2"):
        assert f"{instruction}\\n" in text
    # Two steps of 34 cycles for four products each, and their loop.
    products, time = 16 * 4 * 72, kernel.composed.costs[""]
    assert 8.5 + 3 / 8 < time / products < 9.8
    # The registers, two return addresses and where results go.
    assert kernel.composed.stack == 18 + 2 * 2 + 2


def test_an_odd_pixel_is_computed_twice_unless_that_takes_longer():
    odd = DOT_STRIPS.kernel(Tile(16, 3, 24, 104, 8, 11, 0))
    assert odd is not None
    assert odd.composed is not None
    assert "cpi r23,1" in odd.composed.text
    assert DOT_STRIPS.kernel(Tile(16, 3, 24, 80, 8, 3, 0)) is None
    assert DOT_STRIPS.kernel(Tile(15, 3, 24, 80, 8, 4, 0)) is None


def test_a_loop_is_entered_at_any_of_its_steps():
    loop = counted_in_byte(("step",), 4, "r20")
    assert loop.lines == (
        "4:",
        "step",
        "3:",
        "step",
        "2:",
        "step",
        "1:",
        "step",
        "0:",
        "dec r20",
        "brne 4b",
        "clr r1",
        "ret",
    )
    assert (loop.places, loop.step, loop.least) == ([0, 2, 4, 6, 8], 1 + 3 / 4, 7)
    assert [line for line in entry_by_count("r16") if line.startswith("rjmp")] == [
        f"rjmp {n}f" for n in (31, 1, 0, 3, 2)
    ]


def test_a_loop_that_is_too_long_for_a_branch_jumps():
    steps = joined(*["nop"] * 20)
    far, near = counted_in_word(steps, 4, "r20", ("flush",)), counted_in_word(("nop",), 4, "r20")
    assert far.lines[-8:] == ("19:", "flush", "subi r21,1", "brcs 19f", "rjmp 4b", "19:", "clr r1", "ret")
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
    kernel = kernel_named("tm_dot_s8_s8_s24")
    assert kernel.composed is not None
    text = kernel.composed.text
    assert text.index("TM_KERNEL tm_dot_s8_s8_s24_steps") < text.index("static TM_INLINED TM_INT24 tm_dot_s8_s8_s24(")
    assert kernel.composed.portable in text
    # The sum, what is zero and the counter have variables; the others are overwritten.
    assert '"+r"(s), "+r"(k), "+z"(w), "+x"(x) : [kernel] "i"(tm_dot_s8_s8_s24_steps), "r"(zero) : "r18", "r19"' in text


def test_the_costs_of_a_kernel_add_up():
    kernel = kernel_named("tm_dot_s16_s16_s32")
    assert kernel.composed is not None
    # Four products of 31 cycles, of 42 bytes each, a counter and a jump that no branch reaches.
    assert kernel.step == kernel.composed.costs["element"] == 31 + (1 + 1 + 2) / 4
    assert kernel.code == 4 * 42 + 3 * 2 + 2 * 2
    # The return address, r15 and r16.
    assert kernel.composed.stack == 2 + 2
