"""The options of a compilation. Each option is declared once, in this module.

The command line, the named pipelines, the driver and the report derive their options from these declarations. A pass
receives an option through a field of the same name. `pipeline_steps.PIPELINES` marks passes that run only on request.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml.dialects.formats.lookup import USUAL_FORMAT
from tinyml.dialects.formats.number_format import SCALING_RULES
from tinyml.dialects.options import OptionGroup, option
from tinyml.targets.chip import FILE_ORDER, INPUT_ORDERS, INPUTS, MEMORY
from tinyml.targets.registry import HOST
from tinyml.transforms.buffers.packing.modes import PACKERS
from tinyml.transforms.buffers.packing.rectangles import JUDGES, NO_JUDGE, OTHER_JUDGE
from tinyml.transforms.ir.outputs import OUTPUTS, SCORES
from tinyml.transforms.reals.choose_votes import SOFT, VOTES
from tinyml.transforms.schedules.table import AUTO, SCHEDULES

AUTO_FORMAT = "auto"
"""The value of `--format` for which the compiler chooses formats, widths and schedule."""

DEFAULT_LOSS = 0.5
"""The maximum loss of accuracy, in percentage points, of a program that `auto` chooses."""

PACKED = ("auto", "always", "never")


@dataclass(frozen=True, kw_only=True)
class CompileOptions:
    """The options that users set. None selects the default of a pass."""

    format: str = option(
        "number format: a built-in one, one of an installed package, or f32; a type in MLIR's syntax "
        "is that of every tensor",
        default=USUAL_FORMAT,
        metavar="NAME",
        group=OptionGroup.NUMBERS,
    )
    functions: str | None = option(
        "how exp, tanh and sigmoid are computed, for a format with several schemes",
        default=None,
        metavar="SCHEME",
        group=OptionGroup.NUMBERS,
    )
    scale_by: str | None = option(
        "criterion for the scale of a tensor: its greatest value on the data, or the errors of the scores that its "
        "rounding causes (default: scores for posits, greatest for others)",
        default=None,
        choices=SCALING_RULES,
        group=OptionGroup.NUMBERS,
    )
    width: int | None = option(
        "bits of each number (default: the format's usual width)",
        default=None,
        metavar="BITS",
        group=OptionGroup.NUMBERS,
    )
    weights: str | None = option(
        "format of constants, if it differs from --format and --width; synthesised:BITS computes lists of numbers for "
        "the model, which takes minutes",
        default=None,
        metavar="FORMAT:BITS|TYPE",
        group=OptionGroup.NUMBERS,
    )
    packed: str | None = option(
        "store constants of few bits in flash without unused bits: auto, if the saved bytes outweigh the time",
        default=None,
        choices=PACKED,
        group=OptionGroup.MEMORY,
    )
    row_scales: bool = option(
        "use a separate scale for each row of a weight matrix, where this reduces the error",
        default=False,
        group=OptionGroup.NUMBERS,
    )
    feature_scales: bool = option(
        "use a separate scale and zero for each feature of an input vector if the first layers can absorb them",
        default=False,
        group=OptionGroup.NUMBERS,
    )
    float_features: bool = option(
        "let decision trees compare the floats of the input without conversion, if no other op reads the input",
        default=False,
        group=OptionGroup.NUMBERS,
    )
    input_unit: str | None = option(
        "accept a sensor's integers instead of reals: adc10, adc12, int8, uint8, int16, g16384, dps131, q15 or"
        " SCALE+OFFSET:TYPE, or several with commas, such as 3xg16384,3xdps131",
        default=None,
        metavar="UNIT",
        group=OptionGroup.BOARD,
    )
    classes: tuple[str, ...] | None = option(
        "names of the classes in the order of their indices, instead of those in the model file",
        default=None,
        metavar="NAME,...",
        group=OptionGroup.MODEL,
    )
    false_alarms: float | None = option(
        "treat the model as an anomaly detector: the share of the normal samples of --val that may lie below the "
        "threshold (default: the threshold of the model)",
        default=None,
        metavar="SHARE",
        group=OptionGroup.MODEL,
    )
    fold_affine: bool = option(
        "fold scalers and projections into the next layers, unless more predictions change on the validation data",
        default=False,
        group=OptionGroup.NUMBERS,
    )
    outputs: str = option(
        "result of a classifier: all scores, or only the class, without operations that do not change the class, such "
        "as softmax",
        default=SCORES,
        choices=OUTPUTS,
        group=OptionGroup.NUMBERS,
    )
    reuse_input: bool = option(
        "place the input in the arena, where the model overwrites it (automatic if arena and input do not fit in RAM)",
        default=False,
        group=OptionGroup.MEMORY,
    )
    pack_buffers: bool = option(
        "store buffers of few bits in RAM without unused bits: less RAM, more time",
        default=False,
        group=OptionGroup.MEMORY,
    )
    packer: str | None = option(
        f"packing algorithm of the arena: {', '.join(PACKERS.names())}",
        default=None,
        metavar="NAME",
        group=OptionGroup.MEMORY,
    )
    instances: bool = option(
        "support several instances of the model, each in a structure NAME_ctx that is passed to all functions",
        default=False,
        group=OptionGroup.MEMORY,
    )
    input: str = option(
        "source of the input: an array in memory; an image row by row or a sequence step by step, over the serial line "
        "or from a callback NAME_row; or a stream, which the caller passes to NAME_push",
        default=MEMORY,
        choices=INPUTS,
        group=OptionGroup.BOARD,
    )
    stride: int | None = option(
        "frames from one answer of a stream to the next, without a reset of states (default: the windows of answers do "
        "not overlap, and states are reset after each answer)",
        default=None,
        metavar="FRAMES",
        group=OptionGroup.BOARD,
    )
    input_order: str = option(
        "order of the axes of an input image: as in the model file, or channels last as cameras deliver it, which "
        "takes less memory",
        default=FILE_ORDER,
        choices=INPUT_ORDERS,
        group=OptionGroup.BOARD,
    )
    load_weights: bool = option(
        "store the model's numbers in RAM instead of flash: the board receives them before the first inference",
        default=False,
        group=OptionGroup.MEMORY,
    )
    memory: str | None = option(
        "memories for buffers and frequently read constants, each with its size and the wait states of a load and a "
        "store, such as dtcm=64K:0/0,sram=256K:2/2; board: all memories of the board whose wait states are known",
        default=None,
        group=OptionGroup.MEMORY,
    )
    weights_at: str | None = option(
        "store the model's numbers outside the program, in NAME.blob, at an address such as 0x08060000 or in a section "
        "such as .weights; the program reads them in place after NAME_bind has checked the blob",
        default=None,
        metavar="PLACE",
        group=OptionGroup.MEMORY,
    )
    weights_margin: float | None = option(
        "with --weights-at, choose formats in which weights may be larger by this factor after another training, and "
        "leave room for more by this factor: trees, nodes and leaves of a forest, entries of a sparse matrix, samples",
        default=None,
        metavar="FACTOR",
        group=OptionGroup.MEMORY,
    )
    weights_for: str | None = option(
        "compile a model that was trained again into a NAME.blob for the program in an output folder of --weights-at",
        default=None,
        metavar="OUT",
        group=OptionGroup.MEMORY,
    )
    round_sums: bool = option(
        "round sums that loops carry, instead of storing wide accumulators in RAM (searches with --ram try both)",
        default=False,
        group=OptionGroup.MEMORY,
    )
    votes: str = option(
        "votes of a forest's trees: soft, the class probabilities of leaves, or hard, one vote for the most probable "
        "class, which is smaller and faster and changes some predictions",
        default=SOFT,
        choices=VOTES,
        group=OptionGroup.NUMBERS,
    )
    judge: str = option(
        "algorithm that proves the lower bound of a small program's arena a second time; "
        f"{OTHER_JUDGE}: if a search proved the bound, the other search; {NO_JUDGE}: no second proof",
        default=OTHER_JUDGE,
        choices=(NO_JUDGE, OTHER_JUDGE, *JUDGES),
        group=OptionGroup.MEMORY,
    )
    plan: str = option(
        "order of execution; auto chooses the fastest plan that fits in RAM",
        default=AUTO,
        choices=SCHEDULES,
        group=OptionGroup.MEMORY,
    )
    cells: int = option(
        "estimated percentage of the cells of programmable logic that unrolled loops may use",
        default=20,
        metavar="PERCENT",
        group=OptionGroup.BOARD,
    )


@dataclass(frozen=True, kw_only=True)
class PipelineOptions(CompileOptions):
    """The options of pipelines: the users' options, the validation set and the target."""

    data: str = option(".npz file with the validation set `x`, on which ranges are profiled and weights are rounded")
    ram: int | None = option(
        "limit on RAM in bytes, within which the fastest plan is chosen (default: the ordinary plan)", default=None
    )
    flash: int | None = option(
        "limit on flash in bytes, up to which larger, faster kernels and code are used (default: none are used)",
        default=None,
    )
    target: str = option("board whose kernels are used (default: the module's)", default=HOST, metavar="NAME")
