"""Many generated programs as one on a device, which is linked and started once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from programs.printed import WARNINGS
from tinyml.runtime.devices.registry import Runner
from tinyml.runtime.model.interface import Interface


class Program(NamedTuple):
    """A program that gives scores of 32 bits; inputs: those of its samples, scores: those expected of them."""

    interface: Interface
    inputs: NDArray[np.generic]
    scores: NDArray[np.generic] | None


def run_all(programs: Sequence[Program], runner: Runner, folder: Path, optimize: str) -> list[NDArray[np.int32]]:
    """The scores of each program. folder: holds their C files, and gets that of the one which calls them."""
    length = max(one.interface.output_length for one in programs)
    size = -(-max(one.interface.input_bytes for one in programs) // 4) * 4
    interface = Interface("many", "int8_t", 4 + size, "int32_t", length, has_label=False)
    names = [one.interface.name for one in programs]
    (folder / "many.h").write_text(
        f"#include <stdint.h>\n#define many_INPUT_LENGTH {4 + size}\n#define many_OUTPUT_LENGTH {length}\n"
        "void many_predict(const int8_t *X);\nconst int32_t *many_scores(void);\n"
    )
    cases = [
        f"case {number}: {one.interface.name}_predict((const void *)x); "
        f"give({one.interface.name}_scores(), {one.interface.output_length}); break;"
        for number, one in enumerate(programs)
    ]
    sizes = ", ".join(str(one.interface.input_bytes) for one in programs)
    lines = [
        '#include "many.h"',
        *(f'#include "{name}.h"' for name in names),
        # Inputs end where the array does, so that sanitizers see what reads on.
        f"static int32_t input[{size // 4}], scores[{length}];",
        f"static const int16_t sizes[] = {{{sizes}}};",
        "const int32_t *many_scores(void) { return scores; }",
        "static void give(const int32_t *from, int count)\n{",
        "    for (int i = 0; i < count; i++) scores[i] = from[i];\n}",
        "void many_predict(const int8_t *X)\n{",
        f"    int8_t *x = (int8_t *)input + {size} - sizes[X[0]];",
        "    for (int i = 0; i < sizes[X[0]]; i++) x[i] = X[4 + i];",
        "    switch (X[0]) {",
        *cases,
        "    }\n}",
    ]
    (folder / "many.c").write_text("\n".join(lines) + "\n")
    build = runner.build(folder, interface, folder / runner.variant, optimize, WARNINGS)
    inputs = np.zeros((sum(len(one.inputs) for one in programs), 4 + size), np.int8)
    rows = iter(inputs)
    for number, one in enumerate(programs):
        for raws, row in zip(one.inputs.view(np.int8), rows, strict=False):
            row[0], row[4 : 4 + len(raws)] = number, raws
    found = runner.run(build, interface, inputs).scores
    assert found is not None
    ends = np.cumsum([len(one.inputs) for one in programs])
    parts = np.split(found, ends[:-1])
    return [part[:, : one.interface.output_length] for part, one in zip(parts, programs, strict=True)]
