"""The estimator that trains a small network, and the samples that it trains on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyml.tools.models.descent import Descent, Network, descend

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_base: Any = import_module("sklearn.base")
_multiclass: Any = import_module("sklearn.utils.multiclass")
_utils: Any = import_module("sklearn.utils")
_validation: Any = import_module("sklearn.utils.validation")

TOGETHER = 1000
"""The number of samples whose scores are computed at once."""

RANGE_SHARE = 0.1
"""A feature is divided by its deviation, or by this share of its range if that is greater. A pixel that is dark in most
images thus does not become the strongest feature of the others.
"""


@dataclass(frozen=True)
class Standard:
    """The mean and the scale of each feature in training. Constant features are left out.

    used: true for the features that vary.
    """

    mean: Array
    scale: Array
    used: Array

    @classmethod
    def of(cls, x: Array, weights: Array, channels: int) -> Standard:
        """The standard of weighted samples.

        channels: the number of features with a standard of their own; those that follow are the same at later times.
        """
        rows = x.reshape(-1, channels)
        repeated = np.repeat(weights, x.shape[1] // channels)
        mean = np.average(rows, 0, repeated)
        deviation = np.sqrt(np.average((rows - mean) ** 2, 0, repeated))
        span = np.ptp(rows, axis=0)
        used = span > 0
        scale = np.where(used, np.maximum(deviation, RANGE_SHARE * span), 1.0)
        if not used.any():
            used = np.ones_like(used)
        times = x.shape[1] // channels
        return cls(*(np.tile(numbers, times) for numbers in (mean, scale, used)))

    def __call__(self, x: Array) -> Array:
        """Samples with standardised features that vary, in single precision."""
        return ((x[:, self.used] - self.mean[self.used]) / self.scale[self.used]).astype(np.float32)

    def unscaled(self, matrix: Array) -> Array:
        """A matrix (rows, features) for features without a standard, from one for standardised features that vary."""
        full = np.zeros((len(matrix), len(self.mean)))
        full[:, self.used] = matrix / self.scale[self.used]
        return full


@dataclass(frozen=True)
class Samples:
    """What a network is trained on.

    * x: standardised samples (samples, features).
    * labels: the class index of each sample.
    * weights: a positive weight for each sample, of mean 1.
    * scores: the number of scores: one for two classes, otherwise one for each class.
    """

    x: Array
    labels: Array
    weights: Array
    scores: int


class GradientClassifier(_base.ClassifierMixin, _base.BaseEstimator):
    """A classifier of scikit-learn that trains a small network by its gradients."""

    epochs: int
    batch_size: int | str
    learning_rate: float
    alpha: float
    random_state: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on samples (samples, features) and a label for each; return the estimator.

        sample_weight: a nonnegative weight for each sample; by default they are equal. A weight of 2 is the same as a
            sample that is repeated.

        Raises `ValueError` for NaN, for labels of one class and for parameters out of their ranges, and `TypeError` for
        parameters of another type.
        """
        check_int("epochs", self.epochs, 1)
        check_real("learning_rate", self.learning_rate, above=0)
        check_real("alpha", self.alpha, least=0)
        if self.batch_size != "auto":
            check_int("batch_size", self.batch_size, 1)
        self._check_parameters()
        x, y = _validation.validate_data(self, X, y, dtype=[np.float64, np.float32])
        _multiclass.check_classification_targets(y)
        weights = _checked_weights(x, sample_weight)
        seed = _utils.check_random_state(self.random_state).randint(2**31 - 1)
        x, y, weights = _distinct(x, y, weights)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least 2 classes in the data, but the data contains only "
                f"one class: {self.classes_[0]}"
            )
        random = np.random.default_rng(seed)
        standard = Standard.of(x, weights, self._channels)
        scores = len(self.classes_) if len(self.classes_) > 2 else 1
        samples = Samples(standard(x), labels, (weights / weights.mean()).astype(np.float32), scores)
        network = self._network(samples, random)
        batch = self.batch_size if isinstance(self.batch_size, Integral) else min(256, max(32, len(x) // 32))
        how = Descent(self.epochs, int(batch), self.learning_rate, self.alpha, self._densities())
        descend(network, samples.x, labels, samples.weights, how, random)
        self._keep(network, standard)
        return self

    def decision_function(self, X: Any) -> Array:
        """The scores of samples: (samples, classes), or (samples,) for two classes, positive for the second."""
        _validation.check_is_fitted(self)
        x = _validation.validate_data(self, X, dtype=[np.float64, np.float32], reset=False).astype(np.float64)
        parts = [self._scores(x[start : start + TOGETHER]) for start in range(0, len(x), TOGETHER)]
        scores = np.concatenate(parts)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Array:
        """The label with the greatest score for each sample."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(1)]

    def predict_proba(self, X: Any) -> Array:
        """The softmax of the scores, or the sigmoid of the single score: (samples, classes)."""
        scores = self.decision_function(X)
        logits = np.stack([np.zeros_like(scores), scores], 1) if scores.ndim == 1 else scores
        powers = np.exp(logits - logits.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    @property
    def nonzeros_(self) -> int:
        """The number of nonzero numbers of the fitted model."""
        _validation.check_is_fitted(self)
        return sum(int(np.count_nonzero(numbers)) for numbers in self._numbers)

    @property
    def _channels(self) -> int:
        """The number of features that are standardised separately."""
        return self.n_features_in_

    @staticmethod
    def _stored(numbers: Array) -> Array:
        """Numbers in double precision that the program stores without loss in single precision."""
        return np.asarray(numbers, np.float32).astype(np.float64)

    # What a network's estimator defines.

    def _check_parameters(self) -> None:
        raise NotImplementedError

    def _densities(self) -> Mapping[str, float]:
        raise NotImplementedError

    def _network(self, samples: Samples, random: np.random.Generator) -> Network:
        raise NotImplementedError

    def _keep(self, network: Any, standard: Standard) -> None:
        """Store the fitted attributes, for features without a standard."""
        raise NotImplementedError

    def _scores(self, x: Array) -> Array:
        """The scores (samples, scores) of samples in double precision."""
        raise NotImplementedError

    @property
    def _numbers(self) -> tuple[Array, ...]:
        """The arrays that the program stores."""
        raise NotImplementedError


def _checked_weights(x: Array, given: Any) -> Array:
    if given is None:
        return np.ones(len(x))
    weights = _validation.check_array(given, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.shape != (len(x),):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(len(x),)}: one weight for each sample")
    if weights.min() < 0:
        raise ValueError("sample_weight contains negative numbers, which are no weights")
    if weights.max() == 0:
        raise ValueError("every number of sample_weight is zero: there is no sample to learn from")
    return weights


def _distinct(x: Array, y: Array, weights: Array) -> tuple[Array, Array, Array]:
    """The distinct samples of positive weight with the sums of their weights, in an order that depends on the samples
    alone. A weight is thus the same as a repetition, and the order of the samples does not matter.
    """
    x, y, weights = (array[weights > 0] for array in (x, y, weights))
    labels = np.unique(y, return_inverse=True)[1].astype(np.int64)
    rows = zip(np.ascontiguousarray(x), labels, strict=True)
    digests = np.array(
        [blake2b(row.tobytes() + label.tobytes(), digest_size=16).digest() for row, label in rows], "V16"
    )
    _, first, inverse = np.unique(digests, return_index=True, return_inverse=True)
    return x[first], y[first], np.bincount(inverse, weights)


def check_int(name: str, value: Any, least: int) -> None:
    """Raise `TypeError` or `ValueError` unless a parameter is an integer of at least `least`."""
    _utils.check_scalar(value, name, Integral, min_val=least)


def check_real(name: str, value: Any, *, above: float | None = None, least: float | None = None) -> None:
    """Raise `TypeError` or `ValueError` unless a parameter is a finite number above `above`, or of at least `least`."""
    bound, boundaries = (least, "both") if above is None else (above, "neither")
    _utils.check_scalar(value, name, Real, min_val=bound, include_boundaries=boundaries)
    if not np.isfinite(value):
        raise ValueError(f"{name} == {value}, must be finite.")


def check_density(name: str, value: Any) -> None:
    """Raise `TypeError` or `ValueError` unless a parameter is a fraction above 0, up to 1."""
    _utils.check_scalar(value, name, Real, min_val=0, max_val=1, include_boundaries="right")
