"""Metrics: figures by which programs are compared.

A `Metric` has a figure, a function from the `Answers` of a program to a number, and states whether it takes classes,
scores or numbers. `--metric NAME` counts the loss of the figure from reals to formats.
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
