"""Named pipelines: which pass receives which option, and which passes run only on request or for some formats."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.context import context, registry
from tinyml.dialects.errors import DefectError, InputError
from tinyml.dialects.formats.lookup import format_named
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.options import options_of
from tinyml.lowering.added_steps import check_parts, part_of_pass, pass_of, steps_of
from tinyml.lowering.options import PipelineOptions
from tinyml.lowering.pipeline_steps import PIPELINES, If
from tinyml.lowering.pipelines import FORMAT_PROPERTIES, OPTION_PROPERTIES, Pipeline, flatten, pipeline, run
from tinyml.tools.cli.user_errors import as_input_error
from tinyml.transforms.loops.place_constants import PlaceConstantsPass

OPTIONS = {option.name for option in options_of(PipelineOptions)}
STEPS = [step for name in PIPELINES for step in steps_of(name)]


def names(pipeline: str, **options: Any) -> list[str]:
    return [step.name for step in flatten(pipeline, {"data": "val.npz", **options})]


def test_every_step_is_a_pass_or_a_pipeline():
    passes = registry().all_passes
    assert {step if isinstance(step, str) else step.step for step in STEPS} <= passes.keys()


def test_conditions_are_options_or_properties():
    options = {option.name for option in options_of(PipelineOptions) if option.type is bool or option.default is None}
    assert {
        step.condition for step in STEPS if isinstance(step, If)
    } <= options | FORMAT_PROPERTIES.keys() | OPTION_PROPERTIES.keys()


@pytest.fixture
def without_parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A registry without the passes `spend-flash` and `vectorise-loops`, as if their extensions were absent."""
    for name in ("spend-flash", "vectorise-loops"):
        monkeypatch.delitem(cast("dict[str, Any]", registry().all_passes), name)
    steps_of.cache_clear()
    yield
    steps_of.cache_clear()


@pytest.mark.usefixtures("without_parts")
def test_an_option_of_an_absent_extension_is_refused():
    assert "spend-flash" not in names("buffers-to-loops")
    with pytest.raises(InputError, match=r"^the option 'flash' needs the part 'searches' of tinyml"):
        names("buffers-to-loops", flash=8)
    for unset in ({"flash": None, "ram": 4}, {}):
        check_parts(unset)
    with pytest.raises(InputError, match=r"^the option '--flash' needs the part 'searches'"):
        check_parts({"flash": 0})


@pytest.mark.usefixtures("without_parts")
def test_a_step_of_an_absent_chip_is_left_out():
    assert "vectorise-loops" not in map(pass_of, steps_of("loops-to-kernels"))
    assert part_of_pass("vectorise-loops") == "Helium"


def test_every_option_reaches_a_pass():
    assert {field.name for name in ("reals-to-c", "bits-to-hardware") for field in fields(pipeline(name))} == OPTIONS


@pytest.mark.parametrize("name", sorted(PIPELINES))
def test_every_option_of_a_pipeline_changes_its_steps(name: str):
    values: dict[str, Any] = {
        "data": "other.npz",
        "format": "posit",
        "functions": "seedot",
        "width": 8,
        "weights": "fixed:8",
        "packed": "never",
        "outputs": "class",
        "plan": "rows",
        "target": "uno",
        "classes": ("no", "yes"),
    }
    given: dict[str, Any] = {"data": "val.npz"}
    plain = flatten(name, given)
    takes_target = any("target" in step.spec().parameters for step in flatten(name, values | given))
    looked_up = set[str]() if takes_target else {"target"}
    for field in fields(pipeline(name)):
        if field.name in looked_up:
            continue
        # Weights for a program are a blob's. Some options only change how arrays are placed in memories.
        others = {"weights_at": ".weights"} if field.name == "weights_for" else {}
        chosen = {field.name: values.get(field.name, True)}
        if name == "formats-to-buffers" and flatten(name, given | chosen) == plain:
            others = {"memory": "sram=64K"}
        before = flatten(name, given | others) if others else plain
        assert flatten(name, given | others | chosen) != before


