"""A model in one header, in C and C++, alone, with a second model, and included by several files. The outputs equal
those of the board.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from programs.devices import need_tools
from programs.sensor_models import SensorModel, inputs, sensor_model

from tinyml.dialects.context import context
from tinyml.targets.registry import chip_of
from tinyml.tools.driver.measure import run_on_device
from tinyml.tools.driver.stages import load_program

NAMES = "gestures", "postures"

SKETCH = """\
#include <stdio.h>
#include "gestures.h"
#include "postures.h"
int other(const float *x);
int main(void)
{
    static const float x[20][6] = {%s};
    for (int i = 0; i < 20; i++)
        printf("%%s %%s %%d\\n", gestures_class_name(gestures_predict_floats(x[i])),
            postures_class_name(postures_predict_floats(x[i])), other(x[i]));
    return 0;
}
"""

OTHER = """\
#define gestures_DECLARATIONS
#include "gestures.h"
int other(const float *x);
int other(const float *x) { return gestures_predict_floats(x); }
"""


def two_models(folder: Path, target: str) -> tuple[SensorModel, SensorModel]:
    """Models of 8 and 16 bits, whose headers are in the same folder."""
    made: list[SensorModel] = []
    for name, width in zip(NAMES, (8, 16), strict=True):
        (folder / name).mkdir()
        made.append(sensor_model(folder / name, target, name=name, width=width, packages=("header",)))
        assert [file.name for file in (made[-1].out / "header").iterdir()] == [f"{name}.h"]
        shutil.copy(made[-1].out / "header" / f"{name}.h", folder)
    return made[0], made[1]


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize(
    "compiler", ["gcc -std=c99 -Werror", "g++ -x c++ -std=gnu++11 -Werror", "g++ -x c++ -std=c++20 -Werror"]
)
def test_a_program_with_two_models_and_a_second_file(compiler: str, tmp_path: Path):
    gestures, postures = two_models(tmp_path, "host")
    x = inputs(20)
    rows = ", ".join("{" + ", ".join(f"{value}f" for value in row) + "}" for row in x.tolist())
    (tmp_path / "sketch.c").write_text(SKETCH % rows)
    (tmp_path / "other.c").write_text(OTHER)
    command = [*compiler.split(), "-Wall", "-Wextra", "sketch.c", "other.c", "-o", "sketch"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = subprocess.run([tmp_path / "sketch"], capture_output=True, text=True, check=True).stdout
    words = zip(gestures.words(x), postures.words(x), map(str, gestures.classes(x)), strict=True)
    assert said.splitlines() == [" ".join(row) for row in words]


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("target", ["uno", "cortex-m4"])
def test_a_board_computes_what_it_does_with_two_files(target: str, tmp_path: Path):
    """A board computes the same results from one header as from two files. A C++ sketch compiles with both models."""
    need_tools(target)
    model = two_models(tmp_path, target)[0]
    (tmp_path / "sketch.cpp").write_text("".join(f'#include "{name}.h"\n' for name in NAMES))
    compiler = chip_of(target).command("cc").removesuffix("gcc") + "g++"
    if shutil.which(compiler):
        flags = ["-mmcu=atmega328p"] if target == "uno" else []
        command = [compiler, *flags, "-std=gnu++11", "-Wall", "-Wextra", "-Werror", "-Os", "-c", "sketch.cpp"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    one = shutil.copytree(model.out, tmp_path / "one")
    (one / "gestures.c").write_text(f'#include "{one / "header" / "gestures.h"}"\n')
    formats = load_program(one / "ir" / "1-formats.mlir", context())
    known, wrong = run_on_device(model.out, formats, inputs(20), target=target)
    single, also_wrong = run_on_device(one, formats, inputs(20), target=target)
    assert wrong is also_wrong is None
    assert (single.cost, single.flash_bytes) == (known.cost, known.flash_bytes)
