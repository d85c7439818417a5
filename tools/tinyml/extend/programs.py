"""Programs: the data of a compiled program for commands, exporters, parts of the report and package folders.

`load_program` imports a model; `program_in` returns the program in a folder that `tinyml compile` wrote. A `Packaging`
writes the folder of `tinyml compile --package NAME` for a `PackagedModel`. A part of the report is created from a
`Report`.
"""

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.locations import error_at
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, evaluate_reals, predict_function
from tinyml.runtime.model.data import Data
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.program_data import load_program_data
from tinyml.tools.cli.filled_templates import filled_templates
from tinyml.tools.driver.output_folder import read_report
from tinyml.tools.driver.packages.model_words import model_words, stored_samples
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging
from tinyml.tools.driver.program_in_folder import ProgramInFolder, program_in
from tinyml.tools.driver.request import ModelArgument, TargetOptions
from tinyml.tools.driver.stages import load_program, print_ir
from tinyml.tools.reports.report_views import Report

__all__ = [
    "Data",
    "InputError",
    "Interface",
    "ModelArgument",
    "Outputs",
    "PackagedModel",
    "Packaging",
    "ProgramInFolder",
    "Report",
    "TargetOptions",
    "context",
    "encode_inputs",
    "error_at",
    "evaluate",
    "evaluate_reals",
    "filled_templates",
    "load_program",
    "load_program_data",
    "model_words",
    "predict_function",
    "print_ir",
    "program_in",
    "read_report",
    "stored_samples",
    "tdsl",
]
