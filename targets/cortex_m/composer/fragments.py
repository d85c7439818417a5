"""Fragments of kernels: stack frames, counted loops, loads of elements, products added to sums, and epilogues.

Kernels load elements one at a time, or four at a time as two words of two signed halfwords each. SXTB16 widens bytes 0
and 2 of a word. To widen bytes 1 and 3, it rotates the word. Both factors of a product must have the same order of
elements. Single words may be loaded from any address, pairs of words only from multiples of 4. An epilogue requantises
complete sums.

Registers that are not arguments of a fragment are assigned by hand, as are those of the kernels that use a fragment. On
ARMv6-M, products and shifts accept only low registers. `armv6m` and `epilogues_armv6m` contain the fragments whose
instructions have two bytes each.
"""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer import instructions as shared
from tinyml.targets.composer.instructions import Code, Instruction, Line, Lines, Repeated, joined, printed
from tinyml.targets.composer.weight_streams import WeightStream
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.boards import ARMV6M
from tinyml.targets.cortex_m.thumb import REACH, Address, at, post, slot
from tinyml.targets.tiles import Tile

SYNTAX: Lines = (".syntax unified",)
"""The directive before instructions, which selects one syntax for both instruction sizes."""

SAVED = ("r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11")
"""The registers other than lr that a function saves."""


def moved(register: str, distance: int) -> Code:
    """Code that adds the constant `distance` to a register."""
    lines: list[Line] = []
    while distance:
        step = max(-REACH, min(distance, REACH))
        lines += [(t.add if step > 0 else t.sub)(register, register, abs(step))]
        distance -= step
    return tuple(lines)


def short_bytes_of(lines: Sequence[Line]) -> int:
    """The number of bytes of flash on ARMv6-M. Raises `ValueError` if an instruction has no encoding on ARMv6-M."""
    bytes = 0
    for line in lines:
        if isinstance(line, Instruction):
            if line.size is None:
                raise ValueError(f"{line.text}: ARMv6-M has no such instruction")
            bytes += line.size
    return bytes


def statement(lines: Sequence[Line], core: int) -> str:
    if core == ARMV6M:
        short_bytes_of(lines)
    return shared.statement([*SYNTAX, *printed(lines)])


def naked(lines: Sequence[str]) -> str:
    return shared.statement([*SYNTAX, *lines])


def saved(frame: int) -> Code:
    return (t.push((*SAVED, "lr")), *moved("sp", -frame))


def restored(frame: int) -> Code:
    return (*moved("sp", frame), t.pop((*SAVED, "pc")))


UNROLLED = 4
"""The number of steps in an iteration of an unrolled loop."""


def counted(code: Repeated, count: int, counter: str, label: int) -> Repeated:
    return code.looped((t.mov(counter, count),), (t.subs(counter, 1), t.bne(back=label)), count, label)


def counted_in_memory(code: Repeated, count: int, counter: Address, register: str, label: int) -> Repeated:
    """A loop that executes `code` `count` times and whose counter is in the stack frame.

    counter: the address of the counter.
    register: a scratch register, which is free at the end of an iteration.
    label: the number of the loop's label.
    """
    begin = t.mov(register, count), t.str_(register, counter)
    end = t.ldr(register, counter), t.subs(register, 1), t.str_(register, counter), t.bne(back=label)
    return code.looped(begin, end, count, label)


def repeated(step: Code, count: int, counter: str, label: int) -> Repeated:
    """Code that executes a step `count` times: straight-line code for small counts, otherwise an unrolled loop."""
    if count <= 2 * UNROLLED:
        return Repeated.once(step * count)
    loops, rest = divmod(count, UNROLLED)
    return Repeated.once(step * rest).followed_by(counted(Repeated.once(step * UNROLLED), loops, counter, label))


def blocks(step: Code) -> Code:
    """Code that executes a step once for every four of the r2 remaining columns.

    Afterwards, r2 contains the number of columns that are left, 0 to 3.
    """
    four = t.subs("r2", "r2", 4)
    return joined(four, t.blt(ahead=2), t.label(1), step, four, t.bge(back=1), t.label(2), t.adds("r2", "r2", 4))


