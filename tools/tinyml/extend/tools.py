"""Tools: commands, alternatives of `--format auto`, and scripts that run commands.

The options of a command are the fields of a dataclass, declared by `option`. The function that runs a command imports
the modules that take time to load, such as `tinyml.extend.programs`, so that the help of the command is printed at
once.
"""

from tinyml.dialects.errors import InputError, did_you_mean, unknown
from tinyml.dialects.options import OptionGroup, option, options_of
from tinyml.dialects.package_metadata import install_command
from tinyml.tools.cli.arguments import add_options, parsed
from tinyml.tools.cli.atomic_output import atomic_folder, json_results, write_file
from tinyml.tools.cli.common_options import PrintOptions
from tinyml.tools.driver.choice.alternatives import Alternative, with_feature_scales
from tinyml.tools.main import main as run_tinyml

__all__ = [
    "Alternative",
    "InputError",
    "OptionGroup",
    "PrintOptions",
    "add_options",
    "atomic_folder",
    "did_you_mean",
    "install_command",
    "json_results",
    "option",
    "options_of",
    "parsed",
    "run_tinyml",
    "unknown",
    "with_feature_scales",
    "write_file",
]
