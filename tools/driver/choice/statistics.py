"""The statistics of a choice: the counted and the expected loss of a program, and a bound on the loss.

The primary evidence is the number of samples whose answer becomes wrong or right. This number is small, and may be zero
by chance. The margins of the samples provide more evidence. The margin of a sample is the score of the right class
minus the best other score. The program changes every margin.

A sample near the border between classes represents neighbouring samples of the same distribution. The margin on reals
and the margin in the program are therefore shifted by the same random number. The expected loss of the sample is the
decrease of the probability that the shifted margin is positive. This expectation is based on a model of the errors. The
model may be wrong if the errors have a systematic direction. The judged loss is therefore the greater of the counted
and the expected loss. The judged bound is likewise the greater of the two bounds.

Dependent samples form a group, which the bound treats as a unit. An array `groups` in the data file assigns each sample
to a group, such as the person who recorded the sample. With an array `time`, consecutive samples form groups whose size
is the square root of the number of samples. Otherwise each sample is its own group.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.runtime.readers.arrays import ArrayHeader, read_npz
from tinyml.tools.driver.choice.output_errors import OutputError, greatest_growth, score_error
from tinyml.tools.driver.data_faults import CONFIDENCE, DEVIATIONS
from tinyml.tools.driver.detection import far_samples, moved, rank_losses
from tinyml.tools.reports.facts.faults import FEW_SAMPLES, SCORES_OFF
from tinyml.transforms.formats.evaluation.answers import Answers, labelled_anomalies
from tinyml.transforms.formats.evaluation.metrics import CLASSES, Measure, places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.runtime.model.data import Data
    from tinyml.transforms.formats.evaluation.reference import Reference

MARGIN_DISTANCE = 0.5
"""The distance in points from the loss to its bound by margins above which margins are ignored and the bound
decides.
"""

NORMAL_SAMPLES = 400
"""The number of changed samples above which the net loss is approximately normal."""

COMPARABLE = 2.0
"""The multiple of the shifts' deviation within which samples are near the border."""

ERROR_QUANTILE = 0.9
"""The quantile of errors near the border that limits the errors of samples that stay on their side."""

PARTS = 50
"""Maximum parts of the samples that are left out in turn to estimate a standard error."""

LEAST_PROBABILITY = 2.0**-10
"""The probability below which differences do not count: a number format of few bits may round it to 0."""

ROUNDED_SUM = 1e-3
"""The greatest distance of a sum of probabilities on reals from 1."""

MOST_NEEDED = 20
"""The greatest ratio of the samples that would decide on a loss to the samples of the data, for which it is stated."""

GROUPS, TIME = "groups", "time"
"""The arrays of a data file that describe dependent samples."""


