"""The registry of chips: names, and chips of other packages."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from programs import kernel_tables
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import INTEGER, TABLE
from tinyml.dialects.layouts.coded_rows import CodedRows, CodedTile
from tinyml.dialects.num import CodeKernelAttr, ListedKernelAttr
from tinyml.dialects.plugins import PluginError
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import is_available, runner_for
from tinyml.runtime.model.headers import header_texts
from tinyml.targets import registry
from tinyml.targets.board import Board
from tinyml.targets.c.print_c import OWN_CONSTANTS, SELECTING_PREFIXES
from tinyml.targets.host.chip import CHIP as HOST
from tinyml.targets.kernel import Kernel
from tinyml.targets.nests import WEIGHTS, FarWeightsQuery, KernelQuery, Maker, Offer, SumQuery
from tinyml.targets.package import Package


class PocketRunner(HostRunner):
    """The runner of a chip of another package."""


POCKET = dataclasses.replace(
    HOST,
    name="pocket",
    runner=f"{__name__}:PocketRunner",
    boards=(Board("pocket-one", "p1", 4096, 512), Board("pocket-two", "p2", 8192, 512)),
)


@pytest.fixture
def with_pocket() -> Iterator[None]:
    """Register the chip of `PocketRunner` as if its package were installed."""
    with installed(EntryPoint("pocket", f"{__name__}:POCKET", registry.GROUP)):
        yield


def test_boards_have_names_of_their_own() -> None:
    names = [name for board in registry.boards() for name in board.names]
    assert len(set(names)) == len(names)
    assert registry.DEFAULT_TARGET in names
    assert registry.HOST in names
    assert all(board.larger in (None, *names) for board in registry.boards())


def test_an_unknown_target_is_told_the_known_ones() -> None:
    with pytest.raises(InputError, match="unknown target 'toaster' \\(one of uno, "):
        registry.board("toaster")


@pytest.mark.parametrize(
    ("typed", "meant"), [("arduino-micro", "micro"), ("Arduino UNO", "uno"), ("arduino-due", "due")]
)
def test_a_name_may_begin_with_its_maker(typed: str, meant: str):
    with pytest.raises(InputError, match=f"^unknown target '{typed}', did you mean '{meant}'\\?$"):
        registry.board(typed)
    assert registry.board("arduino-giga") is registry.board("giga")


def test_a_board_has_several_names():
    assert registry.board("nano33iot") is registry.board("mkr1000")
    assert "nano33iot" not in registry.targets()
    with pytest.raises(InputError, match="unknown target 'nano33-iot', did you mean 'nano33iot'\\?"):
        registry.board("nano33-iot")
    module = ModuleOp([])
    registry.compile_for(module, "longan-nano")
    assert registry.target_of(module) == "gd32vf103"


def test_a_part_without_a_board_is_a_core_with_memories():
    """A target for a part without a board is a core with sizes of flash and RAM, such as `cortex-m33-512K-100000`. Its
    name contains all its properties and is accepted wherever a target is.
    """
    made = registry.sized("cortex-m33", 512 << 10, 100_000)
    assert made == "cortex-m33-512K-100000"
    known, core = registry.board(made), registry.board("cortex-m33")
    assert (known.name, known.flash, known.ram) == (made, 524288, 100_000)
    assert (known.flags, known.features, known.costs) == (core.flags, core.features, core.costs)
    assert registry.sized(made, None, 1 << 20) == "cortex-m33-512K-1M"
    assert registry.sized("rp2350", core.flash, None) == "pico2-2M-520K"
    assert registry.sized("cortex-m33", core.flash, core.ram) == "cortex-m33"
    module = ModuleOp([])
    registry.compile_for(module, made)
    assert registry.target_of(module) == made


@pytest.mark.parametrize("name", ["cortex-m33-512K", "cortex-m33-512K-7", "cortex-m33-0K-1K", "cortex-m33-1M-512M"])
def test_sizes_of_memories_are_read_in_full_or_not_at_all(name: str):
    with pytest.raises(InputError, match=f"unknown target '{name}'"):
        registry.board(name)


def test_a_simulated_part_has_no_more_than_its_memories():
    assert registry.board(registry.sized("uno", 16 << 10, 1 << 10)).ram == 1024
    with pytest.raises(InputError, match="uno \\(atmega328p\\) has 32256 bytes of flash and 2048 of RAM"):
        registry.sized("uno", None, 4096)
    with pytest.raises(InputError, match="host has no memories"):
        registry.sized("host", None, 4096)


@pytest.mark.parametrize("target", ["attiny85", "avr35"])
def test_a_board_without_multiplication_has_no_kernel_that_multiplies(target: str):
    assert not kernel_tables.kernels_of(target)
    assert not kernel_tables.tile_families(target)
    assert kernel_tables.row_coder(target) is None
    wanted = Kernel("", 4, 8, 32)
    assert kernel_tables.kernels_for("uno", wanted)
    assert not kernel_tables.kernels_for(target, wanted)


@pytest.mark.usefixtures("with_pocket")
def test_a_package_brings_a_chip_and_its_runner() -> None:
    assert registry.board("pocket-two").flash == 8192
    assert registry.chip_of("pocket-one").name == "pocket"
    assert type(runner_for("pocket-one")).__name__ == "PocketRunner"
    with pytest.raises(InputError, match=", host, pocket-one, pocket-two\\)"):
        registry.board("toaster")


class _Answer(Maker):
    """A kernel table's entry that answers each query with the same kernel."""

    needs, large = "", False

    def __init__(self, kernel: object) -> None:
        self._kernel = kernel

    def offers(self, nest: KernelQuery) -> Iterator[Offer]:
        yield Offer(cast(Kernel, self._kernel))