def blocks_by_alignment(aligned: Code, any: Code) -> Code:
    """Code that executes a step once for every four of the r2 remaining columns.

    aligned: the step if all rows start at multiples of 4.
    any: the step otherwise.

    Rows have 2 * r2 bytes each, starting at r0.
    """
    four = t.subs("r2", "r2", 4)
    return joined(
        (t.orr("r3", "r0", "r2", lsl=1), four, t.blt(ahead=3), t.lsls("r3", "r3", 30), t.bne(ahead=2)),
        (t.label(1), *aligned, four, t.bge(back=1), t.b(ahead=3)),
        (t.label(2), *any, four, t.bge(back=2), t.label(3), t.adds("r2", "r2", 4)),
    )


def single_columns(step: Code) -> Code:
    return joined(t.cbz("r2", ahead=9), t.label(8), step, t.subs("r2", "r2", 1), t.bne(back=8), t.label(9))


def counted_up(step: Code, bytes: int) -> Code:
    """Code that executes a step until r5 is 0. Each iteration adds `bytes` to r5.

    Before the code, the condition flags must be those of r5.
    """
    return joined(t.beq(ahead=2), t.label(1), step, t.adds("r5", "r5", bytes), t.bne(back=1), t.label(2))


QUAD = 4
"""The number of elements that are loaded at a time."""

_LOADS = {8: t.ldrsb, 16: t.ldrsh}


