"""BitNetMCU's networks for 16 x 16 digits on an emulated RV32EC: its own C, and our programs with the same weights.

The weights are parsed from the headers of a checkout (github.com/cpldcpu/BitNetMCU, GPL); none of them is stored here.
BitNetMCU scales the activations of each layer by a shift that is determined at run time, while our programs have static
scales. Both read the same 8-bit integers from BitNetMCU's normalisation, which scales each digit to a maximum magnitude
of 127.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import tinyml
from measured.store import Values
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.program_in_folder import program_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

BOARD, NAME = "ch32v003", "digits"
DATA = "protonn-mnist16-10"
"""The model beside the checkout whose data are MNIST's digits in 16 x 16 pixels from 0 to 1."""

MEAN, DEVIATION = 0.1307, 0.3081
"""The normalisation of pixels with which its networks are trained."""

SAMPLES = 4000
"""The most digits that are emulated."""

_NUMBER = re.compile(r"#define L(\d)_(bitperweight|incoming_weights|outgoing_weights) (\d+)")
_WEIGHTS = re.compile(r"L(\d)_weights\[\] = \{([^}]*)\}")

THEIRS = """\
#include <stdint.h>
#include "{header}"
#define CH32V003
#include "{source}"
#include "{name}.h"

int8_t *{name}_input(void) {{ static int8_t pixels[256]; return pixels; }}
const int8_t *{name}_scores(void) {{ static int8_t scores[10]; return scores; }}
int16_t {name}_predict(const int8_t *x)
{{
    static int32_t sums[MAX_N_ACTIVATIONS];
    static int8_t layer[MAX_N_ACTIVATIONS];
    int16_t label = 0;
{layers}
    return label;
}}
"""


def layers_of(header: str) -> list[Array]:
    """The odd integer weights of each layer, of shape (outputs, inputs), parsed from the text of a header.

    The uppermost bits of a word contain the first weight: the sign, set for negative weights, then (|w| - 1) / 2.
    """
    numbers = {(int(layer), what): int(number) for layer, what, number in _NUMBER.findall(header)}
    layers: list[Array] = []
    for layer, text in _WEIGHTS.findall(header):
        bits, *shape = (numbers[int(layer), what] for what in ("bitperweight", "outgoing_weights", "incoming_weights"))
        words = np.array([int(word, 16) for word in re.findall(r"0x[0-9a-f]+", text)], np.int64)
        codes = words[:, None] >> np.arange(32 - bits, -1, -bits) & (1 << bits) - 1
        size = 2 * (codes & (1 << bits - 1) - 1) + 1
        layers.append(np.where(codes >> bits - 1, -size, size).reshape(shape))
    return layers


def program(layers: list[Array], folder: Path) -> Path:
    """Write the network in SeeDot's language and its weights to a folder, and return the source file."""
    lines, before = ["let X = (256, 1) in [-1.0, 1.0] in"], "X"
    for number, weights in enumerate(layers, 1):
        np.save(folder / f"W{number}.npy", weights.astype(np.float32))
        shape, (low, high) = ", ".join(map(str, weights.shape)), (weights.min(), weights.max())
        lines.insert(0, f"let W{number} = ({shape}) in [{low:.1f}, {high:.1f}] in")
        product = f"W{number} * {before}"
        lines.append(
            f"let S{number} = {product} in" if number == len(layers) else f"let H{number} = relu({product}) in"
        )
        before = f"H{number}"
    file = folder / f"{NAME}.sd"
    file.write_text("\n".join([*lines, f"argmax(S{len(layers)})"]) + "\n", encoding="utf-8")
    return file


def raws_of(pixels: Array) -> Array:
    """The 8-bit integers that the networks read for images of digits."""
    normal = (pixels - MEAN) / DEVIATION
    return np.rint(127 * normal / np.abs(normal).max(1, keepdims=True)).astype(np.int8)


def _theirs(checkout: Path, header: Path, count: int) -> str:
    """The text of a C file with BitNetMCU's network, composed of its functions but with the function names of our
    program.

    header: the file with the weights.
    count: the number of layers.
    """
    lines: list[str] = []
    for layer in range(1, count + 1):
        shape = f"L{layer}_weights, L{layer}_bitperweight, L{layer}_incoming_weights, L{layer}_outgoing_weights"
        lines.append(f"    processfclayer({'(int8_t *)x' if layer == 1 else 'layer'}, {shape}, sums);")
        lines.append(f"    label = (int16_t)ReLUNorm(sums, layer, L{layer}_outgoing_weights);")
    source = checkout / "BitNetMCU_inference.c"
    return THEIRS.format(header=header, source=source, name=NAME, layers="\n".join(lines))


def bitnetmcu(checkout: Path, options: list[str]) -> Values:
    """The figures of the network `12k` or `1k`, for BitNetMCU's program and ours.

    The figures are instructions per inference, bytes of flash and the percentage of right answers. `samples` is the
    number of digits, and `differ` the number of digits with different answers.
    """
    [network] = options
    header = checkout / f"mcu/BitNetMCU_model_{network}.h"
    layers = layers_of(header.read_text(encoding="utf-8"))
    bits = int(max(np.abs(layer).max() for layer in layers) + 1).bit_length() - 1
    values: Values = {}
    with tempfile.TemporaryDirectory() as made:
        folder, data = Path(made), dict[str, Path]()
        for part in ("val", "test"):
            given = np.load(checkout.parent / DATA / f"{part}.npz")
            data[part] = folder / f"{part}.npz"
            np.savez(data[part], x=raws_of(given["x"]) / np.float32(128), y=given["y"])
        weights, source = f"midrise:{bits}", str(program(layers, folder))
        compiled = tinyml.compile(source, str(data["val"]), format="fixed", width=8, weights=weights, board=BOARD)
        compiled.save(folder / "ours")
        ours, theirs = program_in(folder / "ours"), folder / "theirs"
        theirs.mkdir()
        (theirs / f"{NAME}.c").write_text(_theirs(checkout, header, len(layers)), encoding="utf-8")
        # Its source includes it for messages that it does not print.
        (theirs / "stdio.h").touch()
        (theirs / f"{NAME}.h").write_bytes(ours.files[f"{NAME}.h"])
        interface, runner = interface_of(ours.formats), runner_for(BOARD)
        test = np.load(data["test"])
        raws, found = (test["x"][:SAMPLES] * 128).astype(np.int8), dict[str, Any]()
        with ours.to_build() as folder_of_ours:
            for name, source in (("ours", folder_of_ours), ("theirs", theirs)):
                (build := folder / f"build-{name}").mkdir()
                built = runner.build(source, interface, build)
                result = runner.run(built, interface, raws)
                assert result.labels is not None
                assert result.cycles is not None
                found[name] = result.labels
                right = 100 * float((result.labels == test["y"][:SAMPLES]).mean())
                values |= {name: round(float(result.cycles.mean())), f"{name}_flash": built.flash_bytes}
                values |= {f"{name}_right": round(right, 2)}
    return {**values, "differ": int((found["ours"] != found["theirs"]).sum()), "samples": len(raws)}
