"""The named pipelines from a program on reals to C or Verilog: one per level, and one for the entire lowering.

The pipelines are complete: they contain the passes of all extensions in their places. Other packages add steps by rows
of the table in `added_steps.py`. `pipelines.py` creates the passes. Tools list the pipelines when they start, before
any dialect is imported.
"""

from __future__ import annotations

from typing import NamedTuple

from tinyml.transforms.ir.pipeline_names import (
    BITS_TO_C,
    BITS_TO_HARDWARE,
    BITS_TO_LANES,
    BITS_TO_UPSTREAM,
    BUFFERS_TO_LOOPS,
    BUFFERS_TO_NESTS,
    BUFFERS_TO_UPSTREAM,
    FORMATS_TO_BUFFERS,
    LOOPS_TO_BITS,
    LOOPS_TO_KERNELS,
    PARTS_TO_FORMATS,
    REFINE_FORMATS,
    REWRITE_REALS,
)

PASS_FOLDERS = ("reals", "formats", "buffers", "loops", "bits", "rtl", "search")
"""The folders of `transforms/` with passes, in which each file is a pass."""


class If(NamedTuple):
    """A step with a condition. The condition names a Boolean option or one of `FORMAT_PROPERTIES`, which must be
    true, or another option, which must be set.
    """

    condition: str
    step: str


class OfChip(NamedTuple):
    """A step of the extension of a chip. It is left out where the extension is not installed: programs for the chip are
    refused there, and other programs do not need the step.
    """

    step: str


Step = str | If | OfChip


class PipelineSteps(NamedTuple):
    """A pipeline: its docstring and its steps. A step names a pass or another pipeline."""

    doc: str
    steps: tuple[Step, ...]


INPUT_STEPS = (
    "spread-maps",
    If("false_alarms", "reconstruction-error"),
    If("false_alarms", "set-threshold"),
    "order-input",
    If("reuse_input", "reuse-input"),
    "simplify",
    If("input_unit", "fold-input-unit"),
    "follow-missing",
    If("float_features", "compare-floats"),
    "fill-missing",
    If("feature_scales", "scale-features"),
    If("fold_affine", "fold-affine"),
    "drop-monotone",
    "note-read-features",
)
"""The first steps on reals, which do not depend on the arithmetic: they apply the interface of the input."""

