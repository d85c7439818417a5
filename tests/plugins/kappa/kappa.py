"""Cohen's kappa: the agreement of predicted and true classes beyond the agreement by chance."""

import numpy as np

from tinyml.extend.metrics import CLASSES, Answers, Metric


def kappa(answers: Answers, of: int | None) -> float:
    """The kappa of predictions: 1 if all are right, 0 for agreement by chance.

    of: unused, since the metric is not defined for a single class.
    """
    assert answers.classes is not None
    assert answers.labels is not None
    predicted, right = answers.classes, answers.labels
    length = 1 + int(max(predicted.max(initial=0), right.max(initial=0)))
    shares = [np.bincount(part, minlength=length) / len(part) for part in (predicted, right)]
    agreed, chance = float((predicted == right).mean()), float(shares[0] @ shares[1])
    return 1.0 if chance == 1 else (agreed - chance) / (1 - chance)


KAPPA = Metric("kappa", "points of Cohen's kappa", "points of kappa lost", kappa, CLASSES)
