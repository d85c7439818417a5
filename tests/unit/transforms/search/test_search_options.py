"""Options of searches: accepted options have an effect, and contradictory options are rejected."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.paths import MODELS, ROOT
from programs.plugins import entry_points_of, installed
from programs.searches import evaluation_of, profiled, some_data

from tinyml.dialects.context import context, registry
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.codebook import CodebookType
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.lookup import format_named
from tinyml.dialects.formats.minifloat import MinifloatType
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.posit.type import PositType
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.search_pass import SearchPass
from tinyml.transforms.search.search_by_accuracy import SearchByAccuracyPass
from tinyml.transforms.search.search_by_size import SearchBySizePass
from tinyml.transforms.search.search_demote import SearchDemotePass, narrow_and_wide
from tinyml.transforms.search.search_maxscale import SearchMaxscalePass
from tinyml.transforms.search.search_pareto import SearchParetoPass
from tinyml.transforms.search.search_promote import SearchPromotePass
from tinyml.transforms.search.search_uniform import SearchUniformPass
from tinyml.transforms.search.search_weights import SearchWeightsPass

WRONG = [
    (SearchPromotePass("", soft=0), "soft must be positive, got 0"),
    (SearchParetoPass("", effort=0), "effort must be positive, got 0"),
    (SearchParetoPass("", loss=-1), "loss must not be negative, got -1"),
    (SearchDemotePass("", loss=-0.5), "loss must not be negative, got -0.5"),
    (SearchParetoPass("", widths=(8, 64)), "fixed point has widths from 2 to 32, got 64"),
    (SearchParetoPass("", cycles=1, widths=(8,)), "the least needs .* bytes of RAM and .* of flash, .* cycles"),
]


def saved(folder: Path, label: int = 0) -> str:
    """The path of a data file with some samples, all of which have the class `label`."""
    data = some_data("protonn")
    np.savez(folder / "some.npz", x=data.x, y=np.full(len(data), label))
    return str(folder / "some.npz")


@pytest.mark.long
@pytest.mark.parametrize(("search", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_an_option_cannot_mean(search: SearchPass, message: str):
    with evaluation_of("protonn") as evaluation, pytest.raises(InputError, match=message):
        search.search(Search(evaluation, FixedType.of_width(16)))


@pytest.mark.parametrize("name", ["posit.garbage", "garbage.p"])
def test_formats_are_those_of_types(name: str):
    data = str(MODELS["protonn"].with_name("val.npz"))
    with pytest.raises(InputError, match=f"unknown number format '{name.removesuffix('.p')}'"):
        SearchPromotePass(data, formats=(name,), jobs=1).apply(context(), profiled("protonn").clone())


def test_labels_are_classes_of_the_program(tmp_path: Path):
    with pytest.raises(InputError, match="`y` contains 99 in sample 0, the classes of the program are 0 to 5"):
        SearchDemotePass(saved(tmp_path, label=99), jobs=1).apply(context(), profiled("protonn").clone())


def test_no_widths_are_the_usual_ones():
    with evaluation_of("protonn") as evaluation:
        search = Search(evaluation, FixedType.of_width(16))
        usual, none = (one.search(search) for one in (SearchPromotePass(""), SearchPromotePass("", widths=())))
        assert list(usual.choices) == list(none.choices)


@pytest.mark.long
def test_pareto_takes_the_widths_that_are_offered():
    with evaluation_of("protonn") as evaluation:
        search = Search(evaluation, FixedType.of_width(16))
        found = SearchParetoPass("", metric="disagreement", widths=(6, 9), effort=1).search(search)
        assert {choice.prototype.bits for choice in found.choices} <= {6, 9}


@pytest.mark.parametrize(
    ("usual", "narrow"),
    [
        (FixedType.of_width(16), 8),
        (PositType.of_width(16), 8),
        (MinifloatType.of_width(8), 4),
        (MinifloatType.of_width(6), 4),
        (CodebookType.of_width(4), 2),
    ],
    ids=str,
)
def test_demoted_tensors_get_a_format_that_the_family_offers(usual: NumberFormat, narrow: int):
    with evaluation_of("protonn") as evaluation:
        formats = narrow_and_wide(Search(evaluation, usual), ())
    assert [format.bits for format in formats] == [narrow, usual.bits]
    assert formats[0].bits in {format.bits for format in usual.candidates}


SEARCHES = (
    SearchUniformPass(""),
    SearchDemotePass(""),
    SearchPromotePass(""),
    SearchMaxscalePass(""),
    SearchByAccuracyPass(""),
    SearchBySizePass(""),
    SearchParetoPass("", effort=1),
    SearchWeightsPass("", weight_bits=16),
)


def test_these_are_all_searches():
    names = {name for name in registry().all_passes if name.startswith("search-")}
    assert {search.name for search in SEARCHES} == names


@pytest.mark.long
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)
def test_every_search_takes_a_package_s_format_of_one_width(search: Any, monkeypatch: pytest.MonkeyPatch):
    """For a format with a single width, `widths` may be omitted. Any other width is rejected in a line that states the
    available width.
    """
    monkeypatch.setattr(sys, "path", [str(ROOT / "tests" / "plugins" / "tapered"), *sys.path])
    with installed(*entry_points_of("tapered")), evaluation_of("protonn") as evaluation:
        prototype = format_named(context(), "tapered", None)
        assert prototype.candidates == (prototype,)
        for widths in ((), (12,)):
            found = replace(search, widths=widths).search(Search(evaluation, prototype))
            assert {choice.prototype.bits for choice in found.choices} == {12}
        with pytest.raises(
            InputError, match=r"widths from 9 to 12, got 40; this format offers the width 12 to searches"
        ):
            replace(search, widths=(40,)).search(Search(evaluation, prototype))


def test_a_search_of_two_widths_says_which_there_are():
    with evaluation_of("protonn") as evaluation, pytest.raises(InputError, match=r"\[8\]; .* widths 4, 6, 8, 9"):
        narrow_and_wide(Search(evaluation, FixedType.of_width(16)), (8,))