@pytest.mark.long
def test_every_field_of_a_pass_is_read():
    """The code of every pass uses each of its options."""
    unread: list[str] = []
    for name, factory in registry().all_passes.items():
        step = factory()
        if issubclass(step, Pipeline) or not step.__module__.startswith("tinyml."):
            continue
        modules = {sys.modules[base.__module__] for base in step.__mro__ if base.__module__.startswith("tinyml.")}
        text = "".join(map(inspect.getsource, modules))
        read = {match.group(1) for match in re.finditer(r"\b(?:self|options)\.(?=(\w+))", text)}
        unread += [f"{name}{{{field.name}}}" for field in fields(step) if field.name not in read]
    assert not unread


def test_options_are_given_as_they_are():
    steps = flatten("reals-to-c", {"data": "a file {x=1}.npz", "width": 8, "weights": None})
    [assign] = [step for step in steps if step.name == "assign-format"]
    assert assign.spec().parameters == {"width": (8,), "data": ("a file {x=1}.npz",)}


def test_lists_for_weights_are_made_before_formats_are_assigned():
    steps = flatten("reals-to-formats", {"data": "val.npz", "width": 8, "weights": "synthesised:3"})
    at = [step.name for step in steps].index("assign-format")
    assert steps[at - 1].spec().parameters == {"data": ("val.npz",), "bits": (3,), "width": (8,)}
    with pytest.raises(InputError, match="expected synthesised:BITS, got 'synthesised'"):
        flatten("reals-to-formats", {"data": "val.npz", "weights": "synthesised"})


@pytest.mark.parametrize("format", ["seedot", "shiftry"])
def test_published_arithmetic_has_a_pipeline_of_its_own(format: str):
    """For the formats of papers, `reals-to-formats` runs the passes of `published-to-formats`, also with the option of
    a rewrite that this pipeline omits.
    """
    assert format_named(context(), format, None).AS_PUBLISHED
    published = names("reals-to-formats", format=format, round_sums=True)
    assert published == names("published-to-formats", format=format)
    assert names("reals-to-c", format=format)[: len(published)] == published


def test_floats_have_no_exact_differences():
    assert set(names("reals-to-formats")) - set(names("reals-to-formats", format="f32")) == {"rotate-distances"}


@pytest.mark.parametrize(("format", "several"), [("fixed", True), ("affine", False)])
def test_sums_of_several_products_are_for_formats_that_can_add_them(format: str, several: bool):
    [fuse] = [
        step for step in flatten("reals-to-formats", {"data": "", "format": format}) if step.name == "fuse-products"
    ]
    assert fuse.spec().parameters.get("several_products", (True,)) == (several,)


def test_an_unknown_format_is_refused():
    with pytest.raises(InputError, match="unknown number format 'nonsense'"):
        flatten("reals-to-formats", {"format": "nonsense"})


LOWERED = ["loops-to-bits", "bits-to-c", "bits-to-lanes", "bits-to-hardware"]
"""Pipelines whose steps look the target up in the module."""

MODULE = """
builtin.module ATTRIBUTES {
  func.func @f(%x: memref<1x4xi8>) -> index {
    %0 = arith.constant 1 : index
    func.return %0 : index
  }
}
"""


def lowered(name: str, own: str | None, **options: Any) -> str:
    """The text of a module after the pipeline `name` with the given options.

    own: the target that the module states before the pipeline runs; None for no target.
    """
    attributes = "" if own is None else f'attributes {{tinyml.target = "{own}"}}'
    module = Parser(context(), MODULE.replace("ATTRIBUTES", attributes)).parse_module()
    pipeline(name)(**options).apply(context(), module)
    return str(module)


