"""For input bytes that are not numbers of the format, no program accesses memory out of bounds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from programs.number_formats import SORTS, Sort
from programs.spread import spread_product

import tinyml

BYTES = [sort for sort in SORTS if sort.variants[0].dtype == np.int8]

PROGRAM = "let X = (4, 1) in [-1.0, 1.0] in\nlet W = (3, 4) in [-2.0, 2.0] in\n{answer}\n"
ANSWERS = {"class": "argmax(W * X)", "function of the input": "W * tanh(X)"}

SANITIZED = (
    "gcc", "-std=c99", "-O1", "-g1", "-Wall", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"
)  # fmt: skip

CALLER = """\
#include "line.h"
#include <stdio.h>
int main(void)
{
    for (int raw = -128; raw < 128; raw++)
        for (int at = 0; at <= line_INPUT_LENGTH; at++) {
            for (int i = 0; i < line_INPUT_LENGTH; i++)
                line_input()[i] = (int8_t)(at == i || at == line_INPUT_LENGTH ? raw : 3 * i);
            line_run();
        }
    return puts("all") < 0;
}
"""


# Some formats of 8 bits lose answers, which is no matter here.
@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
@pytest.mark.parametrize(("sort", "answer"), spread_product(4, BYTES, ANSWERS), ids=str)
def test_every_byte_is_safe(sort: Sort, answer: str, tmp_path: Path):
    format, width = sort.option
    x = np.random.default_rng(0).uniform(-1, 1, (40, 4))
    (tmp_path / "line.sd").write_text(PROGRAM.format(answer=ANSWERS[answer]))
    np.save(tmp_path / "W.npy", np.random.default_rng(1).uniform(-2, 2, (3, 4)).astype("f4"))
    program = tinyml.compile(tmp_path / "line.sd", x, board="host", format=format, width=width)
    for name, text in (("line.c", program.c), ("line.h", program.h), ("caller.c", CALLER)):
        (tmp_path / name).write_text(text)
    built = tmp_path / "caller"
    subprocess.run([*SANITIZED, "line.c", "caller.c", "-lm", "-o", built], cwd=tmp_path, check=True)
    done = subprocess.run([built], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("all\n", "")
