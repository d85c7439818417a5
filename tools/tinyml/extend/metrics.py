"""Metrics: figures by which programs are compared.

A `Metric` has a figure, a function that computes a number from the `Answers` of a program. It also states whether the
figure applies to classes, scores or numbers. With `--metric NAME`, the loss of a program is the amount by which the
figure is worse in formats than on reals.
"""

from tinyml.dialects.errors import InputError
from tinyml.transforms.formats.evaluation.answers import Answers
from tinyml.transforms.formats.evaluation.metrics import CLASSES, NUMBERS, SCORES, Metric

__all__ = [
    "CLASSES",
    "NUMBERS",
    "SCORES",
    "Answers",
    "InputError",
    "Metric",
]