WITHOUT_KERNEL = dataclasses.replace(
    POCKET,
    name="without-kernel",
    boards=(Board("no-kernel", "p"),),
    makers=(_Answer(SimpleNamespace(needs="", sum=32)),),
)
SUM = SumQuery("num.dot", 8, 8, (16, 32))
DECODABLE = SumQuery("num.dot", 4, 8, (32,), decodable=(WEIGHTS,))
OFFERED = Kernel("tm_dot", 8, 8, 32)


@pytest.mark.parametrize("query", [SUM, FarWeightsQuery(Kernel("tm_near", 8, 8, 32))])
def test_an_offer_of_a_package_contains_a_kernel(query: KernelQuery):
    with (
        installed(EntryPoint("pocket", f"{__name__}:WITHOUT_KERNEL", registry.GROUP)),
        pytest.raises(
            PluginError, match=r"plug-in 'pocket' .*: expected an object of type Kernel, got SimpleNamespace"
        ),
    ):
        list(registry.offers("no-kernel", query))


UNASKED = {
    "sum": (SUM, dataclasses.replace(OFFERED, sum=24), "has a sum of 24 bits, expected 16 or 32"),
    "weights": (SUM, dataclasses.replace(OFFERED, weights=7), "reads weights of 7 bits, expected 8"),
    "vector": (SUM, dataclasses.replace(OFFERED, vector=16), "reads a vector of 16 bits, expected 8"),
    "routine": (SUM, dataclasses.replace(OFFERED, op="num.axpy"), "is one of num.axpy, expected num.dot"),
    "codings": (SUM, dataclasses.replace(OFFERED, codings=(TABLE, INTEGER)), "reads the codings "),
    "coding of packed weights": (
        DECODABLE,
        dataclasses.replace(OFFERED, weights=16, vector=16),
        "reads a vector of 16 bits, expected 8",
    ),
}
"""Offers that differ from their query in one field, with the message."""


@pytest.mark.parametrize("name", UNASKED)
def test_an_offer_of_a_package_computes_a_requested_sum(name: str, monkeypatch: pytest.MonkeyPatch):
    query, kernel, message = UNASKED[name]
    chip = dataclasses.replace(POCKET, name="unasked", boards=(Board("unasked", "p"),), makers=(_Answer(kernel),))
    monkeypatch.setattr(sys.modules[__name__], "UNASKED_CHIP", chip, raising=False)
    with (
        installed(EntryPoint("pocket", f"{__name__}:UNASKED_CHIP", registry.GROUP)),
        pytest.raises(PluginError, match=rf"plug-in 'pocket' .*: the kernel 'tm_dot' {re.escape(message)}"),
    ):
        list(registry.offers("unasked", query))


@pytest.mark.parametrize("query", [SUM, DECODABLE])
def test_a_requested_sum_has_no_fault(query: SumQuery):
    for wanted, _ in query.wanted:
        assert query.fault(dataclasses.replace(wanted, symbol="tm_any", chunk=4, gaps=8, rows=2)) is None


