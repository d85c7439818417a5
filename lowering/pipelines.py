"""The way from a program on reals to C, as named pipelines: one per level, and one for the whole way.

Each is a pass of its own, so that any tool can run it by name; `--print-between-passes` and single steps are had by
spelling out what `flatten` gives.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline

from tinyml.dialects.formats.lookup import USUAL_FORMAT
from tinyml.targets.registry import HOST
from tinyml.transforms.search.costs.pipelines_below import (
    BITS_TO_C,
    BUFFERS_TO_LOOPS,
    FORMATS_TO_BUFFERS,
    LOOPS_TO_BITS,
    REFINE_FORMATS,
)

CLEAN = ("canonicalize", "cse")

PIPELINES: dict[str, tuple[str, ...]] = {
    "reals-to-formats": (
        *CLEAN,
        "hoist-invariants",
        "cse",
        "compare-arguments",
        "fold-powers-of-two",
        "prune-zeros",
        "rotate-distances",
        "scale-rows",
        "fuse-products",
        "canonicalize",
        "round-sums",
        "profile",
        "assign-format",
        REFINE_FORMATS,
    ),
    REFINE_FORMATS: (
        "choose-storage",
        "choose-accumulators",
        *CLEAN,
        "fuse-distances",
        "accumulate-sums",
        "block-sums",
        "fuse-elementwise",
        "pack-input",
    ),
    FORMATS_TO_BUFFERS: (
        "lower-tdsl-to-scratch",
        "cse",
        "forward-inserts",
        "pack-buffers",
        "reorder-ops",
        "update-in-place",
        "reuse-input",
        "unpack-buffers",
        "pack-scratch",
        "check-packing",
    ),
    BUFFERS_TO_LOOPS: (
        "lower-tdsl-to-loops",
        "pack-constants",
        "block-rows",
        "select-kernels",
        "place-arrays",
        *CLEAN,
        "fuse-loops",
        *CLEAN,
        "licm",
    ),
    LOOPS_TO_BITS: ("lower-num-to-arith", "fold-rounding", *CLEAN, "licm"),
    BITS_TO_C: ("lower-arith-to-c",),
    "reals-to-c": (
        "reals-to-formats",
        FORMATS_TO_BUFFERS,
        BUFFERS_TO_LOOPS,
        LOOPS_TO_BITS,
        BITS_TO_C,
    ),
}
"""What each pipeline runs, passes and other pipelines by name; the options are given to those that take them."""

TAKEN: dict[str, tuple[str, ...]] = {
    "hoist-invariants": ("format",),
    "compare-arguments": ("format",),
    "fold-powers-of-two": ("format",),
    "prune-zeros": ("format",),
    "rotate-distances": ("format", "data"),
    "fuse-products": ("format",),
    "round-sums": ("format",),
    "profile": ("data",),
    "assign-format": ("format", "width", "weights", "functions", "data"),
    "choose-storage": ("target", "packed"),
    "pack-constants": ("target", "packed"),
    "block-rows": ("target",),
    "select-kernels": ("target",),
}
"""The options of pipelines that passes take."""

SEARCH = "search"
"""The option that names a pass to choose formats in place of `assign-format`..."""

SEARCH_OPTIONS = "search-options"
"""...and that has the options of that pass, as they are spelled, beside those of every search."""

_TAKEN_BY_SEARCHES = ("format", "functions", "data", "pack-buffers")

_ON_REQUEST = {
    "round-sums": "round-sums",
    "scale-rows": "row-scales",
    "pack-input": "pack-buffers",
    "pack-buffers": "pack-buffers",
    "unpack-buffers": "pack-buffers",
    "place-arrays": "pack-buffers",
    "reuse-input": "reuse-input",
}
"""Passes of pipelines that run only where an option is true."""


def flatten(name: str, options: dict[str, str]) -> list[str]:
    """A pipeline as single passes with their options; options: what follows each option's name, as it is spelled."""
    if name in _ON_REQUEST and options.get(_ON_REQUEST[name]) != "true":
        return []
    if name in PIPELINES:
        return [spec for inner in PIPELINES[name] for spec in flatten(inner, options)]
    taken, own = TAKEN.get(name, ()), ""
    if name == "assign-format" and SEARCH in options:
        name, taken, own = options[SEARCH], _TAKEN_BY_SEARCHES, options.get(SEARCH_OPTIONS, "")
    given = [f"{option}={options[option]}" for option in taken if option in options] + ([own] if own else [])
    return [f"{name}{{{' '.join(given)}}}" if given else name]


