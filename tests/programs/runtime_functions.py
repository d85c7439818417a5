"""Functions of the runtime, called by a separate program on any device."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from programs.printed import WARNING_FLAGS
from tinyml.runtime.devices.registry import Runner, runner_for
from tinyml.runtime.model.interface import Interface
from tinyml.tools.calibration.programs.measured_programs import include_flags

Values = NDArray[Any]


def run_figure(
    source: str,
    inputs: Values,
    length: int,
    device: str | Runner,
    folder: Path,
    optimize: str = "-Os",
    output: str = "int8_t",
) -> Values:
    """The `length` elements of `figure_scores()` after `figure_predict(row)` for each row of the inputs.

    source: C that defines both functions and includes "figure.h", which declares them.
    device: the name of a device, or its runner.
    folder: an empty folder.
    output: the C type of the elements.
    """
    input, count = f"{inputs.dtype}_t", inputs.shape[1]
    (folder / "figure.h").write_text(
        "#include <stdint.h>\n"
        f"#define figure_INPUT_LENGTH {count}\n#define figure_OUTPUT_LENGTH {length}\n"
        f"void figure_predict(const {input} *X);\nconst {output} *figure_scores(void);\n"
    )
    (folder / "figure.c").write_text(source)
    interface = Interface("figure", input, count, output, length, has_label=False)
    runner = runner_for(device) if isinstance(device, str) else device
    build = runner.build(folder, interface, folder, optimize, [*WARNING_FLAGS, *include_flags(runner.chip)])
    scores = runner.run(build, interface, inputs).scores
    assert scores is not None
    return scores


_CASES = """\
#include "figure.h"
#ifdef __AVR__
#define FLASH __attribute__((__progmem__))
#else
#define FLASH
#endif
static {output} out[{length}];
{definitions}
const {output} *figure_scores(void) {{ return out; }}
void figure_predict(const {input} *X)
{{
    switch (*X++) {{
{cases}    }}
}}
"""


def run_cases(
    cases: Sequence[tuple[str, Values]],
    definitions: str,
    output: tuple[str, int],
    device: str,
    folder: Path,
    optimize: str = "-Os",
) -> list[Values]:
    """The content of `out` after the C statements of each case, for each row `X` of its inputs. One program contains
    all cases.

    definitions: C before the statements and after the definition of `out`; constants are declared with FLASH.
    output: the C type of `out` and its number of elements.
    """
    [input] = {inputs.dtype for _, inputs in cases}
    texts = "".join(f"    case {number}: {{ {text} }} break;\n" for number, (text, _) in enumerate(cases))
    ctype, length = output
    source = _CASES.format(definitions=definitions, output=ctype, length=length, input=f"{input}_t", cases=texts)
    rows = [np.insert(inputs, 0, number, axis=1) for number, (_, inputs) in enumerate(cases)]
    scores = run_figure(source, np.concatenate(rows), length, device, folder, optimize, ctype)
    return np.split(scores, np.cumsum([len(inputs) for _, inputs in cases])[:-1])
