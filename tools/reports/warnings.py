"""Warnings about programs that lose accuracy or time for a known reason, each with a remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, cast

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.discardable_attributes import text_of
from tinyml.dialects.errors import TooLargeError
from tinyml.dialects.formats.lookup import USUAL_FORMAT
from tinyml.dialects.formats.number_format import INTEGER, number_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import SourceNames
from tinyml.dialects.tdsl.attributes import UNROLLED, ZEROS_UNKNOWN
from tinyml.dialects.tdsl.contraction import constant_root
from tinyml.lowering.loops.operation_names import name_operations
from tinyml.lowering.options import AUTO_FORMAT
from tinyml.runtime.evaluator.evaluator import argument_reals, feature_map, predict_function
from tinyml.tools.reports.facts.faults import FEW_SAMPLES, NO_FAULTS, SCORES_OFF, DataFaults
from tinyml.transforms.formats.assignment.tensor_classes import tensor_values
from tinyml.transforms.ir.cost.estimate import TimeShares, time_shares
from tinyml.transforms.ir.outputs import CLASS, SCORES

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp, TensorType
    from xdsl.ir import Attribute

    from tinyml.runtime.model.data import Data
    from tinyml.tools.driver.choice.output_errors import OutputError
    from tinyml.tools.driver.compilation import Compilation
    from tinyml.tools.driver.compiled_program import Compiled
    from tinyml.tools.driver.measure import Accuracy
    from tinyml.tools.reports.facts.faster_program import FasterProgram

LOST_POINTS = 2.0
"""The loss of accuracy, in points, above which a warning is issued."""

OTHER_ANSWERS = 0.05
"""The share of changed answers above which a warning is issued."""

GROWN_ERROR = 25.0
"""The growth in percent of a regressor's output error above which a warning is issued."""

LARGE_SHARE = 0.2
"""The share of the estimated time above which a warning names its cause."""

QUICK = 1.0
"""Milliseconds of an inference up to which the causes of its time give no warning."""

WIDE_SPREAD = 1e5
"""The ratio of the greatest magnitude in a constant to the median above which 16 bits resolve few of its numbers."""

COARSE = 0.1
"""The rounding error of a feature, as a share of its standard deviation, above which the input's format is too coarse
for it.
"""

UNLIKE_ROWS = 16.0
"""The ratio of the greatest magnitudes of two rows of a matrix above which one scale wastes bits of the smaller row."""

CLIPPED_SHARE = 0.001
"""The share of clipped inputs above which a warning is issued."""

MISSED_FAR = 0.01
"""The share of far samples with a changed decision of a detector above which a warning is issued."""

NAMED_TENSORS = 3
"""Maximum tensors that a warning names."""

NAMED_CLASSES = 5
"""Maximum missing classes that a warning names; for more it reports the number."""

CHOOSE_FORMAT = f"--format {AUTO_FORMAT} finds formats that lose less"


