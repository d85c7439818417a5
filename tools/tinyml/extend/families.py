"""Families: models among which `tinyml design` chooses.

A `Family` is a space of parameters, each `Choices` or an `Interval`, and a function that trains the model of a point of
this space. The model is any object that `tinyml.load` accepts and that has a method `predict`.
"""

from tinyml.dialects.errors import InputError
from tinyml.tools.design.families import Choices, Family, Interval, Parameters, TableShape

__all__ = [
    "Choices",
    "Family",
    "InputError",
    "Interval",
    "Parameters",
    "TableShape",
]
