"""The quality of a detector: its decisions, the area under the ROC curve, and the ranking of its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.runtime.evaluator.evaluator import (
    Outputs,
    encode_inputs,
    evaluate,
    evaluate_reals,
    in_reals,
    predict_function,
)
from tinyml.tools.driver.measure import Accuracy, Detection, DetectionRates
from tinyml.transforms.formats.evaluation.answers import labelled_anomalies
from tinyml.transforms.formats.evaluation.metrics import area_under_curve
from tinyml.transforms.ir.real_numbers import from_real, lies_below
from tinyml.transforms.reals.analysis.profiles import stretched

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.runtime.model.data import Data

FAR_DISTANCE = 0.01
"""The distance from the threshold, as a share of the range of scores, beyond which decisions must be equal."""


REACH_MULTIPLES = (3.0, 10.0)
"""The distance of `far_samples` from the mean, in multiples of the distance of normal samples."""

DEVIATIONS = 10.0
"""The offset of a single element in `far_samples`, in standard deviations of the elements."""

MAX_FAR_SAMPLES = 100
"""Maximum number of `far_samples` per kind."""


def anomalies(module: ModuleOp, outputs: Outputs, threshold: float) -> NDArray[np.bool_]:
    """A mask of the samples whose scores are below a threshold, which equals the decisions of `NAME_is_anomaly`.

    outputs: the outputs of the program as raws.
    """
    assert outputs.scores is not None
    format, single = score_format(module), np.array(threshold, np.float32)
    below: NDArray[Any] = lies_below(NumpyMachine(), outputs.scores[:, 0], single, format)
    return below.astype(bool)


def rounded_threshold(module: ModuleOp, threshold: float) -> float:
    """The threshold after the rounding that `NAME_is_anomaly` applies before the comparison with the score."""
    format = score_format(module)
    return float(format.decode(from_real(NumpyMachine(), np.array(threshold, np.float32), format)))


def score_format(module: ModuleOp) -> NumberFormat:
    """The number format of a detector's score."""
    end = predict_function(module).get_return_op()
    assert end is not None
    return tdsl.format_of(end.operands[0])


def detection_rates(
    scores: NDArray[Any], found: NDArray[np.bool_], anomalous: NDArray[np.bool_] | None
) -> DetectionRates:
    """The area under the ROC curve, the rate of false alarms and the rate of detected anomalies.

    Unless both normal samples and anomalies are labelled, the area and the rate of detected anomalies are None, and the
    rate of alarms is that among all samples.

    scores: the score of each sample, greater for more normal samples.
    found: the mask of the samples that the detector reports as anomalies.
    anomalous: the mask of the samples labelled as anomalies; None without labels.
    """
    if anomalous is None or anomalous.all() or not anomalous.any():
        return DetectionRates(None, float(found.mean()), None)
    alarms, right = float(found[~anomalous].mean()), float(found[anomalous].mean())
    return DetectionRates(area_under_curve(scores, ~anomalous), alarms, right)


def ranks(scores: NDArray[Any]) -> NDArray[np.float64]:
    """The rank of each score, from 0; equal scores share their mean rank."""
    ordered = np.sort(scores)
    below, upto = (np.searchsorted(ordered, scores, side) for side in ("left", "right"))
    return (below + upto - 1) / 2


def rank_losses(exact: NDArray[Any], computed: NDArray[Any]) -> NDArray[np.float64]:
    """The loss of each sample (samples,). The mean of these losses is 1 minus Spearman's rank correlation of two series
    of scores.

    A constant series has no rank correlation. Each loss is then 1 if the other series is not constant, and 0 if it is.
    """
    if np.ptp(exact) == 0 or np.ptp(computed) == 0:
        return np.full(len(exact), float(np.ptp(exact) != np.ptp(computed)))
    one, other = ((each - each.mean()) / each.std() for each in (ranks(exact), ranks(computed)))
    return (one - other) ** 2 / 2


def far_samples(x: NDArray[Any]) -> NDArray[Any]:
    """Samples (samples, elements) outside the distribution of normal data. Many of these samples are anomalies.

    Some are samples of `x` moved to `REACH_MULTIPLES` times their distance from the mean. All others are samples of `x`
    in which a single element is changed by `DEVIATIONS` standard deviations.
    """
    some = x[np.linspace(0, len(x) - 1, min(len(x), MAX_FAR_SAMPLES)).astype(int)]
    alone = some.astype(np.float64)
    elements = np.arange(len(some)) * x.shape[1] // len(some)
    signs = np.where(np.arange(len(some)) % 2, -1, 1)
    alone[np.arange(len(some)), elements] += DEVIATIONS * signs * np.nanstd(x, 0, dtype=np.float64)[elements]
    most = np.finfo(np.float32).max
    return np.concatenate(
        [*(stretched(some, reach) for reach in REACH_MULTIPLES), alone.clip(-most, most).astype(x.dtype)]
    )


def moved(exact: NDArray[Any], found: NDArray[np.bool_], threshold: float, spread: float) -> NDArray[np.bool_]:
    """A mask of the samples (samples,) whose decisions differ although their scores on reals are far from the
    threshold.

    A score is far if its distance from the threshold exceeds half of `FAR_DISTANCE` times the spread. The decisions for
    other data of the same kind are then also unchanged.

    exact: the scores on reals.
    found: the mask of anomalies in formats.
    spread: the range of scores on reals.
    """
    return (np.abs(exact - threshold) > FAR_DISTANCE / 2 * spread) & ((exact < threshold) != found)


def detector_accuracy(
    reals: ModuleOp, on_reals: Outputs, formats: ModuleOp, in_formats: Outputs, data: Data, threshold: float
) -> Accuracy:
    """The accuracy of a detector, from its decisions and scores."""
    assert on_reals.scores is not None
    rounded = in_reals(formats, in_formats).scores
    assert rounded is not None
    exact, computed, anomalous = on_reals.scores[:, 0], rounded[:, 0], labelled_anomalies(data)
    found = exact.astype(np.float32) < np.float32(threshold), anomalies(formats, in_formats, threshold)
    rates = [detection_rates(scores, each, anomalous) for scores, each in zip((exact, computed), found, strict=True)]
    right = [None if anomalous is None else round(100 * float((each == anomalous).mean()), 4) for each in found]
    differ = int((found[0] != found[1]).sum())
    spread, far = float(np.ptp(exact)), far_samples(data.x)
    far_scores, far_found = evaluate_reals(reals, far).scores, evaluate(formats, encode_inputs(formats, far))
    assert far_scores is not None
    missed = moved(far_scores[:, 0], anomalies(formats, far_found, threshold), threshold, spread)
    ranks = 1 - float(rank_losses(exact, computed).mean())
    detection = Detection(threshold, rates[0], rates[1], ranks, float(missed.mean()))
    return Accuracy(right[0], right[1], differ, len(data), detection=detection, outputs=in_formats)