@dataclass(frozen=True)
class Findings:
    """The results of a program that determine warnings.

    accuracies: the accuracies before and after compilation.
    unmet: the permitted loss in points, if no format that fits the board meets it; otherwise None.
    outputs: the outputs of a classifier that callers read.
    shares: the share of the time that each cause takes; None on a target of unknown costs.
    converting: the share of the time spent converting floats to raws.
    milliseconds: the time of an inference, including the conversion; None on a board with an unknown clock.
    chosen: true if `auto` chose the format; no warning then recommends another format.
    failed: the alternatives of `auto` that do not compile for a reason other than their size, each with the reason.
    complete: true if `auto` evaluated all formats that fit.
    faster: a program that takes less than a third of the time and differs by one option; None if none is known.
    kept: true if the model already has number formats.
    parts: true if a part of the model has no number formats.
    asked: true if feature scales were requested.
    scaled: true if the program has feature scales.
    data: the faults of the data that determine formats.
    zeros: the share of zeros in the data, if the model's file does not state whether zeros were missing values.
    over: the bytes by which the measured RAM exceeds the limit of the request.
    clipped: the share of inputs outside the range of the unit's integers.
    coarse: the number of features for which the input's format is too coarse.
    features: the number of features of the input.
    rows: the greatest ratio of the magnitudes of two rows of a constant matrix; 1 if rows have their own scales.
    unrolled: the recurrent steps that the model's file writes several times and that are no loops.
    reads_scores: whether the scores of a classifier were requested, and its formats follow from options.
    spread: the maximum over constants of the ratio of the greatest magnitude to the median magnitude.
    held: the tensors whose numbers fixed point of the same width represents, although their type must be decoded.
    tensors: the number of tensors with number formats.
    """

    accuracies: Accuracy
    shares: TimeShares | None
    data: DataFaults = NO_FAULTS
    chosen: bool = False
    unmet: float | None = None
    asked: bool = False
    scaled: bool = False
    spread: float = 1.0
    held: Sequence[str] = ()
    tensors: int = 0
    coarse: int = 0
    features: int = 0
    rows: float = 1.0
    over: int = 0
    clipped: float = 0.0
    converting: float = 0.0
    milliseconds: float | None = None
    failed: Sequence[str] = ()
    outputs: str = SCORES
    kept: bool = False
    parts: bool = False
    zeros: float = 0.0
    unrolled: Sequence[str] = ()
    complete: bool = True
    faster: FasterProgram | None = None
    reads_scores: bool = False

    @property
    def scores_off(self) -> float:
        """The greatest error of a classifier's scores as a share of their range; 0 without scores."""
        return self.accuracies.scores or 0.0

    @property
    def lost(self) -> float:
        """The decrease of accuracy from the model on reals to the program, in points; 0 without labels."""
        exact, compiled = self.accuracies.reals, self.accuracies.formats
        return 0.0 if exact is None or compiled is None else exact - compiled

    @property
    def scored(self) -> bool:
        """Whether `auto` chose the format and considered the scores of a classifier."""
        return self.chosen and self.outputs == SCORES

    @property
    def other(self) -> float:
        """The share of samples for which the answers of model and program differ."""
        return self.accuracies.disagreements / max(self.accuracies.samples, 1)

    @property
    def grown(self) -> OutputError | None:
        """The error of the regressor output whose error grows significantly; None if there is none, and without
        targets.
        """
        worst = self.accuracies.worst
        return None if worst is None or worst.exact is None or worst.growth <= GROWN_ERROR else worst

    @property
    def worse(self) -> bool:
        """Whether the program loses accuracy, changes answers or grows errors enough for a warning."""
        return self.lost > LOST_POINTS or self.other > OTHER_ANSWERS or self.grown is not None

    @property
    def far(self) -> float:
        """The share of the samples far from the data for which model and program decide differently; 0 without a
        detector.
        """
        return 0.0 if self.accuracies.detection is None else self.accuracies.detection.far

    @property
    def quick(self) -> bool:
        """Whether a program is fast enough to need no warning about its time."""
        return self.milliseconds is not None and self.milliseconds <= QUICK

    def share(self, cause: str) -> float:
        """The share of the time that a cause takes; 0 for a fast program.

        cause: the name of a field of `TimeShares`.
        """
        return 0.0 if self.shares is None or self.quick else getattr(self.shares, cause)


@dataclass(frozen=True)
class WarningRule:
    """A row of `WARNINGS`.

    name: the name in reports.
    applies: the condition under which the warning is printed.
    text: the problem that the warning states.
    cure: the advice to the user.
    """

    name: str
    applies: Callable[[Findings], bool]
    text: Callable[[Findings], str]
    cure: Callable[[Findings], str]


def _of_format(findings: Findings) -> str:
    if findings.data.poor or findings.data.apart:
        return "correct the data first"
    if findings.parts:
        return "a larger --width, or more bits in the part that already has formats, such as a front end, may help"
    if findings.kept:
        return (
            "the model keeps its own formats: train it with more bits, or discard them by --quantization anew, which "
            "chooses formats on --val"
        )
    if not findings.chosen:
        return CHOOSE_FORMAT
    if findings.unmet is not None and findings.complete:
        return "no format that fits loses less: choose a larger board or a larger --loss"
    return "more data for --val, similar to the test data, may help"


def _of_far_samples(findings: Findings) -> str:
    if findings.parts and not (findings.data.poor or findings.data.apart):
        return (
            "the part that already has formats, such as a front end, saturates: choose its scales for four times the "
            "range of these samples"
        )
    return _of_format(findings)