@dataclass(frozen=True)
class Loss:
    """The loss of a program on samples, compared with the model on reals.

    points: the judged loss, the greater of the counted and the expected loss in net percentage points of accuracy.
        Without labels it is the percentage of changed answers. For numbers instead of classes it is the percentage by
        which an output's error grows. For a detector it is 100 times the decrease of the area under the ROC curve or of
        the rank correlation, or the percentage of changed decisions far from the threshold, if that is greater. For
        probabilities that callers read, it is 100 times the increase of the log-loss in nats: the percentage by which
        the probability of the right answer falls, as a geometric mean.
    bound: the maximum loss in points, with 95 % confidence, on data of the same kind.
    lost, gained: the numbers of counted samples, 0 for numbers.
    changed: the number of samples whose class changes, among them those that are wrong before and after.
    samples: the number of samples.
    groups: the number of independent groups.
    counted: false for a model that returns numbers, whose loss is not a count of samples.
    labelled: False if every changed answer counts as lost.
    likely: the maximum loss in points if the margins of other data change as the margins of the samples do. For few
        samples, it is less than the bound. For a detector, it is the bound. None without reliable margins.
    error: the output error of a program that computes numbers, except a detector.
    scores: the greatest error of a classifier's scores as a share of their range, if callers read them; else None.
    metric: the metric of points, if it is not accuracy.
    log_losses: the log-losses of the model on reals and of the program, if probabilities are judged; without labels,
        the program is compared with the model's probabilities.
    """

    points: float
    bound: float
    lost: int
    gained: int
    samples: int
    groups: int
    counted: bool = True
    likely: float | None = None
    labelled: bool = True
    error: OutputError | None = None
    scores: float | None = None
    metric: str = ""
    changed: int = 0
    log_losses: tuple[float, float] | None = None

    @classmethod
    def of_json(cls, fields: Mapping[str, Any]) -> Loss:
        """Create a loss from the fields that `asdict` returned; raises `TypeError` for other fields."""
        pair = fields["log_losses"]
        error = fields["error"] and OutputError(**fields["error"])
        return replace(cls(**fields), error=error, log_losses=pair and (pair[0], pair[1]))

    @property
    def net(self) -> float:
        """The counted net loss of accuracy on the samples, in percentage points."""
        return 100 * (self.lost - self.gained) / self.samples

    @property
    def change(self) -> str:
        """The loss as text; if the loss of scores is too great, that loss instead. A gain is stated only if the samples
        prove that there is one.
        """
        if self.error is not None:
            return self.error.change
        if self.scores is not None and self.scores > SCORES_OFF:
            return f"scores differ by up to {self.scores:.0%} of their range"
        if self.log_losses is not None:
            return f"log-loss {self.log_losses[1]:.4f} instead of {self.log_losses[0]:.4f}"
        return self._of_points(self.points)

    @property
    def counted_change(self) -> str:
        """The net loss that was counted on the samples, as text like `change`."""
        return self._of_points(self.net)

    def _of_points(self, points: float) -> str:
        points, of = round(points, 2), f" of {self.metric}" if self.metric else ""
        if points > 0:
            return f"loses {points:.2f} points{of}"
        return f"gains {-points:.2f} points{of}" if points < 0 and self.bound < 0 else f"no loss{of} seen"

    @property
    def risk(self) -> tuple[float, ...]:
        """The key by which the safety of programs is compared: lost samples, gained samples, the bound, the bound from
        margins.

        Gains do not make a program safer, since gains in a small data set are mostly due to chance.
        """
        if self.log_losses is not None:
            return max(self.points, 0.0), self.bound
        return self.lost, self.gained, self.bound, self.bound if self.likely is None else self.likely

    def allowed(self, loss: float) -> bool:
        """Whether the counted and the expected loss are at most `loss`. For a classifier and `loss` 0, only the counted
        net loss is compared.

        False if the scores have too great an error.
        """
        if self.scores is not None and self.scores > SCORES_OFF:
            return False
        if loss <= 0 and self.counted:
            return self.lost <= self.gained
        # The log-loss of any other arithmetic differs in some digit.
        points = self.points if self.log_losses is None else round(self.points, 2)
        return points <= loss

    def certain(self, loss: float) -> bool:
        """Whether a loss is allowed and either its bound is also allowed, or the margins of enough samples confirm
        it.
        """
        limit = max(loss, 0.0)
        likely = self.groups >= FEW_SAMPLES and self.likely is not None and self.likely - self.points <= MARGIN_DISTANCE
        return self.allowed(loss) and (self.bound <= limit or likely)


