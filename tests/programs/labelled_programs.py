"""Small classifiers of six numbers in several formats, with class names, and a C program that calls all of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, StringAttr

from programs.forests import forest_program, random_trees, random_votes
from programs.runtime_functions import run_figure
from programs.sensor_models import PROGRAM
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.tdsl.interface import update_interface
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.registry import Runner
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, predict_function
from tinyml.tools.driver.stages import compile_stages, load_program, print_ir

INPUTS, CLASSES = 6, 3

NAMES = {
    "fixed": ('say "hi"', "back\\slash", "tab\there"),
    "posit": ("Grün", "é1", "日本"),
    "real": ("what??!", "??=", "???/"),
    "forest": ("a%d", "*/ /*", ""),
}
"""The names of each program's classes: quotes, trigraphs, bytes beyond ASCII, and what would end a comment."""

OPTIONS: dict[str, dict[str, Any]] = {
    "fixed": {"format": "fixed", "width": 8},
    "posit": {"format": "posit", "width": 16},
    "real": {"format": "f32"},
    "forest": {"format": "zeroskew", "width": 8},
}

_LONGEST = 16
"""Bytes that are read of each name."""

LENGTH = 4 + CLASSES + _LONGEST
"""Elements of the result: two labels, scores, a name, and the first bytes of two names that there are not."""


def inputs() -> NDArray[np.float32]:
    return np.random.default_rng(5).uniform(-1.1, 1.1, (40, INPUTS)).astype(np.float32)


def _program(name: str, folder: Path) -> ModuleOp:
    if name == "forest":
        random = np.random.default_rng(2)
        trees = random_trees(random, 5, 12, INPUTS, 8, -1, 1)
        module = forest_program(trees, random_votes(random, 8, CLASSES, signed=False, pure=0.0), INPUTS)
    else:
        random = np.random.default_rng(3)
        (folder / f"{name}.sd").write_text(PROGRAM)
        np.save(folder / "W.npy", random.uniform(-2, 2, (CLASSES, INPUTS)))
        np.save(folder / "B.npy", random.uniform(-0.5, 0.5, (CLASSES, 1)))
        module = load_program(folder / f"{name}.sd", context())
    predict_function(module).sym_name = StringAttr(name)
    update_interface(module, classes=tuple(NAMES[name]))
    return module


def write_programs(target: str, folder: Path) -> None:
    """Write NAME.c, NAME.h and NAME.mlir of each program to an empty folder; the .mlir file is the program with
    formats.
    """
    data = folder / "data.npz"
    np.savez(data, x=inputs())
    for name, options in OPTIONS.items():
        asked = PipelineOptions(data=str(data), target=target, **options)
        compiled = compile_stages(_program(name, folder), context(), asked)
        (folder / f"{name}.c").write_text(compiled.source)
        (folder / f"{name}.h").write_text(compiled.header)
        (folder / f"{name}.mlir").write_text(print_ir(compiled.formats))


@dataclass(frozen=True)
class Answers:
    """The results of a program for all inputs: labels (samples,), scores (samples, classes), and the names of the
    labels.
    """

    labels: NDArray[np.int64]
    scores: NDArray[np.float32]
    names: tuple[str, ...]


def expected(name: str, folder: Path) -> Answers:
    """The labels, real scores and label names that the evaluator computes for a program on `inputs()`."""
    formats = load_program(folder / f"{name}.mlir", context())
    outputs = evaluate(formats, encode_inputs(formats, inputs()))
    assert outputs.scores is not None
    [*_, scores] = predict_function(formats).body.block.last_op.operands  # pyright: ignore[reportOptionalMemberAccess]
    reals = tdsl.format_of(scores).decode(outputs.scores).astype(np.float32)
    labels: list[int] = outputs.classes.tolist()
    return Answers(outputs.classes, reals, tuple(NAMES[name][label] for label in labels))


_AROUND = """\
#include <string.h>
{includes}
#include "figure.h"
#ifdef __AVR__
#include <avr/pgmspace.h>
#define READ(P) ((char)pgm_read_byte(P))
#else
#define READ(P) (*(P))
#endif
static int32_t out[{length}];

const int32_t *figure_scores(void)
{{
    return out;
}}

static int32_t bits_of(float real)
{{
    int32_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}}

static void put_name(int32_t *to, const char *name)
{{
    for (int16_t i = 0; i < {longest} && READ(name + i); i++)
        to[i] = (uint8_t)READ(name + i);
}}

void figure_predict(const int32_t *X)
{{
    float x[{inputs}];
    memcpy(x, X + 1, sizeof x);
    memset(out, 0, sizeof out);
    switch (X[0]) {{
{cases}    }}
}}
"""
_CASE = """\
    case {number}:
        for (int16_t i = 0; i < {name}_INPUT_LENGTH; i++)
            {name}_set(i, 0.0f);
        out[0] = {name}_predict_floats(x);
        for (int16_t i = 0; i < {name}_INPUT_LENGTH; i++)
            {name}_set(i, x[i]);
        out[1] = {name}_run();
        for (int16_t i = 0; i < {name}_OUTPUT_LENGTH; i++)
            out[2 + i] = bits_of({name}_score(i));
        put_name(out + {outputs}, {name}_class_name((int16_t)out[1]));
        out[{length} - 2] = READ({name}_class_name(-1));
        out[{length} - 1] = READ({name}_class_name({name}_CLASSES));
        break;
"""


def around(folder: Path, order: list[str]) -> str:
    """The C of a program that includes the programs in a folder and calls them.

    order: the order of the includes.
    """
    sizes = {"outputs": 2 + CLASSES, "length": LENGTH}
    cases = "".join(_CASE.format(number=number, name=name, **sizes) for number, name in enumerate(OPTIONS))
    includes = "\n".join(f'#include "{folder / name}.c"' for name in order)
    return _AROUND.format(includes=includes, cases=cases, longest=_LONGEST, inputs=INPUTS, **sizes)


def words_for() -> NDArray[np.int32]:
    """Input words for the samples of every program, of shape (programs * samples, 1 + elements). Each row begins with
    the number of its program.
    """
    words = inputs().view(np.int32)
    return np.concatenate([np.insert(words, 0, number, axis=1) for number in range(len(OPTIONS))])


def answers(results: NDArray[np.int32]) -> dict[str, Answers]:
    """The answers of each program, decoded from the outputs of `figure_predict` for all samples."""
    found: dict[str, Answers] = {}
    for name, rows in zip(OPTIONS, np.split(results, len(OPTIONS)), strict=True):
        np.testing.assert_array_equal(rows[:, 0], rows[:, 1])
        np.testing.assert_array_equal(rows[:, -2:], 0)
        scores = np.ascontiguousarray(rows[:, 2 : 2 + CLASSES]).view(np.float32)
        texts = [row[row > 0].astype(np.uint8).tobytes().decode() for row in rows[:, 2 + CLASSES : -2]]
        found[name] = Answers(rows[:, 1].astype(np.int64), scores, tuple(texts))
    return found


def run_programs(folder: Path, device: str | Runner, temporary: Path) -> dict[str, Answers]:
    """The answers of all programs in a folder, which are compiled as one translation unit and run on a device."""
    source = around(folder, list(OPTIONS))
    results = run_figure(source, words_for(), LENGTH, device, temporary, output="int32_t")
    return answers(results)
