"""Unusual names of inputs, outputs and programs: names of the interface, of C and of Arduino, and names that are equal
as identifiers.
"""

from __future__ import annotations

import re
import subprocess
import warnings
from pathlib import Path
from random import Random

import numpy as np
import onnx
from onnx import helper
from oracles.onnx_models import FLOAT, model
from programs.printed import WARNING_FLAGS

import tinyml
from fuzz.verdicts import ACCEPTED, REFUSED, Harm
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.device import DeviceError
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.api.program import Program
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.stages import load_program

OF_INTERFACE = """SCALE LENGTH ZERO SHIFT INPUT OUTPUT CLASSES INPUT_SCALE INPUT_ZERO INPUT_LENGTH OUTPUT_LENGTH
    OUTPUT_SCALE BLOB_BYTES BLOB_OK WEIGHTS_BYTES predict run set input scores score X arena bind blob class_name
    predict_floats predict_input output output_0 output_1 weights reset push ready ctx H c h x_SCALE SCALE_x"""
OF_C = """int for main double true NULL errno uint8_t int8_t INT8_MIN memcpy exp y0 index bool restrict _Bool __x _X v t
    i tm_dot TM_INT24 tm_limit EOF stdin offsetof static_assert PROGMEM F PI A0 B1 LOW min max abs word byte"""
OF_ARDUINO = """Wire SPI EEPROM Servo SD WiFi Keyboard Mouse Print Stream Serial Serial1 String Arduino Client Server
    Ethernet Stepper SoftwareSerial HardwareSerial LiquidCrystal IPAddress Udp WString binary pins_arduino"""
STRANGE = (
    "a b",
    "a_b",
    "a/b:0",
    "a.b",
    "x.1",
    "x_1",
    "x",
    "X",
    "ä",
    "",
    "1",
    "1x",
    "x\n*/",
    "x*/",
    "x" * 70,
    '"',
    "\\",
    "//",
)
"""Names that are no identifiers, or that are equal as identifiers."""

HEADERS = frozenset(f"{name}.h".lower() for name in OF_ARDUINO.split())
"""Headers of Arduino's core and of its libraries, which a header of the same name would hide."""


def names(number: int, random: Random, folder: Path) -> str:
    """Compile a model of several inputs and outputs with unusual names, and use its header. Return the verdict on the
    compilation.

    Raises `Harm` if the C or C++ has warnings, if a macro of an input has the value of another one, if an output
    differs from the evaluator's, or if a header hides one of Arduino.
    """
    interface, words, arduino = (names.split() for names in (OF_INTERFACE, OF_C, OF_ARDUINO))
    pool = [*interface, *interface, *words, *arduino, *STRANGE, *STRANGE]
    inputs = list(dict.fromkeys(random.choice(pool) for _ in range(random.randint(1, 3))))
    drawn = dict.fromkeys(random.choice(pool) for _ in range(random.randint(1, 3)))
    outputs = [name for name in drawn if name and name not in inputs] or ["result"]
    name = random.choice([*arduino, *interface, *words, *STRANGE, *["net"] * 60])
    told = f"inputs {inputs}, outputs {outputs}, program {name!r}"
    (folder / "network.onnx").write_bytes(network(inputs, outputs, random).SerializeToString())
    x = np.random.default_rng(number).normal(size=(20, 2 * len(inputs))).astype(np.float32)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = tinyml.compile(folder / "network.onnx", x, board="uno", format="fixed", width=8, name=name)
            program.save(folder / "out", packages=["arduino"])
    except InputError as error:
        if len(str(error).splitlines()) != 1:
            raise Harm("not one line", f"{told}: {error}") from error
        return REFUSED
    except Exception as error:
        raise Harm("traceback", f"{told}: {type(error).__name__}: {' '.join(str(error).split())[:300]}") from error
    hidden = [file.name for file in (folder / "out").rglob("*.h") if file.name.lower() in HEADERS]
    if hidden:
        raise Harm("mismatch", f"{told}: {hidden[0]} hides a header of Arduino")
    _use(program, folder, told, x)
    return ACCEPTED


def network(inputs: list[str], outputs: list[str], random: Random) -> onnx.ModelProto:
    """A model that adds dense layers of all inputs of two elements, and returns activations of the sum."""
    numbers = np.random.default_rng(random.randrange(1 << 30))
    constants = {f"weights{i}.": numbers.normal(size=(2, 3)).astype(np.float32) for i in range(len(inputs))}
    nodes = [helper.make_node("MatMul", [name, f"weights{i}."], [f"product{i}."]) for i, name in enumerate(inputs)]
    products = [f"product{i}." for i in range(len(inputs))]
    nodes.append(helper.make_node("Sum", products, ["sum."]))
    ops = ("Relu", "Tanh", "Sigmoid")
    nodes += [helper.make_node(op, ["sum."], [name]) for op, name in zip(ops, outputs, strict=False)]
    made = model(nodes, [1, 2], constants, outputs=outputs)
    del made.graph.input[:]
    made.graph.input.extend(helper.make_tensor_value_info(name, FLOAT, [1, 2]) for name in inputs)
    return made


def _use(program: Program, folder: Path, told: str, x: np.ndarray) -> None:
    """Compile the program and its header in C and in C++, and run it. Raises `Harm` as `names` does."""
    source = program.folder
    formats = load_program(source / "ir" / "1-formats.mlir", context())
    interface, raws, runner = interface_of(formats), encode_inputs(formats, x[:4]), HostRunner(sanitize=True)
    try:
        built = runner.build(source, interface, folder / "build", extra_flags=WARNING_FLAGS)
        result = runner.run(built, interface, raws)
    except DeviceError as error:
        raise Harm("sanitizer", f"{told}: {error}") from error
    found = first_mismatch(evaluate(formats, raws), Outputs(result.labels, result.scores, result.more))
    if found is not None:
        raise Harm("mismatch", f"{told}: {found}")
    macros = re.findall(r"#define (\w+) \d+ /\* index of the first of", program.h)
    printed = "".join(f'printf("%d\\n", {macro}); ' for macro in macros)
    (folder / "caller.cpp").write_text(
        f'#include <stdio.h>\n#include "{program.name}.h"\nint main() {{ {printed}return 0; }}\n'
    )
    command = ["g++", "-Wall", "-Wextra", "-Werror", f"-I{source}", "caller.cpp", "-o", "caller"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Harm("sanitizer", f"{told}: {done.stderr[:300]}")
    lines = subprocess.run([folder / "caller"], capture_output=True, text=True, check=True).stdout.split()
    firsts = [first for _, _, first, *_ in interface.input_parts]
    if macros and [int(line) for line in lines] != firsts:
        raise Harm("mismatch", f"{told}: {dict(zip(macros, lines, strict=True))}, the inputs begin at {firsts}")
