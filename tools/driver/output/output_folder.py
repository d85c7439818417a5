"""The sources, the IR and the samples in the output folder of `tinyml compile`."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np
from tinyml.tools.cli.atomic_file import write_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.runtime.model.data import Data
    from tinyml.tools.driver.measure import Accuracy
    from tinyml.tools.driver.stages import Compiled

MEASURED_SAMPLES = 5
"""Number of inputs that are run on the device for the report."""

SAMPLES = "samples.npz"
"""The file of these inputs."""

ERRORS = "errors.npz"
"""The file of samples that came out wrong, or otherwise than in the float model."""


def write_sources(folder: Path, compiled: Compiled, data: Data) -> None:
    """Write NAME.c, NAME.h, NAME.v of hardware, NAME.weights if any, the IR of every level and the measured samples."""
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.runtime.model.program_data import in_file_order
    from tinyml.targets.c.print_c import loaded_content
    from tinyml.targets.chip import WEIGHTS

    name = interface_of(compiled.formats).name
    files = {f"{name}.c": compiled.source, f"{name}.h": compiled.header}
    files |= {} if compiled.verilog is None else {f"{name}.v": compiled.verilog}
    files |= {f"ir/{stage.file}": stage.text for stage in compiled.stages}
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text)
    if content := loaded_content(compiled.program):
        write_file(folder / f"{name}{WEIGHTS}", content)
    _write_arrays(folder / SAMPLES, {"x": in_file_order(compiled.formats, data.x[:MEASURED_SAMPLES])})


def write_errors(folder: Path, compiled: Compiled, data: Data, accuracies: Accuracy) -> dict[str, NDArray[Any]]:
    """Write some samples that came out wrong, if there are any, and return the arrays (`facts.answers`)."""
    from tinyml.runtime.model.program_data import in_file_order
    from tinyml.tools.reports.facts.answers import wrong_samples

    if accuracies.answers is None or not len(which := wrong_samples(data.y, *accuracies.answers)):
        return {}
    reals, formats = (answers[which] for answers in accuracies.answers)
    x = in_file_order(compiled.formats, data.x[which]).reshape(len(which), *(data.shape or (-1,)))
    arrays = {"sample": which, "x": x, "float": reals, "compiled": formats}
    arrays |= {} if data.y is None else {"y": data.y[which]}
    _write_arrays(folder / ERRORS, arrays)
    return arrays


def _write_arrays(file: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    write_file(file, content.getvalue())