@dataclass(frozen=True)
class Detector:
    """A detector of anomalies, which are samples with a score below a threshold.

    anomalous: marks the samples labelled as anomalies (samples,); None without labels.
    far: samples (any number, elements) outside the distribution of normal data.
    far_scores: the scores of these samples on reals.
    """

    threshold: float
    anomalous: NDArray[np.bool_] | None
    far: NDArray[Any]
    far_scores: NDArray[np.float64]

    @staticmethod
    def of(reals: ModuleOp, data: Data, threshold: float) -> Detector:
        """Create the detector for a program on reals and a data set."""
        far = far_samples(data.x)
        scores = evaluate_reals(reals, far).scores
        assert scores is not None
        return Detector(threshold, labelled_anomalies(data), far, scores[:, 0])

    @property
    def judged(self) -> NDArray[np.bool_] | None:
        """The mask of samples labelled as anomalies; None unless both normal samples and anomalies are labelled."""
        bad = self.anomalous
        return None if bad is None or bad.all() or not bad.any() else bad

    def loss(self, exact: NDArray[np.float64], computed: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the share that the scores of a program lose, and the parts (samples,) whose squares determine its
        variance.

        If both kinds of samples are labelled, the loss is the decrease of the area under the ROC curve, otherwise 1
        minus the rank correlation. The variance of the area is computed from the ranks of the anomalies among the
        normal samples, and of the normal samples among the anomalies (DeLong and others, "Comparing the Areas under Two
        or More Correlated Receiver Operating Characteristic Curves", 1988).
        """
        bad = self.judged
        if bad is None:
            parts = rank_losses(exact, computed)
            return float(parts.mean()), parts
        parts = np.zeros(len(exact))
        for kind in (bad, ~bad):
            falls = places(exact[kind], exact[~kind]) - places(computed[kind], computed[~kind])
            parts[kind] = (falls if kind is bad else -falls) * len(exact) / kind.sum()
        # The mean of the placements of either kind is the area.
        return float(parts.mean()) / 2, parts


@dataclass(frozen=True)
class LossModel:
    """A model that computes the losses of programs, compared with the model on reals.

    classes: the classes of the model on reals (samples,).
    labels: the right classes, or None.
    scores: (samples, classes) or, for two classes, (samples, 1), positive for the second class; None for a program
        without scores.
    groups: the group of each sample, numbered from 0.
    numbers: True if the scores are numbers that determine no class.
    detector: set for a program that detects anomalies, whose score is a number.
    targets: the target numbers (samples, outputs), or None.
    scored: True for a classifier whose callers read the scores.
    metric: a metric that replaces the usual losses, or None.
    answers: the answers on reals.
    """

    classes: NDArray[np.int64]
    labels: NDArray[np.int64] | None
    scores: NDArray[np.float64] | None
    groups: NDArray[np.int64]
    numbers: bool
    detector: Detector | None = None
    targets: NDArray[np.float64] | None = None
    scored: bool = False
    metric: Measure | None = None
    answers: Answers | None = None

    @staticmethod
    def of(
        reference: Reference,
        groups: NDArray[np.int64],
        detector: Detector | None = None,
        *,
        scored: bool = False,
        metric: str | None = None,
    ) -> LossModel:
        """Create the model of losses from a reference; samples and groups are in the order of the data set.

        scored: true if callers read the scores of a classifier.
        metric: as in `LossModel`, by name; None for none.
        """
        place = np.empty_like(reference.order)
        place[reference.order] = np.arange(len(place))
        labels = None if reference.labels is None else reference.labels[place]
        scores = None if reference.scores is None else reference.scores[place]
        targets = None if reference.targets is None else reference.targets[place]
        numbers = not reference.has_answers
        scored = scored and not numbers and scores is not None
        judge = LossModel(reference.classes[place], labels, scores, groups, numbers, detector, targets, scored)
        if metric is None or not reference.has_figure(metric):
            return judge
        return replace(judge, metric=reference.measure(metric), answers=reference.answers.part(place))

    @property
    def right(self) -> NDArray[np.int64]:
        """The right class of each sample; without labels, the class that the model on reals computes."""
        return self.classes if self.labels is None else self.labels

    @cached_property
    def margins(self) -> NDArray[np.float64] | None:
        """The margin of each sample on reals (samples,); None for scores that do not determine the class."""
        if self.scores is None or self.numbers:
            return None
        own = margins_of(self.scores, self.classes)
        return None if (own < 0).any() else margins_of(self.scores, self.right)

    @property
    def by_error(self) -> bool:
        """Whether programs are judged by the errors of their numbers; False for the score of a detector."""
        return self.numbers and self.detector is None and self.metric is None

    @cached_property
    def by_probabilities(self) -> bool:
        """Whether programs are judged by the log-loss of their probabilities, which callers read."""
        if not self.scored or self.metric is not None or self.scores is None:
            return False
        return are_probabilities(self.scores, self.classes)

    def net(self, classes: NDArray[np.int64], samples: NDArray[np.intp]) -> int:
        """The net number of samples lost among `samples`.

        classes: the program's classes of these samples.
        """
        right = self.right[samples]
        return int((self.classes[samples] == right).sum()) - int((classes == right).sum())

    def loss(self, classes: NDArray[np.int64], scores: NDArray[np.float64] | None) -> Loss:
        """The loss of a program on all samples.

        scores: the scores that determine the class, or the program's numbers.
        """
        if self.numbers:
            assert self.scores is not None
            assert scores is not None
            if self.detector is None:
                error = greatest_growth(self.scores, scores, self.targets, lambda parts: self._margin(parts) / 100)
                return Loss(error.growth, error.bound, 0, 0, len(classes), self._count, counted=False, error=error)
            exact, computed = self.scores[:, 0], scores[:, 0]
            share, parts = self.detector.loss(exact, computed)
            found, threshold = computed < self.detector.threshold, self.detector.threshold
            others = self._estimate(moved(exact, found, threshold, float(np.ptp(exact))).astype(float))
            points, bound = map(max, zip((100 * share, 100 * share + self._margin(parts)), others, strict=True))
            return Loss(points, bound, 0, 0, len(classes), self._count, counted=False, likely=bound)
        exact, mine = self.classes == self.right, classes == self.right
        lost, gained = int((exact & ~mine).sum()), int((~exact & mine).sum())
        points, bound = self._estimate(parts := exact.astype(float) - mine)
        # Samples of a group that change together count as one.
        alike = max(1.0, float((self._sums(parts) ** 2).sum()) / max(lost + gained, 1))
        alone = [math.ceil(count / alike) for count in (lost, gained, len(classes))]
        bound = max(bound if alike > 1 else 0.0, 100 * upper_bound(alone[0], alone[1], alone[2]))
        changed = int((self.classes != classes).sum())
        likely = None
        if self.margins is not None and scores is not None:
            expected, likely = self._estimate(lost_chances(self.margins, margins_of(scores, self.right)))
            points, bound = max(points, expected), max(bound, likely)
        counted = Loss(points, bound, lost, gained, len(classes), self._count, likely=likely, changed=changed)
        return replace(counted, labelled=self.labels is not None)

    def loss_by_metric(self, classes: NDArray[np.int64], scores: NDArray[np.float64] | None) -> Loss:
        """The loss of a program as the decrease of the metric over all samples.

        scores: the scores as reals.

        The bound follows from the standard error of the difference, which the jackknife estimates over parts of the
        samples. If few answers change, the bound is the bound for the same number of counted samples.
        """
        assert self.metric is not None
        assert self.answers is not None
        measure, labels = self.metric, self.answers.labels
        if scores is not None and self.detector is not None:
            # A low score of a detector indicates an anomaly.
            scores = -scores
        known = None if self.answers.classes is None else classes
        answers = replace(self.answers, classes=known, scores=scores)
        points = measure.loss(measure.figure(answers))
        parts = self.groups % min(PARTS, int(self.groups.max()) + 1)
        kept = [parts != part for part in range(int(parts.max()) + 1)]
        falls = [
            replace(measure, on_reals=measure.figure(self.answers.part(rest))).loss(measure.figure(answers.part(rest)))
            for rest in kept
        ]
        bound = points + DEVIATIONS * math.sqrt((len(falls) - 1) * float(np.var(falls)))
        count = int(self.groups.max()) + 1
        if labels is not None:
            own = np.ones(len(labels), bool) if measure.of is None else labels == measure.of
            count = min(len(np.unique(self.groups[kind])) for kind in (own, ~own) if kind.any())
            if measure.metric.of == CLASSES and self.answers.classes is not None and answers.classes is not None:
                exact, mine = self.answers.classes[own] == labels[own], answers.classes[own] == labels[own]
                lost, gained = int((exact & ~mine).sum()), int((~exact & mine).sum())
                asked = len(np.unique(self.groups[own]))
                bound = max(bound, 100 * upper_bound(min(lost, asked), min(gained, asked), asked))
        return Loss(points, bound, 0, 0, len(answers), count, counted=False, likely=bound, metric=measure.name)

    def loss_of_probabilities(self, classes: NDArray[np.int64], scores: NDArray[np.float64]) -> Loss:
        """The loss of a classifier whose callers read its probabilities (samples, classes): the increase of the
        log-loss.
        """
        assert self.scores is not None
        exact, computed = (log_losses(each, self.scores, self.labels) for each in (self.scores, scores))
        points, bound = self._estimate(computed - exact)
        before, after = self.classes == self.right, classes == self.right
        return Loss(
            points,
            bound,
            int((before & ~after).sum()),
            int((~before & after).sum()),
            len(classes),
            self._count,
            counted=False,
            likely=bound,
            labelled=self.labels is not None,
            changed=int((self.classes != classes).sum()),
            log_losses=(float(exact.mean()), float(computed.mean())),
        )

    def scores_off(self, scores: NDArray[np.float64]) -> float:
        """The greatest error of scores (samples, classes), as a share of their range on reals."""
        assert self.scores is not None
        return score_error(self.scores, scores)

    def with_far(self, loss: Loss, scores: NDArray[np.float64]) -> Loss:
        """A copy of a detector's loss whose points and bound are at least the percentage of far samples whose decision
        differs from the decision on reals.

        scores: the program's scores of the far samples (any number,).
        """
        assert self.detector is not None
        assert self.scores is not None
        exact, threshold = self.detector.far_scores, self.detector.threshold
        others = 100 * float(moved(exact, scores < threshold, threshold, float(np.ptp(self.scores))).mean())
        return replace(loss, points=max(loss.points, others), bound=max(loss.bound, others))

    @cached_property
    def _count(self) -> int:
        """The number of independent groups of samples.

        For a detector, only groups with samples of the rarer kind, normal or anomalous, count: the area under
        the ROC curve depends most on this kind.
        """
        anomalous = None if self.detector is None else self.detector.judged
        if anomalous is None:
            return int(self.groups.max()) + 1
        return min(len(np.unique(self.groups[kind])) for kind in (anomalous, ~anomalous))

    def _estimate(self, parts: NDArray[np.float64]) -> tuple[float, float]:
        """The loss in points and its bound, from the contributions of samples (samples,); a group counts as a
        unit.
        """
        points = 100 * float(parts.sum()) / len(parts)
        return points, points + self._margin(parts)

    def _margin(self, parts: NDArray[np.float64]) -> float:
        return DEVIATIONS * 100 * math.sqrt(float((self._sums(parts) ** 2).sum())) / len(parts)

    def _sums(self, parts: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of the contributions of samples (samples,) in each group of dependent samples."""
        return np.bincount(self.groups, parts).astype(np.float64)


def are_probabilities(scores: NDArray[np.float64], classes: NDArray[np.int64]) -> bool:
    """Whether scores on reals (samples, classes) are probabilities: of each class or, in a single column, of the second
    of two classes.
    """
    if (scores < 0).any() or (scores > 1 + ROUNDED_SUM).any():
        return False
    if scores.shape[1] == 1:
        return bool(((scores[:, 0] > 0.5) == (classes == 1))[scores[:, 0] != 0.5].all())
    return bool((np.abs(scores.sum(1) - 1) <= ROUNDED_SUM).all())


def log_losses(
    probabilities: NDArray[np.float64], exact: NDArray[np.float64], labels: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """The log-loss of each sample in nats (samples,). Probabilities below `LEAST_PROBABILITY` count as this number.

    probabilities: as `are_probabilities` accepts them.
    exact: the probabilities on reals, which weigh the logarithms if there are no labels.
    labels: the right classes (samples,), or None.
    """
    columns = [np.hstack([1 - each, each]) if each.shape[1] == 1 else each for each in (probabilities, exact)]
    logarithms = -np.log(np.clip(columns[0], LEAST_PROBABILITY, None))
    if labels is None:
        return (columns[1] * logarithms).sum(1)
    return logarithms[np.arange(len(labels)), labels]


def margins_of(scores: NDArray[np.float64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """The margins (samples,): the score of the right class minus the best other score.

    scores: as in `LossModel`.
    """
    if scores.shape[1] == 1:
        return (2 * right - 1) * scores[:, 0]
    rows = np.arange(len(scores))
    others = scores.astype(np.float64)
    others[rows, right] = -np.inf
    return scores[rows, right] - others.max(1)


def lost_chances(exact: NDArray[np.float64], computed: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each sample, the decrease of the probability of a right answer from the model on reals to the program.

    Margins are assumed to be randomly shifted, with a normal distribution. The standard deviation of the shift is a
    quantile of the margins' magnitudes: the number of samples with smaller magnitudes is the square root of the number
    of samples.

    A common factor of all margins changes no class. The program's margins are therefore divided by the median ratio
    near the border between classes. Great margins have great errors, mainly by saturation, which does not affect
    samples near the border. If a sample stays on its side of the border, its error is therefore limited to the usual
    error near the border.

    If the model on reals is right about all samples near the border, as it is without labels, no sample can be gained.
    Then every change is a loss. The margins are too optimistic in this case, since samples are rarer at a border than
    next to it. The result is then the mean of these probabilities and of the counted losses.

    exact, computed: margins on reals and in the program, (samples,), like the result.
    """
    sizes = np.abs(exact)
    deviation = float(np.quantile(sizes, 1 / math.sqrt(len(exact))))
    near = sizes <= COMPARABLE * deviation
    compared = near & (sizes > 0)
    factor = float(np.median(computed[compared] / exact[compared])) if compared.any() else 1.0
    scaled = computed / factor if factor > 0 else computed
    errors = scaled - exact
    usual = float(np.quantile(np.abs(errors[near]), ERROR_QUANTILE))
    stays = exact * scaled > 0
    moved = _above(exact, deviation) - _above(np.where(stays, exact + errors.clip(-usual, usual), scaled), deviation)
    if (exact[near] < 0).any():
        return moved
    counted = (np.sign(exact) - np.sign(computed)) / 2
    return (np.abs(moved) + counted) / 2


def _above(margins: NDArray[np.float64], deviation: float) -> NDArray[np.float64]:
    """The probability that a margin plus a normally distributed shift with the given deviation is above 0."""
    if deviation == 0:
        return np.where(margins == 0, 0.5, margins > 0)
    return np.array([0.5 * math.erfc(-margin / (deviation * math.sqrt(2))) for margin in margins.tolist()])


def upper_bound(lost: int, gained: int, samples: int) -> float:
    """The greatest net share of samples that data of the same kind plausibly lose, at one-sided 95 % confidence.

    If the net share were greater than the result, a net loss as small as the counted one would have a probability below
    5 %, given the counted share of gains. Without gains the result is the exact bound of Clopper and Pearson. If more
    than `NORMAL_SAMPLES` samples changed, the net loss is assumed to be normally distributed.

    lost, gained: the numbers of samples that became wrong and right among `samples`.
    """
    if lost >= samples:
        return 1.0
    share_gained = gained / samples
    if lost + gained > NORMAL_SAMPLES:
        net = bound = (lost - gained) / samples
        for _ in range(10):
            bound = net + DEVIATIONS * math.sqrt((bound + 2 * share_gained - bound**2) / samples)
        return bound
    probability = _NetLoss(lost - gained, share_gained, samples)
    low, high = lost / samples, 1.0 - share_gained
    while high - low > 1e-6:
        share = (low + high) / 2
        low, high = (share, high) if probability(share) > 1 - CONFIDENCE else (low, share)
    return high - share_gained


def needed_samples(loss: Loss, limit: float) -> int | None:
    """The number of samples, rounded up to two digits, that would rule out a loss above `limit` points if other data
    were like these.

    The bounds of more samples are computed with the same shares of lost and gained samples. If samples depend on each
    other, or if no samples are counted, the distance of the bound from the loss falls with the square root of their
    number. None if no number of samples would do, or only more than `MOST_NEEDED` times as many.
    """
    needed = 1.0
    if loss.bound > limit:
        if loss.points >= limit:
            return None
        needed = ((loss.bound - loss.points) / (limit - loss.points)) ** 2
    fewest = 0.0
    if loss.counted and loss.groups == loss.samples:
        # The counted bound falls faster if few samples changed.
        needed = 1.0
        if loss.likely is not None and loss.likely > limit:
            needed = ((loss.likely - loss.points) / (limit - loss.points)) ** 2
        fewest = _deciding(loss, limit)
    if needed > MOST_NEEDED or math.isinf(fewest):
        return None
    return _two_digits(max(math.ceil(loss.samples * needed), int(fewest)))


def _two_digits(count: int) -> int:
    digits = 10 ** max(len(str(count)) - 2, 0)
    return -(-count // digits) * digits


def _deciding(loss: Loss, limit: float) -> float:
    """The least number of samples of two digits whose counted bound is at most `limit`, or that of the loss if it
    suffices; infinite beyond `MOST_NEEDED` times as many.

    Each number is judged by itself: the bound jumps where the share of lost samples becomes another whole number.
    """
    if 100 * upper_bound(loss.lost, loss.gained, loss.samples) <= limit:
        return loss.samples
    count = _two_digits(loss.samples)
    while count <= _two_digits(MOST_NEEDED * loss.samples):
        lost, gained = (round(number * count / loss.samples) for number in (loss.lost, loss.gained))
        if 100 * upper_bound(lost, gained, count) <= limit:
            return count
        count = _two_digits(count + 1)
    return math.inf


class _NetLoss:
    """The probability that the net number of lost samples is at most `net`, as a function of the probability that a
    sample is lost.

    samples: the number of samples.
    gained: the share of samples that only the compiled program classifies correctly.
    """

    def __init__(self, net: int, gained: float, samples: int) -> None:
        expected = gained * samples
        self._most = 0 if gained == 0 else min(samples, math.ceil(expected + 8 * math.sqrt(expected) + 8))
        gains, losses = np.meshgrid(np.arange(self._most + 1), np.arange(max(net + self._most, 0) + 1))
        kept = (losses <= net + gains) & (losses + gains <= samples)
        self._gains, self._losses = gains[kept], losses[kept]
        self._rest = samples - self._gains - self._losses
        logarithms = np.append(0.0, np.cumsum(np.log(np.arange(1, samples + 1))))
        self._ways = logarithms[samples] - sum(logarithms[each] for each in (self._gains, self._losses, self._rest))
        self._gained = gained

    def __call__(self, lost: float) -> float:
        """The probability that the net number of lost samples is at most `net`.

        lost: the probability that a sample is lost, above 0. A sample that is neither lost nor gained does not count.
        """
        logarithms = self._ways + self._losses * math.log(lost)
        if self._gained > 0:
            logarithms = logarithms + self._gains * math.log(self._gained)
        return float(np.exp(logarithms + self._rest * math.log(1 - lost - self._gained)).sum())


def sample_groups(file: str, samples: int) -> tuple[NDArray[np.int64], str]:
    """Return the group of each sample of a data file, numbered from 0, and a description of the division into groups.

    Raises `InputError` for arrays `groups` and `time` that do not have one number per sample, and for a single group.
    """
    groups, time = (_numbers(file, name, samples) for name in (GROUPS, TIME))
    if time is not None:
        order = np.empty(samples, np.int64)
        order[np.argsort(time, kind="stable")] = np.arange(samples)
        return order // math.isqrt(samples), "by time"
    if groups is not None:
        names, members = np.unique(groups, return_inverse=True)
        if len(names) < 2:
            raise InputError("`groups` contains a single group, which allows no estimate for other groups", file=file)
        return members.astype(np.int64), "by groups"
    return np.arange(samples), "by sample"


def _numbers(file: str, name: str, samples: int) -> NDArray[Any] | None:
    def accept(header: ArrayHeader) -> None:
        if header.shape != (samples,) or header.dtype.kind not in "fiu":
            found = f"shape {header.shape} of {header.dtype}"
            raise InputError(f"expected `{name}` to contain {samples} numbers, got {found}", file=file)

    return read_npz(file, "data", name, accept)
