"""Worked examples of number formats, exponentials, and the fixed point of Vivado HLS.

The numbers are 1.6181 and a posit (MinUn, section 2), and 2.25 and 1.50 (Shiftry, section 4). Vivado's `ap_fixed` has
one format for all numbers (SeeDot 7.3.2), truncates, and wraps around.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from measured.commands import Unmeasured, measure, model_path
from measured.store import Values
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.formats.published.shiftry import ShiftryType
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.calibration.programs.generated_code import LENGTH, program, write

Raws = NDArray[np.int64]
Reals = NDArray[np.floating]
Parameters = dict[str, Any]

BATCH = 100


@dataclass(frozen=True)
class ApFixed:
    """The format `ap_fixed<width, integer>`: raws of `width` bits. `integer` is the number of bits before the binary
    point, including the sign.
    """

    width: int
    integer: int

    @property
    def fraction(self) -> int:
        return self.width - self.integer

    def of(self, reals: Reals) -> Raws:
        raws = np.floor(np.clip(np.asarray(reals, np.float64) * 2.0**self.fraction, -(2.0**62), 2.0**62))
        return self.wrapped(raws.astype(np.int64))

    def wrapped(self, raws: Raws) -> Raws:
        half = 1 << (self.width - 1)
        return ((raws + half) & (2 * half - 1)) - half

    def dot(self, left: Raws, right: Raws, axis: int) -> Raws:
        """Sums of products along an axis, as raws. Each product is truncated before it is added."""
        return self.wrapped((left * right >> self.fraction).sum(axis))

    def function(self, function: Callable[[Reals], Reals], raws: Raws) -> Raws:
        """The raws of a function's results; arguments are clamped to 40, so that exp is finite."""
        return self.of(function(np.minimum(raws * 2.0**-self.fraction, 40)))


def loss(family: str, names: tuple[str, ...], width: int) -> Callable[[Path | None], Values]:
    """A function that measures the points that the best `ap_fixed` of a width loses on the test set, averaged over
    models.

    family: `protonn` or `bonsai`.
    names: the names of the models.
    """
    forward = {"protonn": _protonn, "bonsai": _bonsai}[family]

    def measured(models: Path | None) -> Values:
        losses = {name: _loss(forward, folder, width) for name, folder in _folders(names, models).items()}
        return {**losses, "mean": round(sum(losses.values()) / len(losses), 2)}

    return measured


def loss_beside_seedot(family: str, names: tuple[str, ...], width: int) -> Callable[[Path | None], Values]:
    """A function that measures the points that the best `ap_fixed` of a width loses on the test set, as `loss`, and
    those that SeeDot's arithmetic with the best maxscale loses on the same samples (`seedot-NAME`).
    """

    def measured(models: Path | None) -> Values:
        options = f"--format seedot --search maxscale --widths {width} --target host"
        programs = {
            name: measure(f"compile {folder.resolve()} {options}", models)
            for name, folder in _folders(names, models).items()
        }
        found = {f"seedot-{name}": round(0.0 - program["change"], 2) for name, program in programs.items()}
        return {**loss(family, names, width)(models), **found}

    return measured


def _folders(names: tuple[str, ...], models: Path | None) -> dict[str, Path]:
    """The folders of classifiers with their test sets; the repository's have fewer samples."""
    return {name: models / name if models else model_path(name, models) for name in names}


def _loss(forward: Callable[[ApFixed, Reals, Parameters], Raws], folder: Path, width: int) -> float:
    if not (folder / "meta.json").exists():
        raise Unmeasured(f"no meta.json in {folder}")
    given: Parameters = {
        **json.loads((folder / "meta.json").read_text()),
        **{file.stem: np.load(file) for file in folder.glob("*.npy")},
    }
    data = np.load(folder / "test.npz")
    formats = [ApFixed(width, integer) for integer in range(width)]
    right = {
        format: sum(
            int((forward(format, data["x"][i : i + BATCH], given).argmax(1) == data["y"][i : i + BATCH]).sum())
            for i in range(0, len(data["x"]), BATCH)
        )
        for format in formats
    }
    return round(100 * (given["accuracy"]["test"] - max(right.values()) / len(data["x"])), 2)


def _protonn(to: ApFixed, x: Reals, given: Parameters) -> Raws:
    weights, prototypes, scores = (to.of(given[name]) for name in "WBZ")
    projected = to.dot(to.of(x)[:, :, None], weights[None], 1)
    distances = to.wrapped(projected[:, :, None] - prototypes[None])
    squared = to.dot(distances, distances, 1)
    arguments = to.dot(np.asarray(to.of(-(given["gamma"] ** 2)))[None], squared[None], 0)
    return to.dot(to.function(np.exp, arguments)[:, None], scores[None], 2)


