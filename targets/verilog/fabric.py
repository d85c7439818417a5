"""Models of FPGAs, for scheduling and for checking that a design fits.

A model consists of the delays of the logic, including routing, and the number of cells of each kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from xdsl.ir import Operation

from tinyml.targets.board import Board, Logic
from tinyml.targets.registry import board, target_of


@dataclass(frozen=True)
class Delays:
    """The delays of a family of FPGAs, in ns.

    * lut: a level of logic with its routing.
    * carry: a bit of a carry chain.
    * product: a multiplier for factors of at most 18 bits.
    * read: from a clock edge to the word at a memory's output.
    * setup: from a signal to the clock edge that samples it, including the multiplexer before registers and ports.
    """

    lut: float
    carry: float
    product: float
    read: float
    setup: float

    def add(self, width: int) -> float:
        """The delay of an addition, a subtraction or a comparison, in ns."""
        return self.lut + self.carry * width

    def multiply(self, widths: tuple[int, int]) -> float:
        """The delay, in ns, of a multiplication whose factors have these widths.

        The multiplication consists of partial products of 18 by 18 bits and of additions of the partial products.
        """
        parts = -(-max(widths) // 18)
        return self.product + (parts - 1) * self.add(sum(widths))

    def shift(self, width: int) -> float:
        """The delay of a shift by a variable amount, in ns."""
        return self.lut * max(1, (width - 1).bit_length() / 2)


@dataclass(frozen=True)
class Resources:
    """The numbers of cells of each kind: look-up tables, multipliers and block RAMs. FPGAs have as many registers as
    look-up tables.
    """

    luts: int
    dsps: int
    brams: int
    registers: int = 0

    def shortages(self, available: Resources) -> list[str]:
        """For each kind of cell of which the design needs more than an FPGA has, a description of the shortage;
        empty if the design fits.

        there: the cells of the FPGA.
        """
        names = {"luts": "LUTs", "dsps": "DSPs", "brams": "block RAMs"}
        counts = asdict(self), asdict(available)
        return [
            f"{counts[0][key]:,} {name} of {counts[1][key]:,} ({counts[0][key] - counts[1][key]:,} too many)"
            for key, name in names.items()
            if counts[0][key] > counts[1][key]
        ]


@dataclass(frozen=True)
class Carrier:
    """A board with an FPGA.

    * name, title: the short name and the full name of the board.
    * clock: the clock frequency in MHz at the pin `pin`.
    * receive, transmit: the pins of a serial line, named from the FPGA's perspective.
    * busy: the pin of an LED.
    * high: pins that a design must drive high.
    """

    name: str
    title: str
    clock: float
    pin: str
    receive: str
    transmit: str
    busy: str
    high: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fabric(Logic):
    """The logic of an FPGA.

    * there: the numbers of available cells.
    * bram_bits, bram_width: the number of bits of a block RAM, and the width of its widest words.
    * clock: the frequency in MHz for which programs are scheduled.
    * delays: the delays of the FPGA's family.
    * synthesis: the command of yosys that maps a design to the FPGA.
    * cells: for each kind of cell of a mapped design, the resource that the cell uses, and the amount.
    * placement: the nextpnr command with the part and its package; empty if nextpnr does not support the part.
    * pack: the command that converts the output of nextpnr to a bitstream.
    * carriers: boards with this FPGA, the default board first.
    * bram_price: the cost that yosys assigns to a block RAM, on a scale on which a LUT memory with 16 words of 4
      bits costs 4.
    * ram_luts: the number of LUTs of such a LUT memory; None if LUTs cannot serve as memories.
    """

    there: Resources
    bram_bits: int
    bram_width: int
    clock: float
    delays: Delays
    synthesis: str
    cells: Mapping[str, tuple[str, int]] = field(hash=False)
    placement: tuple[str, ...] = ()
    pack: str = ""
    carriers: tuple[Carrier, ...] = ()
    bram_price: int = 128
    ram_luts: int | None = None


ECP5 = Delays(lut=1.65, carry=0.08, product=6.0, read=5.7, setup=3.2)
ICE40_UP = Delays(lut=2.6, carry=0.28, product=14.0, read=4.0, setup=5.0)

DEFAULT_FABRIC = Fabric(Resources(24_288, 28, 56), 18_432, 36, 50, ECP5, "synth", {}, ram_luts=6)
"""The FPGA assumed for programs that are compiled for another target: a small ECP5."""


def fabric_of(board: Board) -> Fabric:
    """The FPGA of a board whose programs are compiled to hardware."""
    assert isinstance(board.fabric, Fabric)
    return board.fabric


def fabric_around(op: Operation) -> Fabric:
    """The FPGA for which the module that contains an op is compiled; `DEFAULT_FABRIC` for other targets."""
    target = board(target_of(op))
    return DEFAULT_FABRIC if target.fabric is None else fabric_of(target)
