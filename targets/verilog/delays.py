"""Delays of combinational logic, routing included, by which a schedule decides what fits into a cycle."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Delays:
    """Delays of a family of FPGAs in ns.

    lut: of a level of logic with its routing. carry: of a bit of a carry chain. product: of a multiplier for factors of
    18 bits or less. read: from a clock edge to the word at a memory's output. setup: from a signal to the clock edge
    that takes it, with the selection before registers and ports.
    """

    lut: float
    carry: float
    product: float
    read: float
    setup: float

    def add(self, width: int) -> float:
        """A sum, a difference or a comparison."""
        return self.lut + self.carry * width

    def multiply(self, widths: tuple[int, int]) -> float:
        """A product of factors of these widths: partial products of 18 by 18 bits, and their sums."""
        parts = -(-max(widths) // 18)
        return self.product + (parts - 1) * self.add(sum(widths))

    def shift(self, width: int) -> float:
        """A shift by an amount that is not constant."""
        return self.lut * max(1, (width - 1).bit_length() / 2)


ECP5 = Delays(lut=1.1, carry=0.07, product=5.5, read=5.7, setup=2.5)
ICE40_UP = Delays(lut=2.6, carry=0.28, product=14.0, read=4.0, setup=5.0)
