"""Measurements: accuracy by the evaluator, size and speed on the device, and the check that both compute equal bits."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.extensions import imported
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.plugins import expected
from tinyml.runtime.devices.registry import DeviceError, RunResult, runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, evaluate_model, in_reals
from tinyml.runtime.model.data import Data
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.tools.driver.choice.output_errors import OutputError, greatest_growth, score_error
from tinyml.transforms.formats.evaluation.answers import answers_of, has_answers
from tinyml.transforms.formats.evaluation.metrics import NUMBERS, Measure, measure_of
from tinyml.transforms.formats.evaluation.regression_errors import RegressionErrors, mean_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tinyml.runtime.model.wanted_outputs import WantedOutput


@dataclass(frozen=True)
class DetectionRates:
    """The results of a detector of anomalies on samples.

    auc: the area under the ROC curve; None unless both normal samples and anomalies are labelled.
    alarms: the share of normal samples that the detector reports as anomalies (false alarms); the share of all samples
        unless both kinds are labelled.
    found: the share of labelled anomalies that the detector reports; None unless both kinds are labelled.
    """

    auc: float | None
    alarms: float
    found: float | None


@dataclass(frozen=True)
class Detection:
    """The results of a detector on reals and in formats, and the rank correlation between the scores on reals and in
    formats.

    threshold: the score below which a sample is an anomaly.
    far: the share of samples far from the data (`detection.far_samples`) whose decision differs from the decision on
        reals.
    """

    threshold: float
    reals: DetectionRates
    formats: DetectionRates
    rank_correlation: float
    far: float


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of a program on reals and in formats.

    reals, formats: the percentages of correct answers; None without labels.
    disagreements: the number of `samples` whose answer on reals differs from the answer in formats.
    regression: the errors of a program that computes numbers instead of a class; None for a classifier.
    detection: the results of a detector, whose correct answers are detected anomalies and accepted normal samples; None
        for other programs.
    ignored: true for a clustering on data whose labels are not cluster numbers, so that the labels are ignored.
    answers: the classes of all samples on reals and in formats; None for a program that computes numbers, and without
        data.
    outputs: the outputs of the program in formats; None without data.
    worst: the error of the output whose error grows most, for a program that computes numbers.
    metric: the figures by the requested metric.
    by_output: the figures of the outputs after the first.
    scores: the greatest error of a classifier's scores, as a share of their range on reals; None without scores.
    """

    reals: float | None
    formats: float | None
    disagreements: int
    samples: int
    regression: Regression | None = None
    detection: Detection | None = None
    ignored: bool = False
    answers: tuple[NDArray[np.int64], NDArray[np.int64]] | None = field(default=None, compare=False)
    outputs: Outputs | None = field(default=None, compare=False)
    worst: OutputError | None = None
    metric: MetricFigures | None = None
    by_output: Sequence[OutputFigures] = ()
    scores: float | None = None


@dataclass(frozen=True)
class OutputFigures:
    """The figures of the output with index `number`, one of the outputs after the first. Each figure is None if
    unknown.

    reals, formats: the errors on reals and in formats.
    accuracy_float, accuracy: the percentages of right elements on reals and in formats.
    difference: the mean absolute difference between the output on reals and in formats.
    """

    number: int
    reals: RegressionErrors | None
    formats: RegressionErrors | None
    accuracy_float: float | None
    accuracy: float | None
    difference: float


@dataclass(frozen=True)
class MetricFigures:
    """The value of a metric for the program on reals and for the program in formats.

    percent: true for a metric that is a share.
    """

    name: str
    reals: float
    formats: float
    percent: bool


@dataclass(frozen=True)
class Regression:
    """The errors of a regressor against its targets, on reals and in formats (None without targets), and the
    difference.

    The difference is the mean absolute difference between the outputs on reals and in formats.
    """

    reals: RegressionErrors | None
    formats: RegressionErrors | None
    difference: float


NO_ACCURACY = Accuracy(None, None, 0, 0)
"""The accuracy of a program without a data set."""


@dataclass(frozen=True)
class Measured:
    """Measurements of a program on a device.

    flash_bytes, static_bytes: the flash and the static RAM of the linked program.
    stack_bytes: the peak of the stack; 0 if the program was not run.
    cost: the mean cost of an inference in the device's unit; None if the device counts nothing or does not run the
        program.
    core_cycles: the mean cycles by the published timing of the core; None if no timing is published.
    outputs: the outputs of the device; None if the program was not run.
    longest: the maximum time of a hop; None for a program that does not stream, and if the program was not run.
    """

    flash_bytes: int
    static_bytes: int
    stack_bytes: int
    cost: float | None
    core_cycles: float | None
    outputs: Outputs | None
    longest: int | None = None

    @property
    def ram_bytes(self) -> int:
        """The static RAM and the peak of the stack."""
        return self.static_bytes + self.stack_bytes


