"""How well a detector tells anomalies: its decisions, the area under its curve, and the order of its scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.lowering.c.real_numbers import lies_below
from tinyml.runtime.evaluator.evaluator import predict_function

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.runtime.evaluator.evaluator import Outputs
    from tinyml.runtime.model.data import Data

FAR = 0.01
"""The distance from the threshold, as a share of the range of scores, beyond which a decision has to be the same."""


@dataclass(frozen=True)
class DetectionRates:
    """A detector on samples. auc: the area under its curve; None unless both kinds of samples are labelled.

    alarms: the share of samples that it calls anomalies, of the usual ones where these are labelled.
    """

    auc: float | None
    alarms: float


@dataclass(frozen=True)
class Detection:
    """A detector on reals and in formats, and the correlation of the ranks of both scores."""

    reals: DetectionRates
    formats: DetectionRates
    rank_correlation: float


def anomalies(module: ModuleOp, outputs: Outputs, threshold: float) -> NDArray[np.bool_]:
    """The samples whose scores lie below a threshold (samples,), as `NAME_is_anomaly` decides. outputs: raws."""
    assert outputs.scores is not None
    end = predict_function(module).get_return_op()
    assert end is not None
    format = tdsl.format_of(end.operands[0])
    below: NDArray[Any] = lies_below(NumpyMachine(), outputs.scores[:, 0], np.array(threshold, np.float32), format)
    return below.astype(bool)


def labelled(data: Data) -> NDArray[np.bool_] | None:
    """The samples that are labelled as anomalies (samples,); None without labels."""
    return None if data.targets is None else data.targets[:, 0] < 0


def detection_rates(
    scores: NDArray[Any], found: NDArray[np.bool_], anomalous: NDArray[np.bool_] | None
) -> DetectionRates:
    """The rates of a detector with scores (samples,), greater for more usual samples, and what it decides."""
    if anomalous is None or anomalous.all() or not anomalous.any():
        return DetectionRates(None, float(found.mean()))
    return DetectionRates(area_under_curve(scores, anomalous), float(found[~anomalous].mean()))


def places(scores: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float64]:
    """For each score the share of other ones that are greater; equal ones count half."""
    ordered = np.sort(others)
    below, upto = (np.searchsorted(ordered, scores, side) for side in ("left", "right"))
    return 1 - (below + upto) / (2 * len(others))


def area_under_curve(scores: NDArray[Any], anomalous: NDArray[np.bool_]) -> float:
    """The probability that a usual sample scores above an anomaly."""
    return float(places(scores[anomalous], scores[~anomalous]).mean())


def ranks(scores: NDArray[Any]) -> NDArray[np.float64]:
    """The rank of each score, from 0; equal ones share the mean of theirs."""
    ordered = np.sort(scores)
    below, upto = (np.searchsorted(ordered, scores, side) for side in ("left", "right"))
    return (below + upto - 1) / 2


def rank_losses(exact: NDArray[Any], computed: NDArray[Any]) -> NDArray[np.float64]:
    """Parts (samples,) whose mean is 1 minus Spearman's correlation of the ranks of scores, if no two are equal."""
    return 6 * (ranks(exact) - ranks(computed)) ** 2 / max(len(exact) ** 2 - 1, 1)


def moved(exact: NDArray[Any], computed: NDArray[Any], threshold: float) -> NDArray[np.bool_]:
    """The samples (samples,) that are decided otherwise although they lie far from the threshold on reals.

    Half of the distance `FAR` counts, so that other data of the same kind keep theirs.
    """
    far = np.abs(exact - threshold) > FAR / 2 * np.ptp(exact)
    return far & ((exact < threshold) != (computed < threshold))