def _slow(name: str, cause: str, what: str, cure: str) -> WarningRule:
    """The rule for a warning about a cause of more than a fifth of the time.

    cause: the name of a field of `TimeShares`.
    what: the subject of the warning, such as the operation that takes the time.
    cure: the advice to the user.
    """
    return WarningRule(
        name,
        lambda findings: findings.share(cause) > LARGE_SHARE,
        lambda findings: f"{what} takes {findings.share(cause):.0%} of the time",
        lambda findings: cure,
    )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - NAMED_TENSORS
    return ", ".join(names[:NAMED_TENSORS]) + (f" and {more} more" if more > 0 else "")


def _missing_classes(findings: Findings) -> str:
    missing = findings.data.missing
    named = ", ".join(missing) if len(missing) <= NAMED_CLASSES else f"{len(missing)} of the model"
    return f"--val has no sample of the class{'es' if len(missing) > 1 else ''} {named}"


def _other_answers(findings: Findings) -> str:
    right = "" if findings.accuracies.reals is None or findings.lost > 0 else ", although its error rate is no higher"
    return f"answers differently from the model for {findings.other:.1%} of the samples{right}"


def _unrolled(findings: Findings) -> str:
    first, *others = findings.unrolled
    further = ""
    if others:
        further = f", and so {'is 1 other step' if len(others) == 1 else f'are {len(others)} other steps'}"
    return f"the code of a recurrent step is not a loop: {first}{further}"


def _unmet(findings: Findings) -> str:
    limit = findings.unmet or 0.0
    if findings.accuracies.worst is not None:
        return f"no format that fits keeps the growth of errors below {limit:g}%"
    return f"nothing that fits loses as little as {limit:g} points{' and keeps the scores' if findings.scored else ''}"