PIPELINES = {
    "reals-to-formats": PipelineSteps(
        """Lower a program from L0 to L1: simplify and profile it, and choose scales and accumulators.

        For a format that reproduces the arithmetic of a paper, `published-to-formats` runs instead.
        """,
        (
            *INPUT_STEPS,
            REWRITE_REALS,
            "profile",
            If("weights_for", "take-profiles"),
            If("weights_margin", "leave-room"),
            If("weights_at", "leave-forest-room"),
            If("weights_at", "leave-sample-room"),
            If("weights_at", "leave-entry-room"),
            "choose-votes",
            If("synthesised", "synthesise-format"),
            "assign-format",
            REFINE_FORMATS,
        ),
    ),
    "published-to-formats": PipelineSteps(
        """Lower a program from L0 to L1 in the arithmetic of a paper, without rewriting operations of the paper.""",
        (
            *INPUT_STEPS,
            If("row_scales", "scale-rows"),
            "simplify",
            "profile",
            "choose-votes",
            "assign-format",
            REFINE_FORMATS,
        ),
    ),
    REWRITE_REALS: PipelineSteps(
        """Rewrite tensors of f32 so that fewer numbers are computed, stored and rounded.""",
        (
            "hoist-invariants",
            "divide-tensors",
            "convolve-rows",
            "simplify",
            "compare-arguments",
            "fold-powers-of-two",
            "prune-zeros",
            If("exact_differences", "rotate-distances"),
            If("row_scales", "scale-rows"),
            "fuse-products",
            "simplify",
            "separate-starts",
            If("round_sums", "round-sums"),
        ),
    ),
    PARTS_TO_FORMATS: PipelineSteps(
        """Rewrite the part of an L1 program that is in f32, and choose formats for it on data. The rest is unchanged.

        A part that gets the arithmetic of a paper is not rewritten.
        """,
        # A class that follows from integers needs no floats, so that no data choose formats for them.
        ("drop-monotone", If("rewrites", REWRITE_REALS), "profile", "assign-format", REFINE_FORMATS),
    ),
    REFINE_FORMATS: PipelineSteps(
        """Choose the storage of constants and accumulators, and fuse operations, by the formats of an L1 program.""",
        (
            "name-classes",
            If("weights_at", "free-weights"),
            "choose-storage",
            "choose-accumulators",
            "simplify",
            "fuse-distances",
            "accumulate-sums",
            "block-sums",
            # For programs imported with formats; others have them from L0, so that searches count the right memory.
            "drop-monotone",
            "fuse-elementwise",
            "order-input",
            If("reuse_input", "reuse-input"),
            "receive-input",
            If("instances", "allow-instances"),
            If("pack_buffers", "pack-input"),
        ),
    ),
    FORMATS_TO_BUFFERS: PipelineSteps(
        """Lower a program from L1 to L2 and pack its buffers.""",
        (
            # Again, for programs that are written with formats, and for programs in published arithmetic.
            "convolve-rows",
            "tabulate-maps",
            "stream-over-time",
            "plan-execution",
            "tile-windows",
            "split-columns",
            "lower-tdsl-to-scratch",
            "simplify",
            "forward-inserts",
            If("pack_buffers", "pack-buffers"),
            "reorder-ops",
            "update-in-place",
            If("pack_buffers", "unpack-buffers"),
            If("memory", "place-memories"),
            "pack-scratch",
            "check-packing",
        ),
    ),
    BUFFERS_TO_NESTS: PipelineSteps(
        """Lower a program from L2 to L3, where sums of products are loop nests and no kernels are chosen yet.""",
        (
            "lower-tdsl-to-loops",
            # Ops after a product are fused with its rows before these are split into blocks.
            "simplify",
            "fuse-loops",
            "decode-constants",
            "code-forests",
            If("load_weights", "load-weights"),
        ),
    ),
    BUFFERS_TO_LOOPS: PipelineSteps(
        """Lower a program from L2 to L3, and replace sums of products by calls of kernels.""",
        (BUFFERS_TO_NESTS, If("flash", "spend-flash"), LOOPS_TO_KERNELS),
    ),
    LOOPS_TO_KERNELS: PipelineSteps(
        """Replace the sums of products of an L3 program by calls of kernels.""",
        (
            "pack-constants",
            OfChip("vectorise-loops"),
            "block-rows",
            "select-kernels",
            If("pack_buffers", "place-arrays"),
            "fuse-loops",
            OfChip("vectorise-loops"),
            "expand-nests",
            "shorten-sums",
            "simplify",
            "licm",
            "split-constants",
            If("weights_at", "mark-weights"),
            "place-constants",
        ),
    ),
    LOOPS_TO_BITS: PipelineSteps(
        """Lower a program from L3 to L4.""",
        ("lower-num-to-exact", "lower-exact-to-arith", "fold-rounding", "simplify", "licm"),
    ),
    BITS_TO_C: PipelineSteps(
        """Lower a program from L4 to L5.""",
        (
            OfChip("hint-loops"),
            If("weights_at", "read-forests"),
            "expand-nests",
            OfChip("saturate-integers"),
            "lower-arith-to-c",
            If("weights_at", "bind-weights"),
            If("memory", "spread-memories"),
        ),
    ),
    BITS_TO_LANES: PipelineSteps(
        """Lower an L4 program to loops on memories and streams that process several elements at once.""",
        (
            "slide-windows",
            "inline-runtime",
            OfChip("inline-hardware-programs"),
            "simplify",
            "lower-arith-to-rtl",
            "simplify",
            "licm",
            "expand-loops",
            "simplify",
            "forward-stores",
            "spread-entries",
            "merge-sums",
            "unroll-loops",
            "widen-elements",
            "expand-nests",
        ),
    ),
    BITS_TO_HARDWARE: PipelineSteps(
        """Lower an L4 program to a hardware module, which `-t verilog` prints.""",
        (
            BITS_TO_LANES,
            "simplify",
            "licm",
            "free-ports",
            # Ops that this step moves into an inner loop depend on counters, so that `licm` after it has no effect.
            "flatten-loops",
            "simplify",
            "schedule-cycles",
            "lower-rtl-to-hw",
        ),
    ),
    BITS_TO_UPSTREAM: PipelineSteps(
        """Lower an L4 program to `arith`, `func`, `memref` and `scf`, which other tools of MLIR parse.""",
        ("inline-runtime", "expand-nests", "lower-scratch-to-memref", "simplify"),
    ),
    BUFFERS_TO_UPSTREAM: PipelineSteps(
        """Lower an L2 program for any board to upstream dialects, with a loop in place of every kernel.""",
        ("forget-target", BUFFERS_TO_LOOPS, LOOPS_TO_BITS, BITS_TO_UPSTREAM),
    ),
    "reals-to-c": PipelineSteps(
        """Lower a program from L0 to L5.""",
        ("reals-to-formats", FORMATS_TO_BUFFERS, BUFFERS_TO_LOOPS, LOOPS_TO_BITS, BITS_TO_C),
    ),
}
"""The named pipelines. A step receives every option for which it has a field."""

PORTABLE = {*list(PIPELINES)[: list(PIPELINES).index(FORMATS_TO_BUFFERS)], BUFFERS_TO_UPSTREAM}
"""The pipelines whose result can be compiled for any target: those to L1, although their option `target` may influence
the result, and the one to upstream dialects.
"""