def _bonsai(to: ApFixed, x: Reals, given: Parameters) -> Raws:
    classes, depth = given["L"], given["depth"]
    projected = to.dot(to.of(x)[:, None], to.of(given["Z"])[None], 2)
    size = projected.shape[1]
    weights, gates = (to.of(given[name]).reshape(-1, classes, size) for name in "WV")
    branches = to.of(given["T"])
    node, scores = np.zeros(len(x), int), np.zeros((len(x), classes), np.int64)
    for level in range(depth + 1):
        sums = to.dot(gates[node], projected[:, None], 2)
        gate = to.function(np.tanh, to.dot(np.asarray(to.of(given["sigma"]))[None], sums[None], 0))
        parts = to.dot(weights[node], projected[:, None], 2)
        scores = to.wrapped(scores + to.dot(parts[None], gate[None], 0))
        if level < depth:
            right = to.dot(branches[node], projected, 1) > 0
            node = np.where(right, 2 * node + 1, 2 * node + 2)
    return scores


NUMBER = np.array([1.6181])

SHIFTRY: Any = ShiftryType
"""Made of width and scale, which type checkers do not see behind the fields that xDSL generates."""


def representations(_models: Path | None) -> Values:
    """The raw of 1.6181 in each of three formats, and the number that the posit 01101101 with es 2 represents.

    `fixed`: in Shiftry's fixed point, truncated. `rounded`: in fixed point, rounded. `skewed`: in zero-skew, plus 128,
    as an unsigned byte.
    """
    return {
        "fixed": int(SHIFTRY(16, 14).encode(NUMBER)[0]),
        "rounded": int(FixedType(16, 14).encode(NUMBER)[0]),
        "skewed": int(ZeroSkewType(8, 4 / 255, 0).encode(NUMBER)[0]) + 128,
        "posit": float(PositType(8, 2).decode(np.array([0b01101101], np.int8))[0]),
    }


def integers(_models: Path | None) -> Values:
    """The raws of 2.25 with scale 2 and of 1.50 with scale 1, and their product with scale 3 as a real."""
    left, right = (int(SHIFTRY(8, scale).encode(np.array([real]))[0]) for real, scale in ((2.25, 2), (1.5, 1)))
    return {"left": left, "right": right, "product": float(SHIFTRY(16, 3).decode(np.array([left * right]))[0])}


REALS = np.random.default_rng(0).uniform(-8, 0, (2, LENGTH)).astype(np.float32)
"""128 arguments, as in figure 9's programs not above zero; the paper has 100 random ones."""

ARGUMENT, RESULT = FixedType(16, 11), FixedType(16, 14)
"""The scales of Shiftry 5.4 for exp of what is not above zero."""

FAST_EXP = """\
#include <string.h>
/* The exponent and the mantissa of 2^(x / ln 2), linear in between: 2^23 / ln 2 and 127 * 2^23 - 366393. */
static float fast_exp(float x)
{
    int32_t bits = (int32_t)(12102203.0f * x) + 1064986823L;
    float y;
    memcpy(&y, &bits, sizeof y);
    return y;
}
"""
"""Schraudolph's approximation in single precision, in C."""


def exponentials(device: str) -> Callable[[Path | None], Values]:
    """A function that measures, for each implementation of exp on a device, the maximum error and the time per element
    without the loop: cycles on an AVR, otherwise instructions.
    """
    return lambda _models: _exponentials(device)


def _exponentials(device: str) -> Values:
    found: dict[str, float] = {}
    for name, in_fixed_point, scheme in (("seedot", True, "seedot"), ("ours", True, None), ("math", False, None)):
        cycles, scores = _run(device, "exp", in_fixed_point, scheme)
        found[name] = cycles - _run(device, "cast", in_fixed_point)[0]
        found[f"{name}_error"] = float(np.abs(scores - np.exp(REALS)).max())
    cycles, scores = _loop(device, REALS, "fast_exp(X[i])", FAST_EXP)
    found["schraudolph"] = cycles - _loop(device, REALS, "X[i]")[0]
    found["schraudolph_error"] = float(np.abs(scores - np.exp(REALS)).max())
    found["beside_math"] = found["math"] / found["seedot"]
    found["beside_schraudolph"] = found["schraudolph"] / found["seedot"]
    found["ours_beside_math"] = found["math"] / found["ours"]
    found["ours_beside_schraudolph"] = found["schraudolph"] / found["ours"]
    return {name: round(value, 5 if name.endswith("error") else 1) for name, value in found.items()}


def _run(
    device: str, function: str, in_fixed_point: bool, scheme: str | None = None
) -> tuple[float, NDArray[np.floating]]:
    """The time per element of a loop that applies a function, and the results as reals.

    function: the name of an op of `tdsl`.
    in_fixed_point: false for floats.
    scheme: the implementation of the function; None for the default.
    """
    source, result = ARGUMENT, ARGUMENT if function == "cast" else RESULT
    context, module = program(function, *((str(source), str(result)) if in_fixed_point else ("f32", "f32")), scheme)
    interface, runner = interface_of(module), runner_for(device)
    inputs = source.encode(REALS.astype(np.float64)) if in_fixed_point else REALS
    with tempfile.TemporaryDirectory() as name:
        folder = write(context, module, device, Path(name))
        ran = runner.run(runner.build(folder, interface, folder), interface, inputs)
    assert ran.cycles is not None
    assert ran.scores is not None
    return float(ran.cycles.mean()) / LENGTH, result.decode(ran.scores) if in_fixed_point else ran.scores