WARNINGS = (
    WarningRule(
        "poor model",
        lambda findings: bool(findings.data.poor),
        lambda findings: f"--val: the float model {findings.data.poor}",
        lambda findings: "unless the model itself is poor, pass the features in the order and scale of training",
    ),
    WarningRule(
        "other ranges",
        lambda findings: findings.data.apart > 0,
        lambda findings: (
            f"--val and --test: {findings.data.apart:.0%} of the numbers lie far outside the other's range"
        ),
        lambda findings: "scale both data sets as in training: formats cover only the range of --val",
    ),
    WarningRule(
        "few samples",
        lambda findings: findings.data.few is not None,
        lambda findings: f"--val: the formats are chosen by {findings.data.few} samples",
        lambda findings: f"add samples that represent the board's inputs: at least {FEW_SAMPLES}, preferably hundreds",
    ),
    WarningRule(
        "missing classes",
        lambda findings: bool(findings.data.missing),
        _missing_classes,
        lambda findings: "add samples of it: the loss in this class is unknown",
    ),
    WarningRule(
        "accuracy",
        lambda findings: findings.lost > LOST_POINTS,
        lambda findings: f"loses {findings.lost:.1f} points of accuracy",
        _of_format,
    ),
    WarningRule("answers", lambda findings: findings.other > OTHER_ANSWERS, _other_answers, _of_format),
    WarningRule(
        "scores",
        lambda findings: findings.reads_scores and findings.scores_off > SCORES_OFF,
        lambda findings: f"the requested scores differ by up to {findings.scores_off:.0%} of their range",
        _of_format,
    ),
    WarningRule(
        "errors",
        lambda findings: findings.grown is not None,
        lambda findings: f"{findings.grown}: {findings.grown.change}" if findings.grown else "",
        _of_format,
    ),
    WarningRule(
        "unmet loss",
        lambda findings: findings.unmet is not None,
        _unmet,
        lambda findings: "--loss allows more; a larger board may have room for more bits",
    ),
    WarningRule(
        "RAM",
        lambda findings: findings.over > 0,
        lambda findings: f"the RAM with the stack exceeds --ram by {findings.over} bytes",
        lambda findings: "reduce --ram by as many",
    ),
    WarningRule(
        "alternatives",
        lambda findings: bool(findings.failed),
        lambda findings: (
            f"alternatives that do not compile were excluded from the choice: {'; '.join(findings.failed)}"
        ),
        lambda findings: (
            "the choice is valid for the others; --format with the name of an excluded one prints its error"
        ),
    ),
    WarningRule(
        "unrolled steps",
        lambda findings: bool(findings.unrolled),
        _unrolled,
        lambda findings: (
            f"{'--quantization anew, or ' if findings.kept else ''}"
            "the model itself from Keras or PyTorch, or its LSTM, GRU or RNN in ONNX, compiles to a loop"
        ),
    ),
    WarningRule(
        "clusters",
        lambda findings: findings.accuracies.ignored,
        lambda findings: "`y` is ignored: a clustering is compared with the model on reals, not with labels",
        lambda findings: "leave it out",
    ),
    WarningRule(
        "far samples",
        lambda findings: findings.far > MISSED_FAR,
        lambda findings: (
            f"{findings.far:.1%} of the samples far from the data are classified differently from the model"
        ),
        _of_far_samples,
    ),
    WarningRule(
        "zeros",
        lambda findings: findings.zeros > 0,
        lambda findings: (
            f"{findings.zeros:.0%} of the inputs are zeros, and the file of XGBoost does not state whether zeros were"
            " missing values in training (missing=0, or a sparse matrix)"
        ),
        lambda findings: "if they were, replace zeros by NaN, in --val, --test and on the board; else nothing is wrong",
    ),
    WarningRule(
        "clipped",
        lambda findings: findings.clipped > CLIPPED_SHARE,
        lambda findings: f"{findings.clipped:.1%} of the inputs lie outside of the unit's integers",
        lambda findings: "choose another scale, offset or type of --input-unit that includes them",
    ),
    WarningRule(
        "float inputs",
        lambda findings: findings.converting > LARGE_SHARE and not findings.quick,
        lambda findings: f"{findings.converting:.0%} of the time is spent on converting floats",
        lambda findings: "pass the sensor's integers with --input-unit, or raws to NAME_predict",
    ),
    WarningRule(
        "spread",
        lambda findings: (
            findings.spread > WIDE_SPREAD and (findings.lost > LOST_POINTS or findings.other > OTHER_ANSWERS)
        ),
        lambda findings: f"one of its constants contains numbers {findings.spread:.0e} times as large as most others",
        lambda findings: "remove features that hardly vary within a class, or fit GaussianNB with var_smoothing=1e-2",
    ),
    WarningRule(
        "coarse features",
        lambda findings: findings.coarse > 0 and findings.worse and not findings.asked,
        lambda findings: (
            f"one scale for all features is too coarse for {findings.coarse} of {findings.features} of them"
        ),
        lambda findings: "--feature-scales gives each feature its own scale",
    ),
    WarningRule(
        "unlike rows",
        lambda findings: findings.rows > UNLIKE_ROWS and findings.worse,
        lambda findings: f"the rows of a matrix differ in size by a factor of {findings.rows:.0f}, but have one scale",
        lambda findings: "--row-scales gives each row its own scale",
    ),
    WarningRule(
        "feature scales",
        lambda findings: findings.asked and not findings.scaled,
        lambda findings: "--feature-scales had no effect: the ops that read the input cannot absorb scales of features",
        lambda findings: "put a scaler or a layer with weights first, or omit the option",
    ),
    WarningRule(
        "fewer numbers",
        lambda findings: bool(findings.held) and not findings.chosen,
        lambda findings: (
            f"the types of {len(findings.held)} of {findings.tensors} tensors have a subset of the numbers of "
            f"{USUAL_FORMAT} with the same width, and must be decoded: {_listed(findings.held)}"
        ),
        lambda findings: (
            f"--format {USUAL_FORMAT} has more numbers in the same bits and decodes none; --format TYPE takes a type "
            "with a greater range"
        ),
    ),
    WarningRule(
        "softmax",
        lambda findings: findings.share("softmax") > LARGE_SHARE and findings.outputs != CLASS,
        lambda findings: f"softmax takes {findings.share('softmax'):.0%} of the time",
        lambda findings: f"--outputs {CLASS} omits it: the class does not depend on it",
    ),
    WarningRule(
        "faster program",
        lambda findings: findings.faster is not None and not findings.quick,
        lambda findings: (
            f"takes {findings.faster.factor:.1f} times as long as another program would, by the estimates:"
            f" {findings.faster.time:,.0f} {findings.faster.unit} a call"
            if findings.faster
            else ""
        ),
        lambda findings: f"{findings.faster.change}: {findings.faster.costs}" if findings.faster else "",
    ),
    _slow("scaler", "scaler", "scaling the input", "--feature-scales or --fold-affine let the first layer absorb it"),
    WarningRule(
        "wide sums",
        lambda findings: findings.share("wide_sums") > LARGE_SHARE and findings.faster is None,
        lambda findings: f"arithmetic on integers of 64 bits takes {findings.share('wide_sums'):.0%} of the time",
        lambda findings: (
            f"{'--quantization anew and ' if findings.kept else ''}"
            f"--width 16 with --weights {USUAL_FORMAT}:8, or --width 8, have sums of 32 bits"
        ),
    ),
    WarningRule(
        "floats",
        lambda findings: (
            findings.share("soft_floats") > LARGE_SHARE and not findings.chosen and findings.faster is None
        ),
        lambda findings: f"arithmetic on floats in software takes {findings.share('soft_floats'):.0%} of the time",
        lambda findings: f"--format {AUTO_FORMAT} computes in integers",
    ),
)
"""The warnings, in printing order."""


