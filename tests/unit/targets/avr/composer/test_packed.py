"""Fragments that fetch packed and coded elements on AVR, and the kernels that they make for any width."""

from __future__ import annotations

import pytest

from tinyml.dialects.formats.coding import INTEGER, TABLE
from tinyml.dialects.layouts.packed_bits import WIDTHS, group_bytes, group_length
from tinyml.dialects.num import ComposedKernelAttr
from tinyml.targets.avr.composer.assembly import cycles
from tinyml.targets.avr.composer.compose import compose
from tinyml.targets.avr.composer.fetch import FLASH, next_byte
from tinyml.targets.avr.composer.packed import Group, numbered
from tinyml.targets.avr.composer.regime import products
from tinyml.targets.avr.composer.table import entry
from tinyml.targets.avr.composer.unpack import unpacking
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import kernel_of, kernels_for


def lines_of(group: Group, element: int) -> list[str]:
    kept = group.keep[0] if group.stays(element) else "r18"
    *low, high = group.fetches(element)
    return [*group.shared(element), *(line for fetch in low for line in fetch("r18")), *high(kept)]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_group_takes_each_of_its_bytes_once(width: int):
    group = Group(width, next_byte(FLASH, "Z"), ("r21", "r14"))
    lines = [line for element in range(group_length(width)) for line in lines_of(group, element)]
    assert sum(line.startswith("lpm ") for line in lines) == group_bytes(width)


def test_fields_are_cut_out_of_a_byte_that_the_last_element_keeps():
    group = Group(4, next_byte(FLASH, "Z"), ("r21", "r14"))
    assert lines_of(group, 0) == ["lpm r21,Z+", "mov r18,r21", "andi r18,15", "subi r18,8"]
    assert lines_of(group, 1) == ["swap r21", "andi r21,15", "subi r21,8"]
    three = Group(3, next_byte(FLASH, "Z"), ("r21", "r14"))
    assert lines_of(three, 0)[:2] == ["lpm r14,Z+", "lpm r21,Z+"]
    assert lines_of(three, 3) == ["lsr r21", "lsr r21", "lsr r14", "rol r21", "subi r21,4"]


def test_many_bits_are_shifted_down_and_their_rest_collected():
    seven = Group(7, next_byte(FLASH, "Z"), ("r21", "r14"))
    assert lines_of(seven, 0) == ["lpm r18,Z+", "asr r18", "ror r21"]
    assert lines_of(seven, 7) == ["asr r21"]


def test_other_fetches():
    low, high = entry("r18", "r10")
    assert [*low("r18"), *high("r20")][-2:] == ["lpm r18,Z+", "lpm r20,Z"]
    assert cycles(low("r18")) + cycles(high("r20")) == 11
    assert numbered(12, "r15")[0]("r19")[-1] == "ld r19,X"
    assert numbered(12, "r15")[1]("r21")[4] == "ld r21,-X"
    assert sum(line.startswith("st Z+") for line in unpacking(11, signed=True)) == 2 * 8
    assert [line for line in unpacking(4, signed=False) if line.startswith("subi")] == []
    assert sum(line.startswith("mul ") for line in products()) == 8


@pytest.mark.parametrize("width", WIDTHS)
def test_every_width_has_kernels_by_attribute(width: int):
    for wanted in (Kernel("", width, 16, 32), Kernel("", width, 8, 32, op="num.sparse_dot")):
        [*_, kernel] = kernels_for("uno", wanted)
        assert kernel.composed is not None
        assert kernel.composed.costs["element"] == kernel.step
        assert isinstance(kernel.attribute, ComposedKernelAttr)
        assert kernel_of(kernel.attribute, "uno") == kernel
        assert f" {kernel.symbol}(" in kernel.composed.text


def test_what_cannot_be_composed():
    assert compose(Kernel("", 3, 16, 16)) is None
    assert compose(Kernel("", 3, 8, 32, flash=False)) is None
    assert compose(Kernel("", 9, 8, 32, codings=(TABLE, INTEGER))) is None
    assert compose(Kernel("", 3, 16, 32, op="num.axpy")) is None
