"""The constants for which packing is profitable, with invented sizes, readers and times."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from programs.plugins import installed
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.targets import registry
from tinyml.targets.board import Board
from tinyml.targets.c.composer.compose import compose
from tinyml.targets.host.chip import CHIP as HOST
from tinyml.targets.kernel import Kernel
from tinyml.targets.kernel_table import ListedKernels, SumComposer
from tinyml.targets.registry import chip_of
from tinyml.transforms.loops import pack_constants

PACKING: Any = pack_constants


def packable(size: int, packed: int, slowdown: float, calls: int = 0, **readers: int) -> Any:
    """A constant that `pack-constants` may pack.

    size, packed: the number of bytes of the constant without and with packing.
    slowdown: the time of packed accesses divided by that of unpacked accesses.
    calls: the number of bytes of additional calls.
    readers: the bytes of additional code for each reader, by its name.

    Each byte is read once.
    """
    return PACKING._Packable(None, "uno", 4, 1, size, packed, readers, calls, slowdown, size)


def test_bytes_and_times():
    call = chip_of("uno").packed_reads.call
    assert call > 0
    one = packable(1000, 400, 1.5, calls=2)
    assert one.saved == 600 - 2 * call
    assert one.effort == (400 + 2 * call) * 1.5


@pytest.mark.parametrize(("code", "repaid"), [(166, True), (167, False)])
def test_code_for_one_constant(code: int, repaid: bool):
    """A constant of 1,000 bytes, 400 if packed, whose access becomes 1.5 times as slow, is packed for up to 166 bytes
    of code, but not for 167.
    """
    assert packable(1000, 400, 1.5).repays(code) == repaid


@pytest.mark.parametrize(("packed", "worth"), [(84, True), (85, False)])
def test_packing_saves_more_than_fifteen_hundredths(packed: int, worth: bool):
    one = packable(100, packed, 1.0)
    assert PACKING._worthwhile([one]) == ([one] if worth else [])


@pytest.mark.parametrize(("code", "worth"), [(99, True), (100, False)])
def test_the_code_of_a_reader_is_less_than_all_that_it_saves(code: int, worth: bool):
    both = [packable(100, 50, 1.6, reader=code) for _ in range(2)]
    assert PACKING._worthwhile(both) == (both if worth else [])


def test_what_is_not_packed_saves_nothing_for_readers_that_it_shares():
    """Of two constants with a common reader, the second one is not packed because it needs another reader in addition.
    The first one alone then saves too little for the common reader, and is not packed either.
    """
    first, second = packable(100, 50, 1.6, reader=60), packable(100, 50, 1.6, reader=60, other=70)
    third = packable(1000, 100, 1.0, reader_of_its_own=300)
    assert PACKING._worthwhile([first, second, third]) == [third]
    assert PACKING._worthwhile([first, packable(100, 50, 1.6, reader=60)])


@pytest.mark.parametrize(("times", "worth"), [(23, True), (24, False)])
def test_the_shares_of_bytes_and_time(times: int, worth: bool):
    """A constant of 100 bytes, half as many if packed, whose access becomes 1.1 times as slow, is packed if it has
    71.9 % of the time and 10 % of the bytes, but not if it has 72.7 % of the time.
    """
    inner, other = packable(100, 50, 1.1), packable(900, 300, 1.0)
    inner.time *= times
    assert PACKING._worthwhile([inner, other]) == ([inner, other] if worth else [other])


LISTED = Kernel("tm_own_dot_s16_s16_s32", 16, 16, 32, flash=None)
CHIP = replace(HOST, name="own", boards=(Board("own", "o"),), makers=(ListedKernels([LISTED]), SumComposer(compose)))

ROW = """
func.func @net(%X: memref<64x!fixed.q<16, 14>>) -> !fixed.acc<32, 24> {
  %W = scratch.constant dense<3> : tensor<64xi16> -> memref<64x!fixed.q<16, 10>, #scratch.flash>
  %start = num.zero : !fixed.acc<32, 24>
  %sum = num.call #num.dot(%start, %W, %X) : (!fixed.acc<32, 24>, memref<64x!fixed.q<16, 10>, #scratch.flash>,
    memref<64x!fixed.q<16, 14>>) -> !fixed.acc<32, 24>
  func.return %sum : !fixed.acc<32, 24>
}
"""


def test_kernels_whose_times_a_chip_does_not_state():
    """If a kernel's time is unknown, packed elements count as read in a loop, and the time is not used as a divisor."""
    with installed(EntryPoint("own", f"{__name__}:CHIP", registry.GROUP)):
        module = Parser(context(), ROW).parse_module()
        pack_constants.PackConstantsPass(target="own", packed="always").apply(context(), module)
    assert "#scratch.packed<3>" in str(module)