def warnings_of(
    compilation: Compilation, *, clipped: float, converting: float, milliseconds: float | None
) -> list[dict[str, str]]:
    """The warnings that follow from the accuracy, the estimated time and the choice of a program.

    clipped: the share of inputs outside the range of a unit's integers.
    converting: the share of the time with float inputs that is spent converting them to raws.
    milliseconds: as in `Findings`.
    """
    compiled, choice, measured, limit = (
        compilation.compiled,
        compilation.choice,
        compilation.measured,
        compilation.board.ram and compilation.request.ram,
    )
    tensors, held = decoded_integers(compiled.formats)
    coarse = coarse_features(compiled, compilation.data)
    shares = time_shares(compiled.loops, compilation.board.name, scalers_of(compiled.buffers))
    unmet = None if choice is None or choice.qualifies else choice.bounds.loss
    # Alternatives that are too large for the chip do not fit, like others that do not fit the board: they have not
    # failed.
    failed = [row for row in choice.failed if not isinstance(row.error, TooLargeError)] if choice is not None else ()
    findings = Findings(
        compilation.accuracies,
        shares,
        compilation.faults,
        chosen=choice is not None,
        unmet=unmet,
        asked=compilation.requested.feature_scales,
        scaled=feature_map(compiled.reals) is not None,
        unrolled=unrolled_steps(compilation.program),
        spread=spread_of(compiled.reals),
        held=[] if compiled.kept else held,
        tensors=tensors,
        coarse=int(np.sum(coarse)),
        features=len(coarse),
        zeros=unknown_zeros(compilation),
        rows=1.0 if compiled.row_scales or compiled.kept else row_ratio(compiled.reals),
        clipped=clipped,
        converting=converting,
        milliseconds=milliseconds,
        over=measured.ram_bytes - limit if measured and limit is not None else 0,
        failed=reasons_of((row.alternative.name, row.reason) for row in failed),
        outputs=compilation.request.compile_options["outputs"],
        kept=compiled.kept,
        parts=compiled.parts is not None,
        complete=choice is None or choice.complete,
        faster=compilation.faster,
        reads_scores=compilation.requested.outputs == SCORES and compilation.choice is None and not compiled.kept,
    )
    return [
        {"name": row.name, "text": row.text(findings), "cure": row.cure(findings)}
        for row in WARNINGS
        if row.applies(findings)
    ]


def reasons_of(failed: Iterable[tuple[str, str]]) -> Sequence[str]:
    """The names of alternatives with the reason why they do not compile, by reason.

    failed: names and reasons.
    """
    names = dict[str, list[str]]()
    for name, reason in failed:
        names.setdefault(reason, []).append(name)
    return [f"{', '.join(alternatives)} ({reason})" for reason, alternatives in names.items()]


def unknown_zeros(compilation: Compilation) -> float:
    """The share of zeros in data without missing values, if the model has the attribute `ZEROS_UNKNOWN`; otherwise
    0.
    """
    if ZEROS_UNKNOWN not in compilation.program.attributes or np.isnan(compilation.data.x).any():
        return 0.0
    return float((compilation.data.x == 0).mean())


