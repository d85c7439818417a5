"""Composed kernels for RISC-V: their fragments, and the costs that add up from these."""

from tinyml.targets.costs import cost_table
from tinyml.targets.registry import kernel_named, known_kernel, tile_families
from tinyml.targets.riscv.assembly.counter import InstructionCounter
from tinyml.targets.riscv.composer.dot_tiles import RiscvDotTile
from tinyml.targets.riscv.composer.fragments import SATURATED, requantised
from tinyml.targets.tiles import Tile


def test_an_epilogue_takes_twelve_instructions_and_half_of_those_that_saturate():
    counter = InstructionCounter()
    requantised(counter, None, None, None, -128)
    assert counter.time == 12 + SATURATED / 2
    assert counter.bytes == 4 * (12 + SATURATED) - 2 * 2


def test_four_rows_meet_four_windows_in_forty_instructions():
    tile = Tile(8, 3, 48, 160, 16, 8, 0)
    further = RiscvDotTile(Tile(8, 3, 52, 160, 16, 8, 0))
    strip = RiscvDotTile(tile)
    # An iteration takes four elements, moves two pointers and branches.
    assert further.time - strip.time == 2 * 2 * 3 * (4 * 40 + 3)
    assert strip.windows == [(2, 4)]
    assert strip.layout.groups == [(2, 4)]
    # Windows that loads of 2 KB do not reach are taken alone, by eight rows.
    assert RiscvDotTile(Tile(8, 1, 2040, 0, 2040, 2, 0)).windows == [(2, 1)]


def test_a_tile_is_known_by_its_name():
    tile, table = Tile(2, 3, 6, 30, 2, 5, -128), cost_table("riscv")
    assert table is not None
    for family in tile_families("riscv"):
        kernel = family.kernel(tile)
        assert kernel is not None
        assert known_kernel(kernel.symbol, "riscv") is kernel
        call, of_element = table.cost(kernel.symbol), table.cost(f"{kernel.symbol} element")
        assert call is not None
        assert call.time > 0
        assert of_element is not None
        assert of_element.time == 0


def test_a_kernel_is_plain_c_beside_its_assembly():
    composed = kernel_named("tm_rv_dot4_s8_s8_s32", "riscv").composed
    assert composed is not None
    assert "#if TM_CORE == 32" in composed.text
    assert composed.portable in composed.text
    assert composed.costs["element"] == (1 + 4 * 3 + 6 / 4) / 4


def test_an_entry_of_a_sparse_row_takes_six_instructions_and_a_quarter_of_an_iteration():
    composed = kernel_named("tm_rv_dot_sparse_s8_s8_s32", "riscv").composed
    wide = kernel_named("tm_rv_dot_sparse_s16_s16_s32", "riscv").composed
    assert composed is not None
    assert wide is not None
    assert composed.costs["element"] == 6 + 3 / 4
    assert wide.costs["element"] == 7 + 3 / 4
    assert composed.costs["rest"] == 3 - 3 / 4
