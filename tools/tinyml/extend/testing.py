"""Tests: helpers for the tests of a package.

`check_numbers`, `check_sums` and `check_groups` compare a number format with reals. `evaluate` runs a program in its
formats, `evaluate_reals` in double precision. `run_tinyml` and `run_tinyml_opt` run the commands.
"""

from tinyml.runtime.devices.registry import is_available, runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, evaluate_reals
from tinyml.targets.registry import board, chip_of
from tinyml.tools.main import main as run_tinyml
from tinyml.tools.tinyml_opt import main as run_tinyml_opt
from tinyml.transforms.formats.evaluation.group_checks import check_groups
from tinyml.transforms.formats.evaluation.number_checks import check_numbers
from tinyml.transforms.formats.evaluation.sum_checks import check_sums

__all__ = [
    "Outputs",
    "board",
    "check_groups",
    "check_numbers",
    "check_sums",
    "chip_of",
    "encode_inputs",
    "evaluate",
    "evaluate_reals",
    "is_available",
    "run_tinyml",
    "run_tinyml_opt",
    "runner_for",
]