def spelled(value: str | float) -> str:
    """An option's value as pipelines spell it, which may be the name of any file."""
    return json.dumps(value, ensure_ascii=False)


def run(module: ModuleOp, ctx: Context, passes: Sequence[str]) -> None:
    """Run single passes in order, verifying the module after each."""
    from xdsl.universe import Universe

    available = Universe.get_multiverse().all_passes
    PassPipeline.parse_spec(available, ",".join(passes), lambda before, op, after: op.verify()).apply(ctx, module)


class Pipeline(ModulePass):
    """A pass that runs others."""

    def steps(self) -> list[str]:
        """Single passes with their options, which it runs in this order."""
        return flatten(self.name, {})

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run(op, ctx, self.steps())


@dataclass(frozen=True)
class _FromReals(Pipeline):
    """data: .npz file with the validation set to profile with and to round weights on.

    format, width, weights, functions: as `assign-format` takes them. row_scales: whether to run `scale-rows`.
    target: as `select-kernels` takes it.
    """

    name: ClassVar[str]
    data: str
    format: str = USUAL_FORMAT
    width: int | None = None
    weights: str | None = None
    functions: str | None = None
    row_scales: bool = False
    target: str = HOST

    def steps(self) -> list[str]:
        options = {
            "row-scales": spelled(self.row_scales),
            "data": spelled(self.data),
            "format": spelled(self.format),
            "target": spelled(self.target),
        }
        if self.width is not None:
            options["width"] = str(self.width)
        if self.weights is not None:
            options["weights"] = spelled(self.weights)
        if self.functions is not None:
            options["functions"] = spelled(self.functions)
        return flatten(self.name, options)


@dataclass(frozen=True)
class _ForTarget(Pipeline):
    """target: as `select-kernels` takes it."""

    name: ClassVar[str]
    target: str = HOST

    def steps(self) -> list[str]:
        return flatten(self.name, {"target": spelled(self.target)})


@dataclass(frozen=True)
class RealsToFormatsPass(_FromReals):
    """L0 to L1: profile, scales, accumulators."""

    name = "reals-to-formats"


@dataclass(frozen=True)
class RefineFormatsPass(_ForTarget):
    """L1 to L1: what follows from the formats. pack_buffers: whether to run `pack-input`."""

    name = REFINE_FORMATS
    pack_buffers: bool = False

    def steps(self) -> list[str]:
        return flatten(self.name, {"target": spelled(self.target), "pack-buffers": spelled(self.pack_buffers)})


@dataclass(frozen=True)
class FormatsToBuffersPass(Pipeline):
    """L1 to packed L2. pack_buffers: whether to run `pack-buffers` and `unpack-buffers`; reuse_input: `reuse-input`."""

    name = FORMATS_TO_BUFFERS
    pack_buffers: bool = False
    reuse_input: bool = False

    def steps(self) -> list[str]:
        requested = {"pack-buffers": self.pack_buffers, "reuse-input": self.reuse_input}
        return flatten(self.name, {name: spelled(value) for name, value in requested.items()})


@dataclass(frozen=True)
class BuffersToLoopsPass(_ForTarget):
    """L2 to L3. packed: as `pack-constants` takes it. pack_buffers: whether to run `place-arrays`."""

    name = BUFFERS_TO_LOOPS
    packed: str = "auto"
    pack_buffers: bool = False

    def steps(self) -> list[str]:
        pack_buffers = spelled(self.pack_buffers)
        options = {"target": spelled(self.target), "packed": self.packed, "pack-buffers": pack_buffers}
        return flatten(self.name, options)


@dataclass(frozen=True)
class LoopsToBitsPass(Pipeline):
    """L3 to L4."""

    name = LOOPS_TO_BITS


@dataclass(frozen=True)
class BitsToCPass(Pipeline):
    """L4 to L5."""

    name = BITS_TO_C


@dataclass(frozen=True)
class RealsToCPass(_FromReals):
    """The whole way, L0 to L5."""

    name = "reals-to-c"