def operators(_models: Path | None) -> Values:
    """The cycles of an Uno for a sum and a product in floats and in 16-bit integers, including the load of the second
    operand.

    `sum_times`, `product_times`: the cycles in floats divided by those in integers.
    `float_loop`, `integer_loop`: the cycles of the loop with its load and its store, which are not counted.
    """
    found: dict[str, float] = {}
    for name, inputs in (("float", REALS), ("integer", (REALS * 256).astype(np.int16))):
        copied = _loop("uno", inputs, "X[i]")[0]
        found[f"{name}_loop"] = round(copied, 1)
        for operator, sign in (("sum", "+"), ("product", "*")):
            found[f"{name}_{operator}"] = round(_loop("uno", inputs, f"X[i] {sign} X[{LENGTH - 1} - i]")[0] - copied, 1)
    ratios = {f"{name}_times": found[f"float_{name}"] / found[f"integer_{name}"] for name in ("sum", "product")}
    return found | {name: round(ratio, 1) for name, ratio in ratios.items()}


WIDE = f"""
static NUMBER rounded(const NUMBER *x)
{{
    NUMBER sum = 0;
    for (uint8_t j = 0; j < {LENGTH}; j++)
        sum = (NUMBER)((((int64_t)sum << 13) + (PRODUCT)x[j] * x[{LENGTH - 1} - j]) >> 13);
    return sum;
}}
"""
"""Products in full, added in 64 bits, and each sum rounded to the type of its variable."""

WIDE_TYPES = {"bits_16": (np.int16, "int32_t"), "bits_32": (np.int32, "int64_t")}
"""Numbers and their products."""

MULTIPLIED = {"protonn": ("W", "B", "Z"), "bonsai": ("Z",)}
"""Parameters each of which is multiplied once; Bonsai's nodes, of which only a path is, are left out."""


def wide_sums(family: str, names: Sequence[str]) -> Callable[[Path | None], Values]:
    """A function that divides the cycles of products with 64-bit sums on an Uno by the cycles of whole 16-bit programs
    of tinyml.

    It returns geometric means for each width of the numbers: over all parameters, and over the nonzero parameters
    (`_sparse`). The products are measured without exp, comparisons or loads of indices, so the ratios are lower bounds.
    It also returns the cycles of a product (`_cycles`).

    family: the family of the models, such as `protonn`.
    names: the names of the models.
    """

    def measured(models: Path | None) -> Values:
        cycles: dict[str, float] = {}
        for kind, (number, product) in WIDE_TYPES.items():
            inputs = (REALS * 256).astype(number)
            code = WIDE.replace("NUMBER", f"{inputs.dtype}_t").replace("PRODUCT", product)
            cycles[kind] = _loop("uno", inputs, "rounded(X)", code)[0] / LENGTH
        ratios: dict[str, list[float]] = {}
        for name in names:
            folder = model_path(name, models)
            weights = [np.load(folder / f"{matrix}.npy") for matrix in MULTIPLIED[family]]
            entries = {
                "": sum(each.size for each in weights),
                "_sparse": sum(int((each != 0).sum()) for each in weights),
            }
            ours = measure(f"compile {name} --width 16", models)["time"]
            for kind, each in cycles.items():
                for suffix, count in entries.items():
                    ratios.setdefault(f"{kind}{suffix}", []).append(each * count / ours)
        means = {key: round(float(np.exp(np.log(each).mean())), 1) for key, each in ratios.items()}
        return {**means, **{f"{kind}_cycles": round(each) for kind, each in cycles.items()}, "models": len(names)}

    return measured


def _loop(
    device: str, inputs: NDArray[np.generic], body: str, definitions: str = ""
) -> tuple[float, NDArray[np.generic]]:
    """The time per element of a C loop over rows of inputs, and the result that the loop computes for each X[i].

    body: the C expression of the result.
    definitions: C code that precedes the function.
    """
    kind = "float" if inputs.dtype == np.float32 else f"{inputs.dtype}_t"
    interface, runner = Interface("loop", kind, LENGTH, kind, LENGTH, has_label=False), runner_for(device)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "loop.h").write_text(
            f"#include <stdint.h>\n#define loop_INPUT_LENGTH {LENGTH}\n#define loop_OUTPUT_LENGTH {LENGTH}\n"
            f"void loop_predict(const {kind} *X);\nconst {kind} *loop_scores(void);\n"
        )
        (folder / "loop.c").write_text(
            f'#include "loop.h"\n{definitions}static {kind} out[{LENGTH}];\n'
            f"const {kind} *loop_scores(void) {{ return out; }}\nvoid loop_predict(const {kind} *X)\n{{\n"
            f"    for (uint8_t i = 0; i < {LENGTH}; i++)\n        out[i] = ({kind})({body});\n}}\n"
        )
        ran = runner.run(runner.build(folder, interface, folder), interface, inputs)
    assert ran.cycles is not None
    assert ran.scores is not None
    return float(ran.cycles.mean()) / LENGTH, ran.scores