@pytest.mark.parametrize("name", LOWERED)
def test_a_target_is_that_of_the_module(name: str):
    """A pipeline accepts the option `target` if the module states no target or the same one, and rejects any other."""
    own = "ecp5-25k"
    assert lowered(name, own, target=own) == lowered(name, own)
    assert lowered(name, None, target=own) == lowered(name, own)
    assert lowered(name, None, target="host") == lowered(name, None)
    for other in ("uno", "host"):
        with pytest.raises(InputError, match=f"for the target 'ecp5-25k', not for '{other}'"):
            lowered(name, own, target=other)
    with pytest.raises(InputError, match="unknown target 'unoo', did you mean 'uno'"):
        lowered(name, own, target="unoo")


class Spoil(ModulePass):
    """A pass that replaces the types of functions by a wrong type."""

    name = "spoil"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            function.properties["function_type"] = FunctionType.from_lists([], [])


class Rely(ModulePass):
    """A pass that crashes on functions without results."""

    name = "rely"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        assert all(len(function.function_type.outputs) == 1 for function in defined_functions(op))


class Spoiling(Pipeline):
    """A pipeline of the passes Spoil and Rely."""

    name = "spoiling"

    def steps(self, module: ModuleOp | None = None) -> list[ModulePass]:
        return [Spoil(), Rely()]


def test_the_pass_that_spoils_a_program_is_named_and_not_the_one_that_relies_on_it():
    text = "func.func @f() -> i8 { %c = arith.constant 1 : i8 func.return %c : i8 }"
    with pytest.raises(VerifyException, match="same types as the function output types"):
        Spoiling().apply(context(), Parser(context(), text).parse_module())


def own(step: type[ModulePass], monkeypatch: pytest.MonkeyPatch) -> ModulePass:
    """An instance of a pass class that appears to be defined in a module of tinyml."""
    monkeypatch.setattr(step, "__module__", "tinyml.transforms.loops.spoil")
    return step()


def test_a_program_that_our_own_pass_spoils_is_a_defect_with_a_file_to_send(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    text = "func.func @f() -> i8 { %c = arith.constant 1 : i8 func.return %c : i8 }"
    with pytest.raises(VerifyException, match="same types"):
        run(Parser(context(), text).parse_module(), context(), [Spoil()])
    spoil = own(Spoil, monkeypatch)
    with pytest.raises(VerifyException, match="same types"):
        run(Parser(context(), text).parse_module(), context(), [spoil], of_user=True)
    assert not [*tmp_path.iterdir()]
    with pytest.raises(DefectError, match=r"the pass 'spoil' makes the program invalid: .*same types") as raised:
        run(Parser(context(), text).parse_module(), context(), [spoil])
    [file] = tmp_path.iterdir()
    assert str(raised.value).endswith(f"This is a defect of tinyml: please report it with the file {file}")
    assert "func.func" in file.read_text()
    assert as_input_error(raised.value) is None


class Reorder(ModulePass):
    """A pass that moves the first definition of each function after its use."""

    name = "reorder"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            first, *_, use, _ = function.body.block.ops
            first.detach()
            function.body.block.insert_op_after(first, use)


def test_a_level_that_our_own_pass_leaves_is_a_defect_and_one_that_is_given_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    module = """func.func @f(%x: memref<1xi8>) {
  %c = arith.constant 1 : i8
  %i = arith.constant 0 : index
  memref.store %c, %x[%i] : memref<1xi8>
  func.return
}"""
    place, reorder = PlaceConstantsPass(), own(Reorder, monkeypatch)
    with pytest.raises(DefectError, match=r"the pass 'reorder' makes .*: 'place-constants' takes a program of loops"):
        run(Parser(context(), module).parse_module(), context(), [reorder, place])
    given = Parser(context(), module).parse_module()
    reorder.apply(context(), given)
    with pytest.raises(InputError, match="'place-constants' takes a program of loops"):
        run(given, context(), [place])
