"""The sources, the IR and the samples in the output folder of `tinyml compile`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.tools.cli.atomic_file import write_file

if TYPE_CHECKING:
    from tinyml.runtime.model.data import Data
    from tinyml.tools.driver.stages import Compiled

MEASURED_SAMPLES = 5
"""Number of inputs that are run on the device for the report."""

SAMPLES = "samples.npz"
"""The file of these inputs."""

SEARCH_PICTURE = "search.svg"
"""The picture of a search's choices and candidates, written if matplotlib is installed."""

MEMORY_PICTURE = "memory.svg"
"""The picture of the arena over time."""


def write_sources(folder: Path, compiled: Compiled, data: Data) -> None:
    """Write NAME.c, NAME.h, NAME.weights if there are any, the IR of every level and the measured samples."""
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.runtime.model.program_data import in_file_order
    from tinyml.targets.c.print_c import loaded_content
    from tinyml.targets.chip import WEIGHTS

    name = interface_of(compiled.formats).name
    files = {f"{name}.c": compiled.source, f"{name}.h": compiled.header}
    files |= {f"ir/{stage.file}": stage.text for stage in compiled.stages}
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text)
    if content := loaded_content(compiled.program):
        write_file(folder / f"{name}{WEIGHTS}", content)
    samples = io.BytesIO()
    np.savez(samples, x=in_file_order(compiled.formats, data.x[:MEASURED_SAMPLES]))
    write_file(folder / SAMPLES, samples.getvalue())
