"""Networks of JAX compiled by IREE and by tinyml: instructions and bytes on an emulated Cortex-M4 with its FPU.

IREE compiles the arithmetic of a network to dispatch functions, which IREE's runtime calls. Here a short driver calls
the dispatch functions, in the order and with the buffers that IREE's `stream` dialect states. `make bridges` writes the
inputs: `NAME.o`, a static library of dispatch functions for thumbv7em, and `NAME.stream`, the module at
`--compile-to=stream`.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from programs.paths import ROOT
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, DenseIntOrFPElementsAttr

from measured.store import FOLDER, write
from tinyml.dialects.context import context
from tinyml.dialects.guarded_parser import GuardedParser
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import board
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import compile_stages, load_program

MODELS = ROOT / "tests/models/mlir"
TARGET = "cortex-m4"
SAMPLES = 10
OPTIMIZE = "-O2"
NETWORKS = ("mlp", "cnn")

DRIVER = """#include "{name}.h"
#include <stddef.h>
#include <string.h>

/* IREE's interface of executable libraries, version 0.6 (iree/hal/local/executable_library.h). */
typedef struct {{
    uint32_t size_x, size_y;
    uint16_t size_z, constant_count;
    uint32_t count_x, count_y;
    uint16_t count_z;
    uint8_t concurrency, binding_count;
    const uint32_t *constants;
    void *const *pointers;
    const size_t *lengths;
}} dispatch_state;
typedef struct {{ uint32_t x, y; uint16_t z, reserved; uint32_t processor; void *memory; uint32_t size; }} workgroup;
typedef int (*dispatch_function)(const void *, const dispatch_state *, const workgroup *);
typedef struct {{
    const void *header;
    uint32_t import_count;
    const void *imports;
    uint32_t export_count;
    const dispatch_function *functions;
}} library;
extern const library *{library}_library_query(uint32_t version, const void *environment);

static const uint32_t constants[] __attribute__((aligned(64))) = {{{constants}}};
static const float length[] = {{16}};
static uint8_t transient[{transient}] __attribute__((aligned(64)));
static float scores[{name}_OUTPUT_LENGTH] __attribute__((aligned(64)));

static void dispatch(uint32_t number, uint8_t count, void *const *pointers, const size_t *lengths)
{{
    static const uint32_t holds[] = {{1}};
    const dispatch_state state = {{1, 1, 1, 1, 1, 1, 1, 1, count, holds, pointers, lengths}};
    const workgroup only = {{0}};
    {library}_library_query({version}, 0)->functions[number](0, &state, &only);
}}

int16_t {name}_predict(const float *x)
{{
    int16_t label = 0;
{calls}
    for (int16_t i = 1; i < {name}_OUTPUT_LENGTH; i++) label = scores[i] > scores[label] ? i : label;
    return label;
}}

const float *{name}_scores(void) {{ return scores; }}
"""
"""A program with the interface of ours that calls IREE's dispatch functions.