def next_one(bits: int, pointer: str, to: str) -> Code:
    return (_LOADS[bits](to, post(pointer, bits // 8)),)


def element_at(bits: int, base: str, offset: str, to: str) -> Code:
    return (_LOADS[bits](to, at(base, offset)),)


def words(pointer: str, registers: Sequence[str]) -> Code:
    """Code that loads consecutive words from a pointer and advances the pointer."""
    if len(registers) > 1:
        return (t.ldm(pointer, (*registers,), update=True),)
    return (t.ldr(registers[0], post(pointer, 4)),)


def parted_bytes(load: Instruction, even: str, odd: str) -> Code:
    """Code that widens four bytes to halfwords: elements 0 and 2 in the register `even`, elements 1 and 3 in `odd`.

    load: the instruction that loads the bytes into `odd`.
    """
    return load, t.sxtb16(even, odd), t.sxtb16(odd, odd, ror=8)


def halfwords_in_order(pointer: str, first: str, second: str) -> Code:
    """Code that loads four halfwords: elements 0 and 1 in the register `first`, elements 2 and 3 in `second`."""
    return tuple(t.ldr(register, post(pointer, 4)) for register in (first, second))


def halfword_pair(pointer: str, first: str, second: str) -> Code:
    """Code that loads four halfwords: elements 0 and 1 in the register `first`, elements 2 and 3 in `second`. The
    address must be a multiple of 4.
    """
    return (t.ldrd(first, second, post(pointer, 8)),)


def parted_halfwords(pointer: str, even: str, odd: str, spare: str) -> Code:
    """Code that loads four halfwords at a pointer: elements 0 and 2 in the register `even`, elements 1 and 3 in `odd`.

    spare: a scratch register.
    """
    return (
        *halfwords_in_order(pointer, odd, spare),
        t.pkhbt(even, odd, spare, lsl=16),
        t.pkhtb(odd, spare, odd, asr=16),
    )


def widened_windows(tile: str, registers: Sequence[str]) -> Code:
    """Code that loads four elements of each window, which are already widened to halfwords, and advances the pointer
    `tile`.

    registers: the registers for the even and the odd elements of the first window, then for those of the second
        window.
    """
    return (t.ldm(tile, (*registers,), update=True),)


def next_four(pointer: str, apart: int, registers: Sequence[str]) -> Code:
    """Code that loads four bytes at a pointer, and four bytes at an address `apart` bytes higher. Both are widened
    as by `parted_bytes`.
    """
    even, odd, second_even, second_odd = registers
    second = t.ldr(second_odd, at(pointer, apart))
    widened = *parted_bytes(t.ldr(odd, post(pointer, 4)), even, odd), *parted_bytes(second, second_even, second_odd)[1:]
    return second, *widened


def last_few(pointer: str, places: Sequence[int], registers: Sequence[str], count: int) -> Code:
    """Code that loads the last one to three bytes of one or two windows. Zeros replace the missing bytes.

    pointer: the register that points to the bytes.
    places: the byte offsets of the windows.
    registers: the registers for the elements, as for `widened_windows`.
    count: the number of bytes.

    The code also reads bytes before these bytes.
    """
    more = QUAD - count
    lines: list[Line] = []
    for number, place in enumerate(places):
        even, odd = registers[2 * number : 2 * number + 2]
        lines += [t.ldr(odd, at(pointer, place - more)), *parted_bytes(t.lsr(odd, odd, 8 * more), even, odd)]
    return tuple(lines)


_LOADED = tuple(f"r{number}" for number in range(3, 11))


def widened_elements(length: int, run: int, pitch: int, apart: Sequence[int], together: int) -> Code:
    """Code that widens one run of each of several windows to halfwords in the stack frame. The windows are interleaved.

    length: the number of elements of a window.
    run: the index of the run among the runs that are joined.
    pitch: the number of bytes from one run to the next.
    apart: for each window, the number of bytes from the first window.
    together: the number of consecutive elements of one window before the elements of the next window.

    lr points to the first window. The code clobbers r3 to r10, which receive several loads in a row: a load that
    follows another takes one cycle less.
    """
    taken = {
        column: takers
        for column in range(max(apart) + length)
        if (takers := [(column - place, number) for number, place in enumerate(apart) if 0 <= column - place < length])
    }
    columns, lines = list(taken), list[Line]()
    for at_once in (columns[number : number + len(_LOADED)] for number in range(0, len(columns), len(_LOADED))):
        loaded = list(zip(_LOADED, at_once, strict=False))
        lines += [t.ldrsb(register, at("lr", run * pitch + column)) for register, column in loaded]
        for register, column in loaded:
            for element, window in taken[column]:
                group, place = divmod(run * length + element, together)
                lines += [t.strh(register, slot(2 * (together * (len(apart) * group + window) + place)))]
    return tuple(lines)


def is_power_of_two(weight: int) -> bool:
    return abs(weight).bit_count() == 1


def product(sum: Sequence[str], weight: str, element: str) -> Code:
    """Code that adds the product of two words to a sum."""
    if len(sum) == 2:
        return (t.smlal(*sum, weight, element),)
    return (t.mla(sum[0], weight, element, sum[0]),)


def halfwords(sum: Sequence[str], weights: str, vector: str) -> Code:
    """Code that adds two products of halfwords to a sum. Each register contains two halfwords."""
    if len(sum) == 2:
        return (t.smlald(*sum, weights, vector),)
    return (t.smlad(sum[0], weights, vector, sum[0]),)


def first_halfwords(sum: Sequence[str], weights: str, vector: str) -> Code:
    return (t.smuad(sum[0], weights, vector),)


ELEMENTS = ("r1", "r3")
"""The registers for two elements of the first window and two of the second."""


def rows_of_halfwords(
    stream: str,
    sums: Sequence[Sequence[str]],
    elements: Address,
    *,
    first: bool = False,
    starts: Sequence[str] = (),
) -> Code:
    """Code that adds two products to each sum of each row. A row has one sum per window. Its two weights are one
    word of the stream.

    stream: the register that points into the stream.
    sums: for each row, the registers of its sums.
    elements: the address of two elements of the first window; those of the second follow.
    first: true if the products replace the contents of the sums' registers.
    starts: for each row, the register to whose contents the products of all windows are added: that of its first sum.
        By default, they are added to the sums.

    The first weights are loaded together with the elements: consecutive loads of single words take one cycle less than
    loads of two pairs. The code clobbers `ELEMENTS`, r12 and lr.
    """
    windows = ELEMENTS[: len(sums[0])]
    weights = ("r12", "lr") if len(windows) == 2 else ("r3", "r12", "lr")
    lines: list[Line] = [t.ldr(windows[0], elements)]
    if len(windows) == 2:
        # The other load may advance the pointer.
        lines = [t.ldr(windows[1], at(elements.base, int(elements.offset or 0) + 4)), *lines]
    for number in range(0, len(sums), len(weights)):
        rows = sums[number : number + len(weights)]
        registers = weights[: len(rows)]
        lines += words(stream, registers) if number else [t.ldr(weight, post(stream, 4)) for weight in registers]
        for row, (each, word) in enumerate(zip(rows, registers, strict=True), number):
            # The first sum's register may contain the start value of all.
            for sum, window in reversed([*zip(each, windows, strict=True)]):
                if first:
                    lines += first_halfwords((sum,), word, window)
                else:
                    lines += [t.smlad(sum, word, window, starts[row] if starts else sum)]
    return tuple(lines)


def half(sum: str, element: str, weights: str, *, top: bool) -> Code:
    """Code that adds the product of the low halfword of `element` and one halfword of `weights` to a sum.

    top: true for the top halfword of `weights`, false for the bottom one.
    """
    return ((t.smlabt if top else t.smlabb)(sum, element, weights, sum),)


_LEAST = -128


def requantised(sum: str, multiplier: str, right: str, tile: Tile) -> Code:
    """Code that requantises a sum and saturates it to a byte.

    multiplier: a register that contains the multiplier after `doubled`. SMMLAR adds the sum, times 2^32, to the
        product. The rounded high word is then that of (x * multiplier + 2^30) / 2^31.
    right: a register that contains the right shift minus 1. The remaining bit is rounded, halves away from zero. The
        zero point is added before this bit is dropped.
    tile: the tile, which specifies the zero point and how sums are rounded.

    For sums that are rounded once, SMMLA drops the low word, and halves are rounded upwards. Both shifts round
    down, so that the result is that of one division.
    """
    zero = tile.zero
    return (
        *((t.smmla(sum, sum, multiplier, sum),) if tile.to_even else high_word(sum, multiplier, zero)),
        t.asr(sum, sum, right),
        (t.add if zero >= 0 else t.sub)(sum, sum, abs(2 * zero + 1)),
        t.ssat(sum, 8, sum, asr=1),
    )


def high_word(sum: str, multiplier: str, zero: int) -> Code:
    """Code that multiplies a sum by a multiplier, as `requantised` does. Negative products are decremented, so that the
    remaining bit is rounded away from zero. With the least zero point, they saturate in any case.
    """
    product = t.smmlar(sum, sum, multiplier, sum)
    return (product,) if zero == _LEAST else (product, t.add(sum, sum, sum, asr=31))


FACTORS = ("r12", "lr")
"""The registers for the multiplier and the shift of a row."""


def requantised_rows(
    stream: WeightStream,
    sums: Sequence[Sequence[str]],
    targets: Sequence[Sequence[Address]],
    *more: tuple[str, str],
) -> Code:
    """Code that requantises the sums of the rows of a block and stores them as bytes.

    r0 points to the multipliers of the rows. In the stream, the shifts follow the multipliers. Afterwards, r0
    points to the end of the shifts. The code clobbers `FACTORS` and `more`.

    sums: for each row, the registers of its sums.
    targets: for each row, the addresses at which the sums are stored.
    more: for further rows whose multipliers and shifts are loaded at the same time, the registers for them.
    """
    rows, lines, places = len(sums), list[Code](), (FACTORS, *more)
    for begin in range(0, rows, len(places)):
        together = list(zip(range(begin, rows), places, strict=False))
        # The addresses of shifts are relative to the multiplier after those that are loaded.
        behind = stream.offset("multiplier", rows, begin + len(together))
        lines += [tuple(t.ldr(multiplier, post("r0", 4)) for _, (multiplier, _) in together)]
        lines += [
            tuple(t.ldrb(right, at("r0", stream.offset("right", rows, row) - behind)) for row, (_, right) in together)
        ]
        for row, (multiplier, right) in together:
            for sum, target in zip(sums[row], targets[row], strict=True):
                lines += [(*requantised(sum, multiplier, right, stream.tile), t.strb(sum, target))]
    return joined(*lines, moved("r0", stream.end("right", rows) - stream.offset("multiplier", rows, rows)))
