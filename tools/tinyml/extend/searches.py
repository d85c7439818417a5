"""Searches: algorithms that choose the formats of a program's tensors.

A search derives from `SearchPass`, or from `LimitedPass` if it observes limits on memory. It queries a `Search` for the
losses of candidates, and returns a `SearchResult`. Its name must begin with `search-`, because tinyml finds searches by
this prefix.
"""

from tinyml.dialects.errors import InputError
from tinyml.transforms.formats.assignment.score_errors import ScoreErrors
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, TensorClass, with_choice
from tinyml.transforms.search.engine.result import FrontPoint, SearchResult
from tinyml.transforms.search.engine.search import Feasibility, Limits, Search
from tinyml.transforms.search.engine.search_options import (
    flash_option,
    loss_option,
    metric_option,
    ram_option,
    widths_option,
)
from tinyml.transforms.search.engine.search_pass import LimitedPass, SearchPass

__all__ = [
    "Feasibility",
    "FormatChoice",
    "FrontPoint",
    "InputError",
    "LimitedPass",
    "Limits",
    "ScoreErrors",
    "Search",
    "SearchPass",
    "SearchResult",
    "TensorClass",
    "flash_option",
    "loss_option",
    "metric_option",
    "ram_option",
    "widths_option",
    "with_choice",
]
