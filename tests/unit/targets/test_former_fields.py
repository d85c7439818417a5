"""A chip of a package that sets the fields of former versions has the same kernels, and is told where to read on."""

from __future__ import annotations

import re
from dataclasses import fields, replace

import numpy as np
import pytest
from programs.coded_rows import random_rows
from programs.paths import ROOT
from programs.plugins import package_of

from tinyml.dialects.num import DotAttr, SparseDotAttr
from tinyml.targets import kernel, registry
from tinyml.targets.avr.chip import CHIP as AVR
from tinyml.targets.chip import Chip
from tinyml.targets.former_fields import PAGE
from tinyml.targets.host.chip import CHIP as HOST
from tinyml.targets.kernel import Kernel
from tinyml.targets.makers import FarConstants, ForestCoder, ListedKernels, RowCoder, SumComposer
from tinyml.targets.nests import FarNest, Maker, Nest, SumNest
from tinyml.targets.tiles import TileCoder, TileFamily

NESTS: list[Nest] = [
    SumNest(DotAttr.name, 8, 8, (16, 24, 32)),
    SumNest(DotAttr.name, 6, 16, (32,)),
    SumNest(SparseDotAttr.name, 4, 8, (16,)),
    FarNest(Kernel("tm_dot_s8_s8_s24", 8, 8, 24)),
    random_rows(np.random.default_rng(1), 3, [10]),
]


def former(chip: Chip, **more: object) -> Chip:
    """A chip with the kernels of another one, by the fields of former versions."""
    (composer, *_), [coder], [far] = chip.made_by(SumComposer), chip.made_by(RowCoder), chip.made_by(FarConstants)
    given: dict[str, object] = {
        "kernels": chip.kernels,
        "compose": composer.composed,
        "tiles": chip.made_by(TileFamily),
        "coder": coder,
        "tile_coders": chip.made_by(TileCoder),
        "forests": chip.made_by(ForestCoder),
        "far": far,
    }
    same = {field.name: getattr(chip, field.name) for field in fields(chip) if field.name != "makers"}
    return Chip(**{**same, **given, **more})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("nest", NESTS, ids=str)
def test_former_fields_offer_the_same(nest: Nest):
    with pytest.warns(DeprecationWarning, match="no longer has kernels, compose, tiles"):
        chip = former(AVR)
    found = [(offer.kernel, offer.decoded) for offer in chip.offers(nest, ("mul", "elpm"))]
    assert found == [(offer.kernel, offer.decoded) for offer in AVR.offers(nest, ("mul", "elpm"))]
    assert found


def test_rows_of_the_table_stay_beside_a_former_field():
    def none(_: Kernel) -> None:
        return None

    with pytest.warns(DeprecationWarning, match="no longer has compose"):
        chip = replace(HOST, compose=none)  # pyright: ignore[reportCallIssue]
    kinds: list[type[Maker]] = [type(maker) for maker in chip.makers]
    assert kinds == [SumComposer, *map(type, HOST.makers)]


def test_names_are_still_found_where_they_were():
    assert (vars(kernel)["RowCoder"], vars(kernel)["FarConstants"]) == (RowCoder, FarConstants)


def test_the_warning_names_a_section_of_the_page():
    section, page = re.findall("'([A-Z][^']*)'", PAGE)
    text = (ROOT / "docs/changes-for-packages.md").read_text()
    assert text.startswith(f"# {page}\n")
    assert f"\n## {section}\n" in text
    with pytest.warns(DeprecationWarning, match=section):
        assert _kernels_of_a_package() == ["tm_rv_dot_s8_s8_s32", "tm_c_dot_s4_s8_s32"]


def _kernels_of_a_package() -> list[str]:
    """The kernels for bytes, and for packed weights, of a chip that is written as for a former version."""
    with package_of("former") as chip:
        assert [type(maker) for maker in chip.makers[:3]] == [ListedKernels, SumComposer, TileFamily]
        nests = [SumNest(DotAttr.name, bits, 8, (32,)) for bits in (8, 4)]
        return [offer.kernel.symbol for nest in nests for offer in registry.offers("former", nest)]