@dataclass(frozen=True)
class Mismatch:
    """The first sample on which device and evaluator differ, and the first raw output of this sample that differs.

    sample, output: their indices, from 0.
    expected, got: the output of the evaluator and of the device.
    """

    sample: int
    output: int
    expected: int | float
    got: int | float

    def __str__(self) -> str:
        where = "label" if self.output < 0 else f"score {self.output}"
        return f"sample {self.sample}: {where} is {self.got}, the evaluator gives {self.expected} (raw values)"


class MismatchError(DeviceError):
    """Raised if the outputs of generated code on a device differ from the evaluator's outputs."""


def check_equal(mismatch: str | None, device: str, file: Path) -> None:
    """Raise `MismatchError` if there is a mismatch between a device and the evaluator.

    mismatch: the first difference, in words; None if there is none.
    device: the name of the device.
    file: the model or folder to name.
    """
    if mismatch is not None:
        raise MismatchError(f"{device} and the evaluator differ: {mismatch}", file=str(file))


def accuracy(reals: ModuleOp, formats: ModuleOp, data: Data) -> Accuracy:
    """The accuracy of a program at L0 and at L1 on a data set."""
    on_reals = evaluate_model(reals, data.x)
    in_formats = evaluate(formats, encode_inputs(formats, data.x))
    reference, compiled = on_reals.classes, in_formats.classes

    def percent(classes: NDArray[Any]) -> float | None:
        return None if data.y is None else round(100 * float((classes == data.y).mean()), 4)

    threshold = tdsl.read_interface(formats).threshold
    if threshold is not None:
        detected = imported("tinyml.tools.driver.detection:detector_accuracy")
        return detected(reals, on_reals, formats, in_formats, data, threshold)
    rounded = in_reals(formats, in_formats)
    regression, worst = None, None
    if not has_answers(on_reals, data):
        regression = _regression(on_reals, rounded, data)
        if on_reals.scores is not None and rounded.scores is not None:
            worst = greatest_growth(on_reals.scores, rounded.scores, data.targets)
    figures = [_output_figures(number, on_reals, rounded, data) for number in range(1, len(on_reals.tensors))]
    disagreements = 0 if regression is not None else int((reference != compiled).sum())
    answers = None if regression is not None else (reference, compiled)
    scores = None
    if answers is not None and on_reals.scores is not None and rounded.scores is not None:
        scores = score_error(on_reals.scores, rounded.scores)
    shares = percent(reference), percent(compiled)
    if (wanted := _wanted(data, 0)) is not None:
        shares = wanted.accuracy(on_reals.tensors[0]), wanted.accuracy(rounded.tensors[0])
    return Accuracy(
        *shares,
        disagreements,
        len(data),
        regression,
        None,
        data.ignored,
        answers,
        in_formats,
        worst,
        None,
        figures,
        scores,
    )


def _wanted(data: Data, number: int) -> WantedOutput | None:
    return next((each for each in data.wanted if each.number == number), None)


def _output_figures(number: int, on_reals: Outputs, rounded: Outputs, data: Data) -> OutputFigures:
    values, wanted = [outputs.tensors[number] for outputs in (on_reals, rounded)], _wanted(data, number)
    targets = None if wanted is None else wanted.targets
    exact, computed = (_errors(each, targets) for each in values)
    right, compiled = (None if wanted is None else wanted.accuracy(each) for each in values)
    return OutputFigures(number, exact, computed, right, compiled, float(np.abs(values[1] - values[0]).mean()))


def metric_figures(name: str, reals: ModuleOp, formats: ModuleOp, in_formats: Outputs, data: Data) -> MetricFigures:
    """The values of a metric on reals and in formats.

    in_formats: the outputs of the program in number formats, as raws.

    Raises `InputError` as `measure_of` does.
    """
    measure = metric_measure(name, reals, data)
    figure = measure.figure(answers_of(in_reals(formats, in_formats), data, tdsl.read_interface(formats)))
    return MetricFigures(name, measure.on_reals, figure, measure.metric.of != NUMBERS)


def metric_measure(name: str, reals: ModuleOp, data: Data) -> Measure:
    """The measure of a metric for the answers of the program on reals; raises `InputError` as `measure_of` does."""
    return measure_of(name, answers_of(evaluate_model(reals, data.x), data, tdsl.read_interface(reals)))


def _regression(on_reals: Outputs, in_formats: Outputs, data: Data) -> Regression | None:
    if (exact := on_reals.scores) is None or (rounded := in_formats.scores) is None:
        return None
    errors = [_errors(each, data.targets) for each in (exact, rounded)]
    return Regression(errors[0], errors[1], float(np.abs(rounded - exact).mean()))


