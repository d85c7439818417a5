"""Programs that call kernels for tiles, each for the inputs that begin with its number."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from programs.printed import WARNING_FLAGS
from programs.strips import Strip
from tinyml.runtime.devices.registry import Build, Runner
from tinyml.runtime.model.headers import definition_of
from tinyml.runtime.model.interface import Interface

ELEMENTS = 1400
INTERFACE = Interface("strips", "int8_t", 4 + ELEMENTS, "int8_t", 64, has_label=False)


def build_strips(runner: Runner, strips: list[Strip], folder: Path, optimize: str = "-O2") -> Build:
    """A program that runs the kernel whose number its input begins with, on elements at an offset."""
    texts = {name: text for strip in strips for name, text in definition_of(strip.symbol)}
    cases: list[str] = []
    for number, strip in enumerate(strips):
        values = ", ".join(map(str, strip.stream))
        texts[f"stream{number}"] = f"static const int8_t stream{number}[] STREAM = {{{values}}};"
        cases.append(f"case {number}: {strip.symbol}(stream{number}, x, results); break;")
    (folder / "strips.h").write_text(
        f"#include <stdint.h>\n#define strips_INPUT_LENGTH {INTERFACE.input_length}\n#define strips_OUTPUT_LENGTH 64\n"
        "const int8_t *strips_scores(void);\nvoid strips_predict(const int8_t *X);\n"
        "#ifdef __AVR__\n#define STREAM __attribute__((__progmem__))\n#else\n"
        "#define STREAM __attribute__((aligned(4)))\n#endif\n"
    )
    (folder / "strips.c").write_text(
        "\n".join(
            [
                '#include "strips.h"',
                *texts.values(),
                f"static int8_t results[64];\nint8_t vector[{ELEMENTS + 4}];",
                "const int8_t *strips_scores(void) { return results; }",
                "void strips_predict(const int8_t *X)\n{",
                "    int8_t *x = vector + X[1];",
                "    for (int i = 0; i < 64; i++) results[i] = 99;",
                f"    for (int i = 0; i < {ELEMENTS}; i++) x[i] = X[4 + i];",
                "    switch (X[0]) {",
                *cases,
                # No kernel returns to the caller of this function.
                '    }\n    __asm__ volatile("" ::: "memory");\n}',
            ]
        )
    )
    (folder / "build").mkdir(exist_ok=True)
    return runner.build(folder, INTERFACE, folder / "build", optimize, WARNING_FLAGS)


def inputs_of(strips: list[Strip], random: np.random.Generator) -> np.ndarray:
    inputs = random.integers(-128, 128, (len(strips), 4 + ELEMENTS)).astype(np.int8)
    inputs[:, 0] = np.arange(len(strips))
    inputs[:, 1] = np.arange(len(strips)) % 4
    inputs[::3, 4:] = -128
    return inputs


def check(runner: Runner, build: Build, strips: list[Strip]) -> None:
    inputs = inputs_of(strips, np.random.default_rng(5))
    scores = runner.run(build, INTERFACE, inputs).scores
    assert scores is not None
    for strip, given_, got in zip(strips, inputs, scores, strict=True):
        expected = strip.expected(given_[4 : 4 + strip.tile.elements])
        np.testing.assert_array_equal(got[: expected.size], expected, err_msg=str(strip.tile))
        assert (got[expected.size :] == 99).all(), strip.tile
