"""Metrics: figures by which programs are compared.

A `Metric` has a figure, a function from the `Answers` of a program to a number, and states whether it takes classes,
scores or numbers. With `--metric NAME`, the loss of a program is the change of the figure for the worse from reals to
formats.
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
