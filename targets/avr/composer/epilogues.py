"""Epilogues: what becomes of complete sums."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.avr.composer.assembly import Lines, joined


def shifted(sum: Sequence[str], right: int, byte: str, zero: str) -> Lines:
    """A sum of 24 bits shifted to the right by 1 to 23 places, and limited to a byte but the least, -128.

    It takes the same time for every sum. The registers of the sum, r0 and r1 change. byte: the register for the result,
    from r16 on.
    """
    kept = sum[right // 8 :]
    # Bits go to the right out of the lowest byte, or to the left into one above.
    to_right, to_left = right % 8, -right % 8
    if len(kept) * to_right <= (len(kept) + 1) * to_left or not to_right:
        places = ("asr", "ror", "ror"), [*reversed(kept)], to_right
        shifts = [f"{op} {register}" for op, register in zip(*places[:2], strict=False)] * places[2]
    else:
        shifts, kept = _to_left(kept, to_left), [*kept[1:], "r0"]
    return joined(shifts, _limited(kept, byte, zero))


def _to_left(sum: Sequence[str], places: int) -> Lines:
    """A signed sum shifted to the left, with r0 for its highest byte."""
    low, *others = sum
    once = (f"lsl {low}", *(f"rol {register}" for register in others))
    return joined(once, "sbc r0,r0", [*once, "rol r0"] * (places - 1))


def _limited(number: Sequence[str], byte: str, zero: str) -> Lines:
    """A signed number of some bytes, the lowest one first, limited to -127 and 127 in a register."""
    low, *above = number
    more = (f"ldi {byte},127", f"add {byte},{low}")
    if not above:
        # With 127 more, -128 is 255, the only number out of range.
        return (*more, f"cpi {byte},255", f"sbci {byte},126")
    # With 127 more, numbers in range are 0 to 254; what has bits above becomes 0 or 255, and 255 becomes 254.
    extreme = (f"mov r1,{above[-1]}", "lsl r1", "sbc r1,r1", "com r1")
    carries = [f"adc {register},{zero}" for register in above]
    collected = [f"or {above[0]},{register}" for register in above[1:]]
    chosen = (f"cpse {above[0]},{zero}", f"mov {byte},r1", f"cpi {byte},255", f"adc {byte},{zero}", f"subi {byte},128")
    return joined(extreme, more, carries, collected, chosen)


def shifted_in_c(indent: str, right: int, out: str) -> str:
    """The same in C: the statements that store `sum` in `out`."""
    return f"{indent}sum >>= {right};\n{indent}{out} = (int8_t)(sum < -127 ? -127 : sum > 127 ? 127 : sum);"
