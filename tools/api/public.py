"""The names of the module `tinyml`, which loads them from here when they are first used."""

from importlib.metadata import version

from tinyml.dialects.distribution import DISTRIBUTION
from tinyml.dialects.errors import InputError
from tinyml.tools.api.compilation import compile
from tinyml.tools.api.loading import Model, load
from tinyml.tools.api.measurement import Explanation, Measurements
from tinyml.tools.api.program import Program, open
from tinyml.tools.reports.report_fields import FunctionReport, RamBytes, Report

__all__ = [
    "Explanation",
    "FunctionReport",
    "InputError",
    "Measurements",
    "Model",
    "Program",
    "RamBytes",
    "Report",
    "__version__",
    "compile",
    "load",
    "open",
]

__version__ = version(DISTRIBUTION)