def unrolled_steps(program: ModuleOp) -> Sequence[str]:
    """The texts in the attribute `UNROLLED` of a program."""
    texts = cast("Iterable[Attribute]", program.attributes.get(UNROLLED, ()))
    return [*map(text_of, texts)]


def coarse_features(compiled: Compiled, data: Data) -> NDArray[np.bool]:
    """For each feature of an input vector, whether the format of the input rounds it by more than `COARSE`. Empty for
    other inputs, and for inputs with one scale for each feature.
    """
    [argument] = predict_function(compiled.formats).body.block.args
    shape = tdsl.shape_of(argument)
    if compiled.kept or feature_map(compiled.reals) is not None or prod(shape) != max(shape, default=1):
        return np.zeros(0, bool)
    x = argument_reals(compiled.reals, data.x).astype(np.float64).reshape(-1, prod(shape))
    format = tdsl.format_of(argument)
    # A missing value has no rounding error.
    known = np.where(np.isnan(x), 0.0, x)
    errors = known - format.decode(format.encode(known))
    return np.sqrt((errors**2).mean(0)) > COARSE * known.std(0)


def decoded_integers(formats: ModuleOp) -> tuple[int, Sequence[str]]:
    """The number of tensors of a program at L1 that have number formats, and the names, with types, of those whose
    numbers are numbers of fixed point of the same width, although kernels must decode them.
    """
    values = [value for function in defined_functions(formats) for value in tensor_values(function)]
    elements = [(value, cast("TensorType[Attribute]", value.type).element_type) for value in values]
    known = [(value, format) for value, element in elements if (format := number_format(element)) is not None]
    held = [
        f"{value.name_hint or 'a result'} of {format.type}"
        for value, format in known
        if (format.coding is None or format.coding.name != INTEGER) and format.as_integers(format.bits) is not None
    ]
    return len(known), held


def row_ratio(reals: ModuleOp) -> float:
    """The greatest ratio of the magnitudes of two rows of a constant matrix that is the left factor of a product; 1
    without such matrices. The rows of a filter are its channels; rows of zeros do not count.
    """
    ratio = 1.0
    for op in reals.walk():
        if not isinstance(op, tdsl.ProductOp | tdsl.Conv2dOp) or (constant := constant_root(op.lhs)) is None:
            continue
        sizes = np.abs(tdsl.format_of(constant.result).decode(constant.raws).reshape(constant.raws.shape[0], -1)).max(1)
        if (sizes > 0).any():
            ratio = max(ratio, float(sizes.max() / sizes[sizes > 0].min()))
    return ratio


def spread_of(reals: ModuleOp) -> float:
    """The maximum, over the constants of a program on reals, of the ratio of the greatest magnitude to the median
    nonzero magnitude; 1 without such constants.
    """
    constants = [op for op in reals.walk() if isinstance(op, tdsl.ConstOp) and op.raws.dtype.kind == "f"]
    sizes = [np.abs(op.raws[op.raws != 0].astype(np.float64)) for op in constants]
    # A ratio of doubles may be infinite.
    with np.errstate(over="ignore"):
        return max((float(size.max() / np.median(size)) for size in sizes if size.size), default=1.0)


def scalers_of(buffers: ModuleOp) -> list[str]:
    """The names of the operations of a program at L2 that scale the input: elementwise ops on the input and
    constants.
    """
    module = buffers.clone()
    name_operations(module)
    scaled = {argument for function in defined_functions(module) for argument in function.body.block.args}
    sources = SourceNames()
    return [names[0] for op in _scaling(module, scaled) if (names := sources.of(op))]


def _scaling(buffers: ModuleOp, scaled: set[Any]) -> Iterator[Any]:
    for op in buffers.walk():
        if isinstance(op, scratch.ViewOp) and op.input:
            scaled.add(op.result)
        if not isinstance(op, tdsl.ElementwiseOp) or op.dest is None:
            continue
        given = [value in scaled for value in op.inputs]
        constants = [isinstance(scratch.root(value).owner, scratch.ConstantOp) for value in op.inputs]
        if any(given) and any(constants) and all(map(max, given, constants)):
            scaled.add(op.dest)
            yield op
