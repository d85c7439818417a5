"""Faults of the data that determine number formats: few samples, a poor model, missing classes, a different range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import evaluate_model
from tinyml.runtime.model.data import Data
from tinyml.runtime.model.program_data import answers_of
from tinyml.tools.reports.facts.faults import FEW_SAMPLES, DataFaults
from tinyml.transforms.formats.evaluation.answers import labelled_anomalies
from tinyml.transforms.formats.evaluation.metrics import area_under_curve
from tinyml.transforms.formats.evaluation.regression_errors import RegressionErrors

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONFIDENCE = 0.95

DEVIATIONS = 1.645
"""The distance from an estimate to its one-sided bound with that confidence, in standard errors."""

JUDGED_SAMPLES = 1000
"""The number of samples that judge a model on reals; from more, equidistant ones are selected."""

POOR, HALF_WAY = 0.25, 0.5
"""The recalls, from 0 for guesses to 1 for a perfect model, up to which a model is poor.

The first applies to every model, the second to a model that is right no more often than the most frequent class.
"""

FAR_SHARE = 0.01
"""The share of numbers far from the range of other data above which two data sets differ in kind."""


def data_faults(reals: ModuleOp, val: Data, test: Data | None, *, chosen: bool) -> DataFaults:
    """Detect the faults of a validation set for a program on reals, and of a test set.

    chosen: true if the set determines formats. If false, because the model already has formats, the only fault is a
        poor model.
    """
    part = _spread(val)
    poor = "" if len(val) < FEW_SAMPLES else _poor(reals, part)
    if not chosen:
        return DataFaults(poor=poor)
    few = len(val) if len(val) < FEW_SAMPLES else None
    apart = 0.0 if test is None or few is not None or len(test) < FEW_SAMPLES else max(_far(val, test), _far(test, val))
    return DataFaults(few, poor, _missing(reals, val), apart if apart > FAR_SHARE else 0.0)


def _spread(data: Data) -> Data:
    return data.part(slice(None, None, math.ceil(len(data) / JUDGED_SAMPLES)))


def _poor(reals: ModuleOp, data: Data) -> str:
    """The accuracy or the error of the model on reals, in words for a warning, if a guess would be at least as
    good.

    Empty for a better model, and without labels.
    """
    outputs = evaluate_model(reals, data.x)
    if (anomalous := labelled_anomalies(data)) is not None and tdsl.read_interface(reals).threshold is not None:
        if anomalous.all() or not anomalous.any():
            return ""
        assert outputs.scores is not None
        area = area_under_curve(outputs.scores[:, 0], ~anomalous)
        return f"detects its anomalies with an area under the curve of {area:.2f}" if area <= 0.5 else ""
    if data.targets is not None and outputs.scores is not None:
        r2 = RegressionErrors.of(outputs.scores, data.targets).r2
        return f"explains none of its variance (R2 {r2:.2f})" if r2 <= 0 else ""
    return "" if data.y is None else _poor_classes(data.y, outputs.classes)


def _poor_classes(wanted: NDArray[np.int64], found: NDArray[np.int64]) -> str:
    """The result of `_poor` for classes; empty for a single class.

    A model that is right no more often than the most frequent class, within the error bound, may still detect the rarer
    classes. The mean recall distinguishes such a model from a guess.

    wanted, found: the indices of the right classes and of the classes that the model computes, (samples,).
    """
    right, classes = wanted == found, np.unique(wanted)
    if len(classes) < 2:
        return ""
    share, usual = float(right.mean()), max(float((wanted == label).mean()) for label in classes)
    recall = float(np.mean([right[wanted == label].mean() for label in classes]))
    skill = (recall - 1 / len(classes)) / (1 - 1 / len(classes))
    error = DEVIATIONS * math.sqrt(usual * (1 - usual) / len(wanted))
    if skill > (HALF_WAY if share <= usual + error else POOR):
        return ""
    return f"is right about {share:.1%} of it; always choosing the most frequent class gives {usual:.1%}"


def _missing(reals: ModuleOp, data: Data) -> Sequence[str]:
    known = answers_of(reals)
    if data.y is None or known.classes is None:
        return ()
    labels = known.labels or range(known.classes)
    return tuple(str(label) for index, label in enumerate(labels) if not (data.y == index).any())


def _far(data: Data, others: Data) -> float:
    """The share of numbers in `others` whose distance from the range of `data` exceeds the width of the range.

    Each element has its own range. Because some pixels never vary, the median width replaces a smaller width.
    """
    low, high = _ends(data.x)
    reach = np.maximum(high - low, np.median(high - low))
    return float(((others.x < low - reach) | (others.x > high + reach)).mean())


def _ends(x: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.fmin.reduce(x).astype(np.float64), np.fmax.reduce(x).astype(np.float64)
