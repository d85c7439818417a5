"""Programs around models: the Arduino sketch classifies its stored sample, then what arrives over the serial line.

Where rows arrive, one over the serial line is asked for with a byte, and one on standard input is read.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import gural_murmann
from programs.paths import ROOT

from tinyml.dialects.context import context
from tinyml.dialects.layouts.packed_bits import pack_bits
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.runtime.model.data import load_data
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.requests.request import Request
from tinyml.tools.driver.stages import load_program, print_ir

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
    void println() { printf("\n"); }
    const char *rows = NULL;
    int requests = 0;
    void write(int byte) { requests += byte == 5; }
    size_t readBytes(char *to, size_t count)
    {
        /* The line may be slow. */
        size_t arrived = count > 3 ? 3 : count;
        memcpy(to, rows, arrived);
        rows += arrived;
        return arrived;
    }
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
    ("format", "width", "option"),
    [
        ("fixed", 8, None),
        ("fixed", 16, None),
        ("fixed", 16, "reuse_input"),
        ("fixed", 32, None),
        ("f32", None, None),
        ("zeroskew", 8, "feature_scales"),
        ("fixed", 32, "feature_scales"),
        ("f32", None, "feature_scales"),
    ],
)
def test_the_sketch_classifies_what_it_is_sent(
    format: str, width: int | None, option: str | None, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    model, val = TOUR / "tour.sd", TOUR / "val.npz"
    options: dict[str, Any] = {} if option is None else {option: True}
    report = compile_model(Request(model=model, val=val, format=format, width=width, out=out, **options))
    assert report["feature_scales"] == (option == "feature_scales")
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


ROWS = """
#include <cassert>
int main(int count, char **arguments)
{
    static char rows[98 * 4];
    FILE *file = fopen(arguments[1], "rb");
    assert(file && fread(rows, 1, sizeof rows, file) == sizeof rows);
    setup();
    Serial.rows = rows;
    for (int sample = 0; sample < 4; sample++) {
        loop();
        assert(Serial.requests == (Serial.rows ? 14 * (sample + 1) : 0));
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def images() -> np.ndarray:
    return gural_murmann.images(np.load(gural_murmann.FOLDER / "test.npz")["x"])[:4]


def compiled(target: str, input: str, images: np.ndarray, folder: Path) -> Path:
    """The program around Gural and Murmann's network, whose first image is in the data set."""
    (folder / "network.mlir").write_text(print_ir(gural_murmann.program()))
    np.savez(folder / "images.npz", x=images)
    request = Request(
        model=folder / "network.mlir",
        val=folder / "images.npz",
        out=folder / "out",
        target=target,
        input=input,
        plan="rows",
        pack_buffers=True,
    )
    compile_model(request)
    [program] = (folder / "out").glob("*/*.ino" if target == "uno" else "*/main.c")
    return program


def packed(images: np.ndarray) -> bytes:
    return b"".join(pack_bits(image.astype("i8") - 8, 4).tobytes() for image in images)


@pytest.mark.parametrize("input", ["serial", "callback"])
def test_sketches_of_rows(input: str, images: np.ndarray, tmp_path: Path):
    """Over the serial line every row is asked for; otherwise the stored image comes from a function."""
    sketch = compiled("uno", input, images, tmp_path)
    main = ROWS if input == "serial" else "int main() { setup(); loop(); }"
    text = sketch.read_text(encoding="utf-8").replace("#include <avr/pgmspace.h>", "")
    (tmp_path / "sketch.cpp").write_text(ARDUINO + text + main, encoding="utf-8")
    include, name = f"-I{sketch.parent}", sketch.with_suffix(".c")
    subprocess.run(["gcc", "-c", include, str(name), "-o", str(tmp_path / "network.o")], check=True)
    command = ["g++", include, str(tmp_path / "sketch.cpp"), str(tmp_path / "network.o"), "-o", str(tmp_path / "run")]
    subprocess.run(command, check=True)
    (tmp_path / "rows").write_bytes(packed(images))
    ran = subprocess.run([tmp_path / "run", tmp_path / "rows"], check=True, capture_output=True, text=True)
    labels = gural_murmann.logits(images if input == "serial" else images[:1]).argmax(1)
    assert ran.stdout.split() == [word for label in labels for word in ("class", str(label))]


def test_the_host_reads_rows_from_standard_input(images: np.ndarray, tmp_path: Path):
    main = compiled("host", "serial", images, tmp_path)
    sources = [str(main), *map(str, main.parent.glob("*[!n].c"))]
    command = ["gcc", "-Wall", "-Werror", f"-I{main.parent}", *sources, "-lm", "-o", str(tmp_path / "run")]
    subprocess.run(command, check=True)
    ran = subprocess.run([tmp_path / "run"], input=packed(images), check=True, capture_output=True)
    labels = gural_murmann.logits(images).argmax(1)
    assert ran.stdout.decode().split() == [word for label in labels for word in ("class", str(label))]
    cut = subprocess.run([tmp_path / "run"], input=packed(images)[:-1], capture_output=True)
    assert (cut.returncode, cut.stderr) == (1, b"error: the last image is not complete\n")
