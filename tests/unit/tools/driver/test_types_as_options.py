"""Options that take a family of formats also take a type, which is then that of every tensor."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp

import tinyml
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import number_format
from tinyml.lowering.pipelines import flatten, run
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.tools.cli.values import names
from tinyml.tools.driver.stages import load_program
from tinyml.tools.main import main
from tinyml.transforms.reals.profile import ProfilePass
from tinyml.transforms.search.engine.search_pass import SearchPass
from tinyml.transforms.search.search_maxscale import SearchMaxscalePass
from tinyml.transforms.search.search_pareto import SearchParetoPass
from tinyml.transforms.search.search_promote import SearchPromotePass
from tinyml.transforms.search.search_uniform import SearchUniformPass
from tinyml.transforms.search.search_weights import SearchWeightsPass

TOUR = ROOT / "docs/tour"
VAL = str(TOUR / "val.npz")


def formatted(**options: Any) -> ModuleOp:
    """The tour's program at L1."""
    module = load_program(TOUR / "tour.sd", context())
    run(module, context(), flatten("reals-to-formats", {"data": VAL, **options}))
    return module


def types_in(module: ModuleOp) -> set[str]:
    """The types of the elements of all tensors that are number formats."""
    elements = {
        getattr(value.type, "element_type", None) for op in module.walk() for value in (*op.operands, *op.results)
    }
    return {str(element) for element in elements if element is not None and number_format(element) is not None}


@pytest.mark.long
@pytest.mark.parametrize(
    "type", ["!fixed.q<8, 5>", "!fixed.s<8, 5, even>", "!posit.p<16, 2>", "!posit.p<8, 0, -6, 1, -2>"]
)
def test_every_tensor_has_the_type(type: str):
    assert types_in(formatted(format=type)) == {type}


@pytest.mark.long
def test_a_type_of_a_package_is_a_type(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "tests" / "plugins" / "tapered"), *sys.path])
    with installed(*entry_points_of("tapered")):
        assert types_in(formatted(format="!tapered.t<11, 3>")) == {"!tapered.t<11, 3>"}


@pytest.mark.long
def test_only_weights_have_a_type_of_weights():
    module = formatted(width=16, weights="!posit.p<8, 1>")
    weights = {str(tdsl.format_of(op.result).type) for op in module.walk() if isinstance(op, tdsl.ConstOp)}
    assert "!posit.p<8, 1>" in weights
    others = {str(tdsl.format_of(op.out).type) for op in module.walk() if isinstance(op, tdsl.ContractionOp)}
    assert "!posit.p<8, 1>" not in others


@pytest.mark.parametrize(
    ("type", "message"),
    [
        ("!fixed.q<8", "no number format is written '!fixed.q<8': .*'>' expected"),
        ("!other.q<8, 7>", "no number format is written '!other.q<8, 7>': .*'other.q' is not registered"),
        ("!fixed.acc<32, 4>", "'!fixed.acc<32, 4>' is no type of numbers"),
        ("!fixed.q<99, 7>", "no number format is written '!fixed.q<99, 7>': fixed.q width must be from 2 to 32"),
    ],
)
@pytest.mark.parametrize("option", ["--format", "--weights"])
def test_the_command_refuses_what_is_no_type(
    type: str, message: str, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    data = ["--val", VAL, "-o", str(tmp_path / "out")]
    assert main(["compile", str(TOUR / "tour.sd"), *data, option, type]) == 1
    error = capsys.readouterr().err
    assert re.search(message, error)
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_width_is_that_of_the_type():
    with pytest.raises(InputError, match=r"elements of !posit.p<8, 2> have 8 bits, got width 16: leave out the width"):
        formatted(format="!posit.p<8, 2>", width=16)


@pytest.mark.long(seconds=6)
def test_a_sweep_takes_types():
    formats = ["!posit.p<8, 2>", "!fixed.q<8, 5>"]
    data = np.load(VAL)["x"], np.load(VAL)["y"]
    rows = tinyml.sweep([TOUR / "tour.sd"], data=data, formats=formats, boards=["host"])
    assert [row.chosen for row in rows] == formats
    with pytest.raises(InputError, match=r"no number format is written '!fixed.q<8'"):
        tinyml.sweep([TOUR / "tour.sd"], data=data, formats=["!fixed.q<8"], boards=["host"])


def test_the_parameters_of_a_type_belong_to_its_name():
    assert names("fixed,!posit.p<8, 2>,!a.b<[1, 2], !c.d<3, 4>>,x") == (
        "fixed",
        "!posit.p<8, 2>",
        "!a.b<[1, 2], !c.d<3, 4>>",
        "x",
    )
    assert names("a,,b>,c") == ("a", "", "b>", "c")


def searched(search: SearchPass) -> Mapping[str, str]:
    """The types that a search chooses, by the names of tensors."""
    module = load_program(TOUR / "tour.sd", context())
    run(module, context(), [ProfilePass(VAL), search])
    rows = cast("ArrayAttr[DictionaryAttr]", predict_function(module).attributes["tdsl.search"])
    return {row.data["name"].data: str(row.data["format"]) for row in rows}  # type: ignore[attr-defined]


@pytest.mark.long
@pytest.mark.parametrize(
    "search",
    [
        SearchUniformPass(VAL, format="!posit.p<8, 1>", jobs=1),
        SearchPromotePass(VAL, format="!posit.p<8, 1>", jobs=1),
        SearchParetoPass(VAL, format="!posit.p<8, 1>", effort=20, jobs=1),
        SearchWeightsPass(VAL, format="!posit.p<8, 1>", weight_bits=8, jobs=1),
    ],
    ids=lambda search: search.name,
)
def test_searches_of_a_type_choose_no_other(search: SearchPass):
    assert set(searched(search).values()) == {"!posit.p<8, 1>"}


@pytest.mark.long
def test_a_search_offers_types_to_single_tensors():
    """Weights near 1000 and inputs near .001 overflow or vanish in the main type; the other type represents both."""
    others = ("!posit.p<8, 3>",)
    found = searched(SearchParetoPass(VAL, format="!fixed.q<8, 12>", formats=others, metric="error", effort=40, jobs=1))
    assert set(found.values()) == {"!fixed.q<8, 12>", "!posit.p<8, 3>"}


def test_a_search_of_a_type_has_no_other_width():
    with pytest.raises(InputError, match=r"elements of !posit.p<8, 1> have 8 bits, got width 16: .*--formats"):
        searched(SearchUniformPass(VAL, format="!posit.p<8, 1>", widths=(16,), jobs=1))


def test_maxscale_has_no_scale_to_choose():
    with pytest.raises(InputError, match=r"search-maxscale chooses scales, and !fixed.q<8, 5> has one"):
        searched(SearchMaxscalePass(VAL, format="!fixed.q<8, 5>", jobs=1))
