"""The Arduino sketch classifies its stored sample, then what arrives over the serial line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from programs.paths import ROOT

from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.runtime.model.data import load_data
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import load_program

TOUR = ROOT / "docs/tour"

ARDUINO = r"""
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define PROGMEM
#define F(text) (text)
#define memcpy_P memcpy
static unsigned long micros() { return 0; }
using std::lround;
struct Line {
    const char *text = "";
    void begin(long) {}
    int available() { return (int)strlen(text); }
    int peek() { return *text ? *text : -1; }
    int read() { return *text ? *text++ : -1; }
    float parseFloat() { char *end; float value = strtof(text, &end); text = end; return value; }
    long parseInt() { char *end; long value = strtol(text, &end, 10); text = end; return value; }
    void print(const char *s) { printf("%s", s); }
    template <class T> void print(T value) { printf("%ld", (long)value); }
    void println(const char *s) { printf("%s\n", s); }
} Serial;
"""
MAIN = """
int main(int count, char **arguments)
{
    setup();
    Serial.text = arguments[1];
    while (Serial.available())
        loop();
    return 0;
}
"""


@pytest.mark.parametrize(
    ("format", "width", "reuse_input"),
    [("fixed", 8, False), ("fixed", 16, False), ("fixed", 16, True), ("fixed", 32, False), ("f32", None, False)],
)
def test_the_sketch_classifies_what_it_is_sent(
    format: str, width: int | None, reuse_input: bool, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    model, val = TOUR / "tour.sd", TOUR / "val.npz"
    compile_model(Request(model=model, val=val, format=format, width=width, reuse_input=reuse_input, out=out))
    sketch = (out / "tour" / "tour.ino").read_text(encoding="utf-8")
    program = sketch.replace("#include <avr/pgmspace.h>", ARDUINO) + MAIN
    (tmp_path / "sketch.cpp").write_text(program, encoding="utf-8")
    include = f"-I{out / 'tour'}"
    subprocess.run(["gcc", "-c", include, str(out / "tour" / "tour.c"), "-o", str(tmp_path / "tour.o")], check=True)
    binary = tmp_path / "sketch"
    sources = [str(tmp_path / "sketch.cpp"), str(tmp_path / "tour.o")]
    subprocess.run(["g++", include, *sources, "-o", str(binary)], check=True)
    formats = load_program(out / "ir" / "1-formats.mlir", context())
    x = load_data(str(TOUR / "val.npz")).x[:8]
    sent = "\n".join(", ".join(str(value) for value in sample) for sample in x) + "\r\n"
    said = subprocess.run([str(binary), sent], check=True, capture_output=True, text=True).stdout.splitlines()
    expected = evaluate(formats, encode_inputs(formats, np.concatenate([x[:1], x]))).classes
    assert [line.split()[:2] for line in said] == [["class", str(label)] for label in expected]
