"""The public names of the module `tinyml`, loaded on first use."""

from importlib.metadata import version
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError as InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.package_metadata import DISTRIBUTION
from tinyml.tools.api.compilation import compile as compile
from tinyml.tools.api.loading import Model as Model
from tinyml.tools.api.loading import load as load
from tinyml.tools.api.program import CompileWarning as CompileWarning
from tinyml.tools.api.program import Program as Program
from tinyml.tools.api.program import open as open
from tinyml.tools.api.runs import Explanation as Explanation
from tinyml.tools.api.runs import Measurements as Measurements
from tinyml.tools.reports.report_fields import FunctionReport as FunctionReport
from tinyml.tools.reports.report_fields import RamBytes as RamBytes
from tinyml.tools.reports.report_views import Report as Report

if TYPE_CHECKING:
    from tinyml.tools.api.sweep import SweepRow as SweepRow
    from tinyml.tools.api.sweep import sweep as sweep
    from tinyml.tools.api.training import finetune as finetune
    from tinyml.tools.api.training import torch_layer as torch_layer
    from tinyml.tools.design.design import Design as Design
    from tinyml.tools.design.design import DesignedProgram as DesignedProgram
    from tinyml.tools.design.design import design as design
    from tinyml.tools.driver.heard import Heard as Heard
    from tinyml.tools.driver.heard import Word as Word

__version__ = version(DISTRIBUTION)

ON_USE = {
    "Design": "tinyml.tools.design.design:Design",
    "DesignedProgram": "tinyml.tools.design.design:DesignedProgram",
    "Heard": "tinyml.tools.driver.heard:Heard",
    "SweepRow": "tinyml.tools.api.sweep:SweepRow",
    "Word": "tinyml.tools.driver.heard:Word",
    "design": "tinyml.tools.design.design:design",
    "finetune": "tinyml.tools.api.training:finetune",
    "sweep": "tinyml.tools.api.sweep:sweep",
    "torch_layer": "tinyml.tools.api.training:torch_layer",
}
"""The names provided by extensions, imported on first use."""


def __getattr__(name: str) -> object:
    if name not in ON_USE:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return imported(ON_USE[name])
