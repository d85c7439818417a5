"""The registry: every dialect, pass and target by name, found by any xDSL tool through the entry point `xdsl.universe`.

Factories import lazily, so that a tool's start does not pay for what it does not use.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target


def _dialect(module: str, name: str) -> Callable[[], Dialect]:
    return lambda: cast(Dialect, getattr(import_module(module), name))


def _pass(module: str, name: str) -> Callable[[], type[ModulePass]]:
    return lambda: cast(type[ModulePass], getattr(import_module(module), name))


def _target(module: str, name: str) -> Callable[[], type[Target]]:
    return lambda: cast(type[Target], getattr(import_module(module), name))


DIALECTS = {
    "zeroskew": _dialect("tinyml.dialects.formats.zeroskew.type", "ZEROSKEW"),
    "c": _dialect("tinyml.dialects.c", "C"),
    "codebook": _dialect("tinyml.dialects.formats.codebook", "CODEBOOK"),
    "fixed": _dialect("tinyml.dialects.formats.fixed.type", "FIXED"),
    "minifloat": _dialect("tinyml.dialects.formats.minifloat", "MINIFLOAT"),
    "num": _dialect("tinyml.dialects.num", "NUM"),
    "posit": _dialect("tinyml.dialects.formats.posit.type", "POSIT"),
    "scratch": _dialect("tinyml.dialects.scratch", "SCRATCH"),
    "seedot": _dialect("tinyml.dialects.formats.published.seedot", "SEEDOT"),
    "shiftry": _dialect("tinyml.dialects.formats.published.shiftry", "SHIFTRY"),
    "tdsl": _dialect("tinyml.dialects.tdsl", "TDSL"),
}

PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    "accumulate-sums": _pass("tinyml.transforms.formats.accumulate_sums", "AccumulateSumsPass"),
    "assign-format": _pass("tinyml.transforms.formats.assign_format", "AssignFormatPass"),
    "compare-arguments": _pass("tinyml.transforms.reals.compare_arguments", "CompareArgumentsPass"),
    "pack-buffers": _pass("tinyml.transforms.buffers.pack_buffers", "PackBuffersPass"),
    "round-sums": _pass("tinyml.transforms.reals.round_sums", "RoundSumsPass"),
    "pack-input": _pass("tinyml.transforms.formats.pack_input", "PackInputPass"),
    "pack-constants": _pass("tinyml.transforms.loops.pack_constants", "PackConstantsPass"),
    "block-rows": _pass("tinyml.transforms.loops.block_rows", "BlockRowsPass"),
    "block-sums": _pass("tinyml.transforms.formats.block_sums", "BlockSumsPass"),
    "check-packing": _pass("tinyml.transforms.buffers.check_packing", "CheckPackingPass"),
    "choose-accumulators": _pass("tinyml.transforms.formats.choose_accumulators", "ChooseAccumulatorsPass"),
    "choose-storage": _pass("tinyml.transforms.formats.choose_storage", "ChooseStoragePass"),
    "fold-powers-of-two": _pass("tinyml.transforms.reals.fold_powers_of_two", "FoldPowersOfTwoPass"),
    "forward-inserts": _pass("tinyml.transforms.buffers.forward_inserts", "ForwardInsertsPass"),
    "rotate-distances": _pass("tinyml.transforms.reals.rotate_distances", "RotateDistancesPass"),
    "fold-rounding": _pass("tinyml.transforms.bits.fold_rounding", "FoldRoundingPass"),
    "measure-cost": _pass("tinyml.lowering.cost.measure_cost", "MeasureCostPass"),
    "estimate-cost": _pass("tinyml.lowering.cost.estimate_cost", "EstimateCostPass"),
    "fuse-distances": _pass("tinyml.transforms.formats.fuse_distances", "FuseDistancesPass"),
    "fuse-products": _pass("tinyml.transforms.reals.fuse_products", "FuseProductsPass"),
    "fuse-elementwise": _pass("tinyml.transforms.formats.fuse_elementwise", "FuseElementwisePass"),
    "lower-arith-to-c": _pass("tinyml.lowering.arith_to_c", "LowerArithToCPass"),
    "lower-num-to-arith": _pass("tinyml.lowering.num_to_arith", "LowerNumToArithPass"),
    "lower-tdsl-to-loops": _pass("tinyml.lowering.tdsl_to_loops", "LowerTdslToLoopsPass"),
    "lower-tdsl-to-scratch": _pass("tinyml.lowering.tdsl_to_scratch", "LowerTdslToScratchPass"),
    "place-arrays": _pass("tinyml.transforms.loops.place_arrays", "PlaceArraysPass"),
    "pack-scratch": _pass("tinyml.transforms.buffers.pack_scratch", "PackScratchPass"),
    "fuse-loops": _pass("tinyml.transforms.loops.fuse_loops", "FuseLoopsPass"),
    "unpack-buffers": _pass("tinyml.transforms.buffers.unpack_buffers", "UnpackBuffersPass"),
    "update-in-place": _pass("tinyml.transforms.buffers.update_in_place", "UpdateInPlacePass"),
    "reorder-ops": _pass("tinyml.transforms.buffers.reorder_ops", "ReorderOpsPass"),
    "reuse-input": _pass("tinyml.transforms.buffers.reuse_input", "ReuseInputPass"),
    "select-kernels": _pass("tinyml.transforms.loops.select_kernels", "SelectKernelsPass"),
    "scale-rows": _pass("tinyml.transforms.reals.scale_rows", "ScaleRowsPass"),
    "hoist-invariants": _pass("tinyml.transforms.reals.hoist_invariants", "HoistInvariantsPass"),
    "prune-zeros": _pass("tinyml.transforms.reals.prune_zeros", "PruneZerosPass"),
    "profile": _pass("tinyml.transforms.reals.profile", "ProfilePass"),
    "bits-to-c": _pass("tinyml.lowering.pipelines", "BitsToCPass"),
    "buffers-to-loops": _pass("tinyml.lowering.pipelines", "BuffersToLoopsPass"),
    "formats-to-buffers": _pass("tinyml.lowering.pipelines", "FormatsToBuffersPass"),
    "loops-to-bits": _pass("tinyml.lowering.pipelines", "LoopsToBitsPass"),
    "refine-formats": _pass("tinyml.lowering.pipelines", "RefineFormatsPass"),
    "search-demote": _pass("tinyml.transforms.search.search_demote", "SearchDemotePass"),
    "search-maxscale": _pass("tinyml.transforms.search.search_maxscale", "SearchMaxscalePass"),
    "search-pareto": _pass("tinyml.transforms.search.search_pareto", "SearchParetoPass"),
    "search-uniform": _pass("tinyml.transforms.search.search_uniform", "SearchUniformPass"),
    "search-promote": _pass("tinyml.transforms.search.search_promote", "SearchPromotePass"),
    "reals-to-c": _pass("tinyml.lowering.pipelines", "RealsToCPass"),
    "reals-to-formats": _pass("tinyml.lowering.pipelines", "RealsToFormatsPass"),
}

TARGETS: dict[str, Callable[[], type[Target]]] = {
    "c": _target("tinyml.targets.c.print_c", "CTarget"),
}

TINYML = Universe(all_dialects=DIALECTS, all_passes=PASSES, all_targets=TARGETS)
