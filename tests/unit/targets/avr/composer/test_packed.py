"""Fragments that fetch packed and coded elements on AVR, and the kernels for any width that are composed of them."""

from __future__ import annotations

import pytest
from programs.kernel_tables import kernels_for

from tinyml.dialects.formats.number_format import INTEGER, TABLE
from tinyml.dialects.layouts.packed_bits import WIDTHS, group_bytes, group_length
from tinyml.dialects.num import ComposedKernelAttr
from tinyml.targets.avr.assembly import FLASH
from tinyml.targets.avr.composer.compose import Group, compose
from tinyml.targets.avr.composer.fragments import next_byte
from tinyml.targets.composer.instructions import Line, printed
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import kernel_of


def lines_of(group: Group, element: int) -> list[Line]:
    kept = group.keep[0] if group.stays(element) else "r18"
    *low, high = group.fetches(element)
    return [*group.shared(element), *(line for fetch in low for line in fetch("r18")), *high(kept)]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_group_takes_each_of_its_bytes_once(width: int):
    group = Group(width, next_byte(FLASH, "Z"), ("r21", "r14"))
    lines = printed(line for element in range(group_length(width)) for line in lines_of(group, element))
    assert sum(line.startswith("lpm ") for line in lines) == group_bytes(width)


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
    assert compose(Kernel("", 3, 8, 32, op="num.sparse_dot", flash=False)) is None
    assert compose(Kernel("", 8, 8, 32, flash=False, codings=(TABLE, INTEGER))) is None
    assert compose(Kernel("", 9, 8, 32, codings=(TABLE, INTEGER))) is None
    assert compose(Kernel("", 3, 16, 32, op="num.axpy")) is None


def test_weights_in_ram_are_fetched_faster():
    """The kernel for 4-bit weights in RAM needs half a cycle less for each element than the one for flash, since a load
    from RAM is one cycle faster and fetches two elements.
    """
    flash, ram = (compose(Kernel("", 4, 8, 16, flash=flash)) for flash in (True, False))
    assert flash is not None
    assert ram is not None
    assert (ram.symbol, flash.step - ram.step) == (f"{flash.symbol}_ram", 0.5)