def errors_on_device(formats: ModuleOp, outputs: Outputs, data: Data) -> RegressionErrors | None:
    """The errors of the device's outputs for the first samples of a data set; None without targets."""
    if data.targets is None or (scores := in_reals(formats, outputs).scores) is None:
        return None
    return _errors(scores, data.targets[: len(scores)])


def _errors(scores: NDArray[Any], targets: NDArray[Any] | None) -> RegressionErrors | None:
    if targets is None:
        return None
    return RegressionErrors.of(scores, targets)


@dataclass(frozen=True)
class RoundingLoss:
    """The loss that rounding of partial sums causes, compared with the same program without this rounding.

    unrounded_accuracy: the percentage of correct answers without rounding; None without labels.
    changed_answers: the number of `samples` whose answers differ.
    mean_error: the mean absolute difference of the scores, as reals.
    """

    unrounded_accuracy: float | None
    changed_answers: int
    mean_error: float
    samples: int


def rounding_loss(unrounded: ModuleOp, formats: ModuleOp, data: Data) -> RoundingLoss:
    """The loss that rounding causes in a program at L1 whose partial sums are rounded.

    unrounded: the program without rounding.
    """
    raws = encode_inputs(formats, data.x)
    exact, rounded = evaluate(unrounded, raws), evaluate(formats, raws)
    right = None if data.y is None else round(100 * float((exact.classes == data.y).mean()), 4)
    changed = int((exact.classes != rounded.classes).sum())
    return RoundingLoss(right, changed, _mean_error(formats, exact, rounded), len(data))


def _mean_error(module: ModuleOp, exact: Outputs, rounded: Outputs) -> float:
    """The mean absolute difference of the outputs, each with equal weight; 0 for a program that returns only a
    label.
    """
    if not exact.tensors:
        return 0.0
    return float(mean_errors(in_reals(module, rounded).tensors, in_reals(module, exact).tensors).mean())


def run_on_device(
    source_dir: Path,
    formats: ModuleOp,
    inputs: NDArray[Any],
    *,
    target: str,
    optimize: str = "-Os",
    flash: int | None = None,
    ram: int | None = None,
    evaluated: Outputs | None = None,
) -> tuple[Measured, Mismatch | None]:
    """Build the generated C for a board, run it on real inputs and compare every raw output with the evaluator's
    output.

    Returns the measurements, and the first output that differs, or None. A program that exceeds `flash` bytes, or whose
    static data alone exceed `ram` bytes, is built but not run.

    evaluated: the evaluator's outputs for samples that begin with these inputs, if they are already computed.
    """
    interface = interface_of(formats)
    raws = encode_inputs(formats, inputs)
    runner = runner_for(target)
    with temporary_folder() as workdir:
        build = runner.build(source_dir, interface, workdir, optimize)
        if (flash is not None and build.flash_bytes > flash) or (ram is not None and build.static_bytes > ram):
            return Measured(build.flash_bytes, build.static_bytes, 0, None, None, None), None
        result = expected(runner.run(build, interface, raws), RunResult, type(runner))
        outputs = Outputs(result.labels, result.scores, result.more)
        wanted = evaluate(formats, raws) if evaluated is None else evaluated.first(len(inputs))
        mismatch = first_mismatch(wanted, outputs)
        cost, core_cycles = (
            None if counts is None else float(counts.mean()) for counts in (result.cycles, result.core_cycles)
        )
        longest = None if result.longest is None else int(result.longest.max(initial=0))
        sizes = build.flash_bytes, build.static_bytes, result.stack_bytes
        measured = Measured(*sizes, cost, core_cycles, outputs, longest)
        return measured, mismatch


def first_mismatch(expected: Outputs, got: Outputs) -> Mismatch | None:
    """The first difference between two outputs, compared bit by bit even for floats; None if there is none.

    Within a sample, the scores are compared first, then the other outputs, then the label.
    """
    found: list[Mismatch] = []
    offset = 0
    for mine, theirs in zip((expected.scores, *expected.more), (got.scores, *got.more), strict=True):
        if mine is not None and theirs is not None:
            a, b = (np.ascontiguousarray(x).view(f"u{mine.dtype.itemsize}") for x in (mine, theirs))
            if (wrong := np.argwhere(a != b)).size:
                sample, output = (int(i) for i in wrong[0])
                values = mine[sample, output].item(), theirs[sample, output].item()
                found.append(Mismatch(sample, offset + output, *values))
            offset += mine.shape[1]
    if expected.labels is not None and got.labels is not None and (expected.labels != got.labels).any():
        sample = int(np.flatnonzero(expected.labels != got.labels)[0])
        found.append(Mismatch(sample, -1, int(expected.labels[sample]), int(got.labels[sample])))
    return min(found, key=lambda one: one.sample, default=None)
