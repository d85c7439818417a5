"""The registry of dialects, passes and targets, which xDSL tools find through the entry point `xdsl.universe`.

The file of a pass is its declaration: the name of the pass follows from the name of its module. Everything is imported
on first use, so that tools start quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeVar

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target

from tinyml.dialects.own_attributes import OwnAttribute, declared_attributes
from tinyml.lowering.pipeline_steps import PIPELINES

Thing = TypeVar("Thing")


def _member(kind: type[Thing], module: str, name: str) -> Thing:
    member = getattr(import_module(module), name)
    assert isinstance(member, kind)
    return member


def _subclass(base: type[Thing], module: str, name: str) -> type[Thing]:
    member = getattr(import_module(module), name)
    assert issubclass(member, base)
    return member


def _dialect(module: str, name: str) -> Callable[[], Dialect]:
    return partial(_member, Dialect, f"tinyml.dialects.{module}", name)


def _passes(package: str, prefix: str = "") -> dict[str, Callable[[], type[ModulePass]]]:
    """The passes of a package, one per file: `PackScratchPass` in pack_scratch.py is `pack-scratch`.

    prefix: the first word of the names of passes, if file names omit it.
    """
    made: dict[str, Callable[[], type[ModulePass]]] = {}
    for file in iter_modules(import_module(package).__path__):
        words = [*prefix.split(), *file.name.split("_")]
        class_name = "".join(map(str.capitalize, words)) + "Pass"
        if not file.ispkg:
            made["-".join(words)] = partial(_subclass, ModulePass, f"{package}.{file.name}", class_name)
    return made


def _pipeline(name: str) -> type[ModulePass]:
    from tinyml.lowering.pipelines import pipeline

    return pipeline(name)


DIALECTS = {
    "zeroskew": _dialect("formats.zeroskew.type", "ZEROSKEW"),
    "c": _dialect("c", "C"),
    "chlo": _dialect("stablehlo.chlo", "CHLO"),
    "codebook": _dialect("formats.codebook", "CODEBOOK"),
    "exact": _dialect("exact", "EXACT"),
    "fixed": _dialect("formats.fixed.type", "FIXED"),
    "midrise": _dialect("formats.midrise", "MIDRISE"),
    "minifloat": _dialect("formats.minifloat", "MINIFLOAT"),
    "mxfp": _dialect("formats.mxfp", "MXFP"),
    "mxint": _dialect("formats.mxint", "MXINT"),
    "num": _dialect("num", "NUM"),
    "posit": _dialect("formats.posit.type", "POSIT"),
    "rtl": _dialect("rtl", "RTL"),
    "scratch": _dialect("scratch", "SCRATCH"),
    "seedot": _dialect("formats.published.seedot", "SEEDOT"),
    "shiftry": _dialect("formats.published.shiftry", "SHIFTRY"),
    "shiftry_printed": _dialect("formats.published.shiftry", "SHIFTRY_PRINTED"),
    "stablehlo": _dialect("stablehlo", "STABLEHLO"),
    "tdsl": _dialect("tdsl", "TDSL"),
}

PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    **_passes("tinyml.transforms"),
    **_passes("tinyml.transforms.reals"),
    **_passes("tinyml.transforms.formats"),
    **_passes("tinyml.transforms.buffers"),
    **_passes("tinyml.transforms.loops"),
    **_passes("tinyml.transforms.bits"),
    **_passes("tinyml.transforms.rtl"),
    **_passes("tinyml.transforms.search"),
    **{name: made for name, made in _passes("tinyml.lowering", "lower").items() if "-to-" in name},
    **{name: partial(_pipeline, name) for name in PIPELINES},
}

TARGETS: dict[str, Callable[[], type[Target]]] = {
    "c": partial(_subclass, Target, "tinyml.targets.c.print_c", "CTarget"),
    "verilog": partial(_subclass, Target, "tinyml.targets.verilog.print_verilog", "VerilogTarget"),
}

TINYML = Universe(all_dialects=DIALECTS, all_passes=PASSES, all_targets=TARGETS)

ATTRIBUTES = (
    "dialects.c.declarations",
    "dialects.layouts.coded_rows",
    "dialects.layouts.element_loops",
    "dialects.layouts.trees",
    "dialects.num.kernels.kernel_attributes",
    "dialects.scratch.types",
    "dialects.tdsl",
    "targets.registry",
    "transforms.bits.hint_loops",
    "transforms.buffers.reorder_ops",
    "transforms.formats.plan_execution",
    "transforms.formats.tiling.window_tiles",
    "transforms.loops.flash.attempts",
    "transforms.rtl.scheduling.regions",
    "transforms.search.costs.pipelines_below",
    "transforms.search.engine.result",
)
"""The modules that declare attributes (`tinyml.dialects.own_attributes`)."""


@cache
def own_attributes() -> Mapping[str, OwnAttribute]:
    """Every attribute of our own that operations, functions and their arguments may have, by name."""
    for module in ATTRIBUTES:
        import_module(f"tinyml.{module}")
    return declared_attributes()
