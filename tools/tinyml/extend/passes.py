"""Passes: rewrites of programs, in `tinyml-opt` or as a step of every compilation.

A pass is xDSL's `ModulePass`, extended by the `Level` that it accepts. The rewriters and builders of this module
propagate locations to new ops. `run_passes` and `passes_of` lower a program through the named pipelines; `estimate_on`
estimates its cost.
"""

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import error_at, errors_at
from tinyml.dialects.options import option
from tinyml.dialects.remarks import Statistic, missed, passed
from tinyml.dialects.rewriting import Builder, LocatedPattern, PatternRewriteWalker, Rewriter
from tinyml.lowering.added_steps import steps_of
from tinyml.lowering.pipelines import flatten as passes_of
from tinyml.lowering.pipelines import run as run_passes
from tinyml.transforms.ir.closed_nests import open_unclosed
from tinyml.transforms.ir.conditional_pass import ConditionalPass, absent
from tinyml.transforms.ir.cost.estimate import estimate_on
from tinyml.transforms.ir.index_maps import apply_map, expand_nest
from tinyml.transforms.ir.levels import BITS, BUFFERS, FORMATS, LOOPS, REALS, Level
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.reals.profile import ProfilePass
from tinyml.transforms.simplify import SimplifyPass

__all__ = [
    "BITS",
    "BUFFERS",
    "FORMATS",
    "LOOPS",
    "REALS",
    "Builder",
    "ConditionalPass",
    "InputError",
    "Level",
    "LocatedPattern",
    "LoopBuilder",
    "PatternRewriteWalker",
    "ProfilePass",
    "Rewriter",
    "SimplifyPass",
    "Statistic",
    "absent",
    "apply_map",
    "context",
    "defined_functions",
    "error_at",
    "errors_at",
    "estimate_on",
    "expand_nest",
    "missed",
    "num",
    "open_unclosed",
    "option",
    "passed",
    "passes_of",
    "run_passes",
    "scratch",
    "steps_of",
    "tdsl",
]
