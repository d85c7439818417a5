"""Epilogues: what becomes of complete sums."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.composer.lines import Lines


def shifted(sum: Sequence[str], right: str, spare: str, first: int) -> Lines:
    """A sum of 24 bits shifted to the right by what a register says, and limited to a byte but the least, -128.

    The result is in the lowest byte of the sum. right: a register, which stays. first: the number of the first of five
    labels.
    """
    low, middle, high = sum
    by_bits, over_bits, again, out, done = range(first, first + 5)
    return (
        f"mov {spare},{right}",
        # Eight places are a byte.
        *(f"subi {spare},8", f"brcs {by_bits}f"),
        *(f"mov {low},{middle}", f"mov {middle},{high}", f"lsl {high}", f"sbc {high},{high}", f"rjmp {over_bits}f"),
        *(f"{by_bits}:", f"subi {spare},-8", f"rjmp {over_bits}f"),
        *(f"{again}:", f"asr {high}", f"ror {middle}", f"ror {low}"),
        *(f"{over_bits}:", f"subi {spare},1", f"brcc {again}b"),
        # All bytes above repeat the sign of the lowest one, or the number is out of range.
        *(f"mov {spare},{low}", f"lsl {spare}", f"sbc {spare},{spare}"),
        *(f"cpse {spare},{middle}", f"rjmp {out}f", f"cpse {spare},{high}", f"rjmp {out}f"),
        *(f"cpi {low},128", f"brne {done}f", f"ldi {low},129", f"rjmp {done}f"),
        *(f"{out}:", f"ldi {low},127", f"sbrc {high},7", f"ldi {low},129"),
        f"{done}:",
    )