Without division of the work there is one workgroup. The constant of a dispatch is the one that JAX's variance has: that
the number of elements, `length`, is positive.
"""

VERSION = 6


def driver(stream: str, name: str) -> str:
    """The C driver for a module.

    stream: the text of the module at IREE's level `stream`.
    """
    words = b"".join(_bytes(text) for text in _composite(stream))
    execute = stream[stream.rindex("stream.cmd.execute", 0, stream.rindex("stream.tensor.export")) :]
    buffers: dict[str, str] = {}
    resources = re.findall(r"(%\w+) as (%arg\d+): !stream.resource<(\w+)>\{%c(\d+)\}", execute.splitlines()[0])
    for value, argument, kind, size in resources:
        if kind == "constant":
            buffers[argument] = "constants" if int(size) == len(words) else "length"
        elif kind == "external":
            buffers[argument] = (
                "x" if re.search(rf"^ *{value} = stream.tensor.import", stream, re.MULTILINE) else "scores"
            )
        else:
            buffers[argument] = "transient"
    ordinals = list(dict.fromkeys(re.findall(r"stream.executable.export public @(\w+)", stream)))
    calls: list[str] = []
    for command in re.split(r"stream\.cmd\.", execute)[2:]:
        bound = re.findall(r"(%arg\d+)\[%c(\d+) for %c(\d+)\]", command)
        pointers = [f"(uint8_t *){buffers[each]} + {offset}" for each, offset, _ in bound]
        if command.startswith("fill"):
            calls.append(f"    memset({pointers[0]}, 0, {bound[0][2]});")
        elif called := re.match(r"dispatch @\w+::@(\w+)", command):
            lengths = ", ".join(length for _, _, length in bound)
            arguments = f"(void *const[]){{{', '.join(pointers)}}}, (const size_t[]){{{lengths}}}"
            calls.append(f"    dispatch({ordinals.index(called[1])}, {len(bound)}, {arguments});")
    sizes = [int(size) for size in re.findall(r"!stream.resource<transient>\{%c(\d+)\}", stream)]
    return DRIVER.format(
        name=name,
        library=re.findall(r"module @(\w+)", stream)[0] + "_linked",
        constants=", ".join(map(hex, np.frombuffer(words, "<u4"))),
        transient=max(sizes, default=1),
        version=VERSION,
        calls="\n".join(calls),
    )


def _composite(stream: str) -> list[str]:
    """The names of the arrays that are concatenated to form the module's constants.

    stream: the text of the module at IREE's level `stream`.
    """
    start = stream.index("#util.composite<")
    return [line.strip().rstrip(",") for line in stream[start : stream.index("\n]>", start)].splitlines()[1:]]


def _bytes(text: str) -> bytes:
    ctx = Context()
    ctx.load_dialect(Builtin)
    attribute = GuardedParser(ctx, text).parse_attribute()
    assert isinstance(attribute, DenseIntOrFPElementsAttr)
    return attribute.data.data


def beside_iree(network: str, made: Path) -> dict[str, Any]:
    """The instructions and bytes of a network, compiled by `iree` and by tinyml in single precision (`f32`) and in 16
    bits (`fixed`).

    IREE's scores must equal the evaluator's to about four digits, those of tinyml in every bit.

    made: the folder of IREE's files.
    """
    runner, ctx = runner_for(TARGET), context()
    expected = np.load(MODELS / "expected.npz")
    values: dict[str, Any] = {"samples": SAMPLES}
    for format, width in (("f32", None), ("fixed", 16)):
        with tempfile.TemporaryDirectory() as out:
            model, val = MODELS / f"{network}-jax.mlir", Path(out, "val.npz")
            np.savez(val, x=expected["images"] / 16, y=expected["labels"])
            request = Request(model=model, val=val, target=TARGET, format=format, width=width, out=Path(out))
            ours = compile_stages(load_program(model, ctx), ctx, request.pipeline_options(board(TARGET)))
            interface = interface_of(ours.formats)
            raws = encode_inputs(ours.formats, expected["images"][:SAMPLES] / 16)
            scores = evaluate(ours.formats, raws).scores
            assert scores is not None
            ways: dict[str, tuple[str, tuple[str, ...]]] = {format: (ours.source, ())}
            if format == "f32":
                text = driver((made / f"{network}.stream").read_text(), interface.name)
                ways["iree"] = text, (str(made / f"{network}.o"),)
            for way, (source, objects) in ways.items():
                folder = Path(out, way)
                folder.mkdir()
                (folder / f"{interface.name}.c").write_text(source)
                (folder / f"{interface.name}.h").write_text(ours.header)
                built = runner.build(folder, interface, Path(out, f"{way}-build"), OPTIMIZE, objects)
                ran = runner.run(built, interface, raws)
                assert ran.scores is not None
                assert ran.cycles is not None
                found = ran.scores.view(np.float32) if format == "f32" else ran.scores
                wanted = scores.view(np.float32) if format == "f32" else scores
                np.testing.assert_allclose(
                    found, wanted, rtol=1e-4 if way == "iree" else 0, atol=1e-5 if way == "iree" else 0
                )
                values[way] = {
                    "time": round(float(np.mean(ran.cycles))),
                    "flash": built.flash_bytes,
                    "ram": built.static_bytes,
                }
    return values


def main() -> None:
    made = Path(sys.argv[1])
    rows: dict[str, dict[str, str]] = {}
    for network in NETWORKS:
        values = beside_iree(network, made)
        print(network, values)
        rows[network] = {
            heading: "; ".join(f"{values[way][each]:,}" for each in ("time", "flash", "ram"))
            for way, heading in (("iree", "IREE, f32"), ("f32", "tinyml, f32"), ("fixed", "tinyml, fixed 16"))
        } | {"source": "make bridges"}
    write(FOLDER / "mlir-iree.json", rows)


if __name__ == "__main__":
    main()