def test_a_package_is_there_where_its_command_or_header_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Package("gcc", command="gcc").is_installed()
    assert Package("libc6-dev", header="stdio.h").is_installed()
    assert not Package("none", command="no-such-command").is_installed()
    assert not Package("none", header="no/such/header.h").is_installed()
    assert not Package("none", header="stdio.h", compiler=("no-such-gcc",)).is_installed()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not is_available("host")


def test_code_has_the_kernel_of_its_attribute_and_no_other() -> None:
    ones = np.ones(1, np.int64)
    tile = CodedTile(np.full((1, 1, 3), 7), ones, ones << 30, -ones, 0, 1, 2, 0, 1)
    for coder in kernel_tables.tile_coders("cortex-m0"):
        attribute = CodeKernelAttr.of(coder.name, tile.digest)
        assert registry.coded_kernel(attribute, tile, "cortex-m0").symbol == f"{coder.name}_{tile.digest}"
    rows, fifth = CodedRows([np.full((1, 3), 7)], [0], ones, 8), CodeKernelAttr.of("tm_avr_rows", "5")
    assert registry.coded_kernel(fifth, rows, "uno").symbol == "tm_avr_rows_5"
    channels, first = CodeKernelAttr.of("tm_cm_channels", "0"), CodeKernelAttr.of("tm_cm_rows", "1")
    for attribute, content in ((channels, tile), (first, tile), (channels, rows), (fifth, rows)):
        with pytest.raises(InputError, match=f"the chip cortex-m has no code for {attribute}"):
            registry.coded_kernel(attribute, content, "cortex-m4")


def test_a_kernel_is_looked_up_in_the_chip_of_a_board_alone() -> None:
    listed = ListedKernelAttr.of("tm_cm_dot4_s8_s8_s32")
    assert registry.kernel_of(listed, "cortex-m4").symbol == "tm_cm_dot4_s8_s8_s32"
    for target in ("uno", "riscv", "host"):
        with pytest.raises(InputError, match=f"the target '{target}' has no kernel {listed}"):
            registry.kernel_of(listed, target)


def test_the_table_of_built_in_chips_is_what_they_say() -> None:
    """The names and boards in the table of built-in chips equal those that the chips' folders declare. The runtime
    headers test only macros of these chips.
    """
    rows = registry.CHIPS.built_in
    built_in = registry.chips()[: len(rows)]
    assert [chip.name for chip in built_in] == list(rows)
    assert all(chip.folder.name == chip.name.replace("-", "_") for chip in built_in)
    names = {chip.name: {name: board.name for board in chip.boards for name in board.names} for chip in built_in}
    assert names == {name: row.names for name, row in rows.items()}
    assert registry.targets() == [board.name for chip in built_in for board in chip.boards]
    texts = " ".join(text for chip in built_in for text in header_texts(chip).values())
    asked = set(re.findall(r"#ifdef (__\w+__)", texts))
    assert {*OWN_CONSTANTS.values()} == asked
    assert {prefix for chip in built_in for prefix in chip.macros or ()} == {*SELECTING_PREFIXES}


def test_chips_with_constants_elsewhere_read_every_element():
    """Every chip whose constants need special loads has helper functions to load elements of all types, including the
    64-bit biases of 16-bit networks.
    """
    elements = ("i8", "i16", "i32", "i64", "f32")
    for chip in registry.chips():
        if chip.flash_attribute is not None:
            wanted = {f"tm_{way}_{element}" for way in ("flash", "next") for element in elements}
            assert wanted <= chip.helpers.keys()


def test_a_package_adds_a_board_to_a_chip_of_tinyml(monkeypatch: pytest.MonkeyPatch) -> None:
    """The board of `tests/plugins/feather` has the kernels, the costs and the runner of the chip that it copies."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "tests/plugins/feather"), *sys.path])
    with installed(*entry_points_of("feather")):
        own, copied = registry.board("feather-m3"), registry.board("bluepill")
        assert (own.flash, own.ram, own.costs, own.core) == (98304, 20480, copied.costs, copied.core)
        chips = registry.chip_of("feather-m3"), registry.chip_of("bluepill")
        assert [chip.name for chip in chips] == ["feather", "cortex-m"]
        assert chips[0].makers == chips[1].makers
        assert type(runner_for("feather-m3")) is type(runner_for("bluepill"))
