"""Loading of data sets that fit a program."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from tinyml.runtime.model.data import Data, load_data
from tinyml.runtime.model.model_interface import interface_of


def load_program_data(module: ModuleOp, file: str) -> Data:
    """Read the data set of a program: samples as long as its input, labels among its classes.

    Raises `InputError` for a file that cannot be read, and for one whose samples or labels do not fit.
    """
    interface = interface_of(module)
    return load_data(file, elements=interface.input_length, classes=interface.classes)
