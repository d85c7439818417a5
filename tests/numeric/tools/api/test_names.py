"""Names of models from Python: two programs in one C program and in one sketch, and names that C does not accept."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.arduino_builder import built_sketch, is_installed
from programs.estimators import halves, sk
from programs.paths import ROOT

import tinyml
from tinyml.targets.c.names import model_name

IRIS, WINE = halves("iris"), halves("wine")
PROGRAM = """\
#include <stdio.h>
#include "iris.h"
#include "wine.h"
static const float flower[4] = {%s}, drink[13] = {%s};
int main(void)
{
    printf("%%d %%d\\n", iris_predict_floats(flower), wine_predict_floats(drink));
    return 0;
}
"""
SKETCH = """\
#include <iris.h>
#include <wine.h>
static float flower[4], drink[13];
void setup() { Serial.begin(9600); }
void loop()
{
    Serial.println(iris_class_name(iris_predict_floats(flower)));
    Serial.println(wine_predict_floats(drink));
}
"""


@pytest.mark.parametrize(("file", "name"), [("string", "m_string"), ("Servo", "m_Servo"), ("tour", "tour")])
def test_a_file_named_like_a_header(file: str, name: str, tmp_path: Path) -> None:
    """The header of the program, which is named after the model's file, hides no header of C or of Arduino."""
    for known in ("tour.sd", "W.npy", "B.npy", "val.npz"):
        shutil.copy(ROOT / "docs/tour" / known, tmp_path)
    (tmp_path / "tour.sd").rename(tmp_path / f"{file}.sd")
    x = np.load(tmp_path / "val.npz")["x"]
    program = tinyml.compile(tmp_path / f"{file}.sd", x, board="host", width=8)
    assert isinstance(program, tinyml.Program)
    assert [path.name for path in program.folder.glob("*.h")] == [f"{name}.h"]


def tree(data: Any) -> Any:
    return sk.DecisionTreeClassifier(max_depth=3, random_state=0).fit(data.x, data.y)


def programs(board: str) -> list[tinyml.Program]:
    """Two programs of estimators of the same class. One is named by an option of compilation, the other by its
    model.
    """
    given: dict[str, Any] = {"board": board, "width": 16}
    named = replace(tinyml.load(tree(WINE)), name="wine")
    return [
        tinyml.compile(tree(IRIS), IRIS.x, IRIS.y, name="iris", classes=["a", "b", "c"], **given),
        tinyml.compile(named, WINE.x, WINE.y, **given),
    ]


@pytest.mark.long
def test_two_models_in_one_c_program(tmp_path: Path):
    made = programs("host")
    assert [program.name for program in made] == ["iris", "wine"]
    for program in made:
        saved = program.save(tmp_path / f"out-{program.name}")
        for file in (*saved.glob("*.c"), *saved.glob("*.h")):
            shutil.copy(file, tmp_path)
    x = [IRIS.x[0].astype(np.float32), WINE.x[0].astype(np.float32)]
    (tmp_path / "main.c").write_text(PROGRAM % tuple(", ".join(f"{float(v)!r}f" for v in row) for row in x))
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "main.c", "iris.c", "wine.c", "-lm", "-o", "both"]
    subprocess.run(command, cwd=tmp_path, check=True)
    said = subprocess.run([tmp_path / "both"], capture_output=True, text=True, check=True).stdout.split()
    assert said == [str("abc".index(made[0].predict(x[0][None])[0])), str(made[1].predict(x[1][None])[0])]


@pytest.mark.long(seconds=5)
@pytest.mark.skipif(not is_installed(), reason="arduino-builder is not installed")
def test_two_libraries_in_one_sketch(tmp_path: Path):
    for program in programs("uno"):
        saved = program.save(tmp_path / f"out-{program.name}", packages=["arduino"])
        shutil.copytree(saved / "arduino", tmp_path / "libraries", dirs_exist_ok=True)
    sketch = tmp_path / "both" / "both.ino"
    sketch.parent.mkdir()
    sketch.write_text(SKETCH)
    assert built_sketch(tmp_path / "libraries", sketch, tmp_path / "build", "uno").is_file()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("my wine", "expected at most 31 letters of A-Z, digits and _, a letter first, got 'my wine'"),
        ("2wine", "expected at most 31 letters"),
        ("../wine", "expected at most 31 letters"),
        ("w" * 32, "expected at most 31 letters"),
        ("", "expected at most 31 letters"),
        ("double", "'double' is a name of C or of the runtime"),
        ("tm_wine", "'tm_wine' is a name of C or of the runtime"),
        ("EOF", "'EOF' is a name of C or of the runtime"),
        *(
            (
                name,
                f"'{name}.h' is a header of the compiler, of Arduino or of its libraries, which the model's would hide",
            )
            for name in (
                "Math",
                "unistd",
                "Wire",
                "Serial",
                "spi",
                "EEPROM",
                "Servo",
                "SD",
                "WiFi",
                "Keyboard",
                "Print",
            )
        ),
        *((name, f"'{name}.h' is a header") for name in ("Stream", "ESP8266WiFi", "Preferences", "PDM", "RTC", "mbed")),
    ],
)
def test_names_that_c_does_not_take_are_refused_in_one_line(name: str, said: str):
    with pytest.raises(tinyml.InputError) as caught:
        tinyml.compile(tree(IRIS), IRIS.x, IRIS.y, board="host", name=name)
    assert str(caught.value).startswith(f"name: {said}")
    assert "\n" not in str(caught.value)


def test_a_name_of_31_letters_is_taken():
    name = "w" * 31
    assert tinyml.compile(tree(IRIS), IRIS.x, IRIS.y, board="host", width=16, name=name).name == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("my wine, 3", "my_wine_3"),
        ("_x_", "x"),
        ("3d", "m_3d"),
        ("int", "m_int"),
        ("wire", "m_wire"),
        ("network", "network"),
        ("", "model"),
    ],
)
def test_names_of_models_become_names_of_c(text: str, name: str):
    assert model_name(text) == name
