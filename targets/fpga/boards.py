"""The FPGAs of common boards, with the numbers of their cells and the delays of their families."""

from tinyml.targets.board import Board
from tinyml.targets.verilog.fabric import ECP5, ICE40_UP, Carrier, Delays, Fabric, Resources

_ECP5_CELLS = {
    "LUT4": ("luts", 1),
    "CCU2C": ("luts", 2),
    "TRELLIS_DPR16X4": ("luts", 6),
    "TRELLIS_FF": ("registers", 1),
    "MULT18X18D": ("dsps", 1),
    "DP16KD": ("brams", 1),
}
# A carry is in the cell of the LUT that adds.
_ICE40_CELLS = {
    "SB_LUT4": ("luts", 1),
    "SB_MAC16": ("dsps", 1),
    "SB_RAM40_4K": ("brams", 1),
    **{
        f"SB_DFF{kind}": ("registers", 1)
        for kind in ("", "E", "R", "S", "SR", "SS", "ER", "ES", "ESR", "ESS", "N", "NE", "NR", "NSR", "NER", "NESR")
    },
}
# A block RAM of 36 Kbit serves as two of 18 Kbit; the latter are counted.
_SERIES7_CELLS = {
    **{f"LUT{inputs}": ("luts", 1) for inputs in range(1, 7)},
    "RAM32M": ("luts", 4),
    "RAM64M": ("luts", 4),
    "RAM32X1D": ("luts", 2),
    "RAM64X1D": ("luts", 2),
    "RAM128X1D": ("luts", 4),
    **{f"FD{kind}": ("registers", 1) for kind in ("RE", "SE", "CE", "PE")},
    "DSP48E1": ("dsps", 1),
    "RAMB18E1": ("brams", 1),
    "RAMB36E1": ("brams", 2),
}
SERIES7 = Delays(lut=0.9, carry=0.05, product=4.0, read=3.0, setup=1.5)
"""The delays of Xilinx's series 7: typical figures from the data sheet. No open-source tool computes the timing of
these parts.
"""

BOARDS = (
    Board(
        "ecp5-25k",
        "LFE5U-25F",
        unit="cycles",
        title="Colorlight i5, ULX3S and other boards with a Lattice ECP5",
        core="ECP5",
        clock=50_000_000,
        source="Lattice ECP5 family data sheet",
        fabric=Fabric(
            Resources(24_288, 28, 56),
            bram_bits=18_432,
            bram_width=36,
            ram_luts=6,
            clock=50,
            delays=ECP5,
            synthesis="synth_ecp5",
            cells=_ECP5_CELLS,
            placement=("nextpnr-ecp5", "--25k", "--package", "CABGA381"),
            pack="ecppack",
            carriers=(
                Carrier(
                    *("colorlight-i5", "Colorlight i5 with its extension board"),
                    *(25, "P3"),
                    receive="H18",
                    transmit="J17",
                    busy="U16",
                ),
                # The last pin keeps the other processor of the board from taking control of the FPGA.
                Carrier(
                    *("ulx3s", "ULX3S with an LFE5U-25F"),
                    *(25, "G2"),
                    receive="M1",
                    transmit="L4",
                    busy="B2",
                    high=("L2",),
                ),
            ),
        ),
    ),
    Board(
        "ice40-up5k",
        "iCE40UP5K",
        unit="cycles",
        title="iCEBreaker, UPduino",
        core="iCE40 UltraPlus",
        clock=12_000_000,
        source="Lattice iCE40 UltraPlus family data sheet",
        fabric=Fabric(
            Resources(5_280, 8, 30),
            bram_bits=4_096,
            bram_width=16,
            bram_price=64,
            ram_luts=None,
            clock=12,
            delays=ICE40_UP,
            synthesis="synth_ice40 -dsp",
            cells=_ICE40_CELLS,
            placement=("nextpnr-ice40", "--up5k", "--package", "sg48"),
        ),
    ),
    Board(
        "arty-a7",
        "XC7A35T",
        unit="cycles",
        title="Digilent Arty A7-35T",
        core="Artix-7",
        clock=50_000_000,
        source="Xilinx 7 series overview, DS180",
        fabric=Fabric(
            Resources(20_800, 90, 100),
            bram_bits=18_432,
            bram_width=36,
            bram_price=129,
            ram_luts=4,
            clock=50,
            delays=SERIES7,
            synthesis="synth_xilinx -family xc7",
            cells=_SERIES7_CELLS,
        ),
    ),
)
