"""Small random programs in SeeDot's language, similar to real programs, to which the cost model is fitted.

Every run generates the same programs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SAMPLES = 48

ZEROS = (0.0, 0.5, 0.0, 0.8)
"""Fractions of zeros among the inputs; program i uses entry i modulo 4."""


@dataclass(frozen=True)
class MicroProgram:
    """A generated program.

    text: the source without the declarations.
    parameters: arrays by name.
    inputs: the number of elements of X, in [-1, 1]; a fraction of the elements may be zero.
    """

    text: str
    parameters: dict[str, NDArray[np.float64]]
    inputs: int

    def write(self, folder: Path, seed: int) -> Path:
        """Write the program, its parameters and validation data to a folder and return the program's file."""
        declared = [
            f"let {name} = ({', '.join(map(str, array.shape))}) in [{array.min():.9f}, {array.max():.9f}] in"
            for name, array in self.parameters.items()
        ]
        lines = [f"let X = ({self.inputs}, 1) in [-1.0, 1.0] in", *declared, self.text]
        folder.mkdir()
        (folder / "program.sd").write_text("\n".join(lines) + "\n")
        for name, array in self.parameters.items():
            np.save(folder / f"{name}.npy", array.astype(np.float32))
        random = np.random.default_rng(seed)
        x = random.uniform(-1, 1, (SAMPLES, self.inputs)).astype(np.float32)
        zeros = np.arange(self.inputs) < ZEROS[seed % len(ZEROS)] * self.inputs
        x[random.permuted(np.tile(zeros, (SAMPLES, 1)), axis=1)] = 0
        np.savez(folder / "val.npz", x=x)
        return folder / "program.sd"


class Random:
    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.parameters: dict[str, NDArray[np.float64]] = {}

    def array(self, name: str, *shape: int, scale: float = 1.0, mean: float = 0.0, dense: float = 1.0) -> str:
        values = self.rng.normal(mean, scale, shape)
        self.parameters[name] = values * (self.rng.random(shape) < dense)
        return name

    def matrix(self, name: str, rows: int, columns: int, dense: float = 1.0) -> str:
        return self.array(name, rows, columns, scale=1.4 / np.sqrt(columns), dense=dense)


def protonn(random: Random, inputs: int, d: int, prototypes: int, classes: int, dense: float) -> MicroProgram:
    random.matrix("W", d, inputs, dense)
    random.array("B", prototypes, d, 1, scale=0.6)
    random.array("Z", prototypes, classes, 1)
    text = f"""let WX = W {"*" if dense == 1 else "|*|"} X in
let res = $(i = [0:{prototypes}])
(
    let del = WX - B[i] in
    Z[i] * exp(-0.4 * (del^T * del))
) in
argmax(res)"""
    return MicroProgram(text, random.parameters, inputs)


def bonsai(random: Random, inputs: int, d: int, depth: int, classes: int, dense: float) -> MicroProgram:
    random.matrix("Z", d, inputs, dense)
    for name, shape in (
        ("W", (2 ** (depth + 1) - 1, classes)),
        ("V", (2 ** (depth + 1) - 1, classes)),
        ("T", (2**depth - 1, 1)),
    ):
        random.array(name, *shape, d)
    lines = [f"let ZX = Z {'*' if dense == 1 else '|*|'} X in", "let node0 = 0 in"]
    lines.append("let score0 = (W[node0] * ZX) <*> tanh(V[node0] * ZX) in")
    for k in range(depth):
        lines.append(f"let node{k + 1} = (T[node{k}] * ZX) >= 0 ? (2 * node{k}) + 1 : (2 * node{k}) + 2 in")
        lines.append(f"let score{k + 1} = score{k} + ((W[node{k + 1}] * ZX) <*> tanh(V[node{k + 1}] * ZX)) in")
    return MicroProgram("\n".join([*lines, f"argmax(score{depth})"]), random.parameters, inputs)


def fastgrnn(
    random: Random, steps: int, inputs: int, hidden: int, classes: int, ranks: tuple[int, int] | None
) -> MicroProgram:
    if ranks is None:
        random.matrix("W", inputs, hidden)
        random.matrix("U", hidden, hidden)
    else:
        random.matrix("W1", inputs, ranks[0])
        random.matrix("W2", ranks[0], hidden)
        random.matrix("U1", hidden, ranks[1])
        random.matrix("U2", ranks[1], hidden)
    random.matrix("FC", hidden, classes)
    for name, length in (("Bg", hidden), ("Bh", hidden), ("FCbias", classes)):
        random.array(name, 1, length, scale=0.4, mean=0.8)
    text = f"""let XX = reshape(X, ({steps}, 1, {inputs}), (1, 2)) in
let zeta = 0.82 in
let nu = 0.037 in
let H = init([1, {hidden}], 0.0) in
let res = loop(i = [0:{steps}], H)
(
    let a = {"XX[i] * W" if ranks is None else "(XX[i] * W1) * W2"} in
    let b = {"H * U" if ranks is None else "(H * U1) * U2"} in
    let c = a + b in
    let g = sigmoid(c + Bg) in
    let h = tanh(c + Bh) in
    let H = (g <*> H) + (zeta * (1.0 - g) + nu) <*> h in H
) in
let score = (res * FC) + FCbias in
argmax(score)"""
    return MicroProgram(text, random.parameters, steps * inputs)


def dense(random: Random, inputs: int, hidden: int, classes: int, function: str) -> MicroProgram:
    random.matrix("W1", hidden, inputs)
    random.matrix("W2", classes, hidden)
    random.array("B1", hidden, 1, scale=0.3)
    random.array("B2", classes, 1, scale=0.3)
    text = f"let A = {function}(W1 * X + B1) in\nargmax(W2 * A + B2)"
    return MicroProgram(text, random.parameters, inputs)


def columns(random: Random, inputs: int, count: int, hidden: int, function: str) -> MicroProgram:
    """Generate a program that applies a layer of `hidden` units, with the activation `function`, to `count` vectors of
    `inputs` elements each. The vectors are the columns of a matrix.
    """
    random.matrix("W1", hidden, inputs)
    random.matrix("W2", 1, hidden)
    text = f"""let XX = reshape(X, ({inputs}, {count}), (1, 2)) in
let A = {function}(W1 * XX) in
argmax(W2 * A)"""
    return MicroProgram(text, random.parameters, inputs * count)


def chain(random: Random, length: int, ops: int) -> MicroProgram:
    """Generate a program of `ops` random elementwise ops and products on vectors of `length` elements. Most of the ops
    fuse into one loop.
    """
    rng = random.rng
    lines: list[str] = []
    names = ["X"]
    for j in range(ops):
        a = names[rng.integers(len(names))]
        others = [name for name in names if name != a] or [random.array(f"D{j}", length, 1, scale=0.5)]
        b = others[rng.integers(len(others))]
        c = f"C{j}"
        kind = str(rng.choice(["tanh", "sigmoid", "relu", "exp", "square", "scale", "negate", "product", *"+-*+-*"]))
        match kind:
            case "tanh" | "sigmoid" | "relu":
                term = f"{kind}({a})"
            case "exp":
                term = f"exp(-{rng.uniform(0.2, 0.9):.2f} * {a})"
            case "square":
                term = f"exp(-{rng.uniform(0.2, 0.9):.2f} * ({a} <*> {a}))"
            case "scale":
                term = f"{rng.uniform(0.1, 3):.3f} * {a}"
            case "negate":
                term = f"-{a}"
            case "product":
                term = f"{random.matrix(c, length, length)} * {a}"
            case _:
                operand = b if rng.random() < 0.5 else random.array(c, length, 1, scale=0.5)
                term = f"{a} {'<*>' if kind == '*' else kind} {operand}"
        lines.append(f"let v{j} = {term} in")
        names.append(f"v{j}")
        if rng.random() < 0.6 and len(names) > 2:
            names.pop(0)
    return MicroProgram("\n".join([*lines, f"argmax({' + '.join(names)})"]), random.parameters, length)


def convolutions(random: Random, size: int, channels: int, rows: int, kernel: int, classes: int) -> MicroProgram:
    """Generate a network of a convolution, a depthwise convolution, a pool and a dense layer on a square image.

    size: the height and the width of the image.
    rows: the number of filters of the first convolution.
    kernel: the height and the width of these filters.
    """
    random.array("F", 1, kernel, kernel, channels, rows, scale=1 / kernel)
    random.array("G", rows, 3, 3, 1, 1, scale=0.5)
    random.array("B", rows, scale=0.3)
    random.array("C", rows, scale=0.3)
    side = (size + 1) // 2 // 2
    random.matrix("W", classes, side * side * rows)
    pad = kernel // 2
    text = f"""let I = reshape(X, (1, {size}, {size}, {channels}), (1, 2)) in
let A = relu(conv2d(I, F, {{s 1 1}}, {{p {pad} {pad} {pad} {pad}}}, {{d 1 1}}, {{g 1}}) <+> B) in
let D = relu(conv2d(A, G, {{s 2 2}}, {{p 1 1 1 1}}, {{d 1 1}}, {{g {rows}}}) <+> C) in
let M = maxpool(D, {{k 2 2}}, {{p 0 0 0 0}}, {{s 2 2}}) in
argmax(W * reshape(M, ({side * side * rows}, 1), (1, 2, 3, 4)))"""
    return MicroProgram(text, random.parameters, size * size * channels)


_FIXED: Sequence[tuple[Callable[..., MicroProgram], Sequence[tuple[object, ...]]]] = (
    (protonn, [(16, 16, 40, 26, 1), (60, 10, 24, 6, 0.4), (40, 12, 20, 10, 1), (120, 20, 30, 10, 0.4)]),
    (protonn, [(24, 8, 30, 3, 1), (90, 15, 16, 5, 0.3), (10, 30, 20, 8, 1), (70, 5, 50, 12, 1), (30, 25, 15, 20, 1)]),
    (bonsai, [(17, 14, 2, 26, 1), (100, 22, 2, 10, 0.3), (60, 20, 1, 10, 0.3), (30, 8, 2, 5, 1)]),
    (fastgrnn, [(6, 16, 32, 10, None), (5, 13, 48, 10, None), (4, 13, 80, 10, (8, 20)), (6, 16, 32, 10, (5, 5))]),
    (fastgrnn, [(5, 8, 20, 6, None), (4, 20, 24, 4, (6, 6)), (3, 30, 60, 12, (10, 12)), (8, 4, 16, 8, (3, 4))]),
    (dense, [(30, 20, 10, "relu"), (64, 16, 10, "tanh"), (20, 30, 4, "sigmoid"), (48, 12, 3, "relu")]),
)
_COLUMNS = [(32, 4, 8, "relu"), (12, 3, 20, "tanh"), (50, 5, 6, "sigmoid"), (9, 10, 15, "relu")]
_CONVOLUTIONS = [(8, 3, 8, 3, 4), (10, 2, 5, 5, 6), (7, 4, 12, 1, 3), (12, 1, 4, 3, 10), (6, 8, 6, 3, 5)]
CHAINS = 60


def micro_programs() -> list[MicroProgram]:
    """All micro-programs, in a fixed order."""
    made = [(make, arguments) for make, several in _FIXED for arguments in several]
    lengths = np.random.default_rng(0).integers((4, 2), (60, 7), (CHAINS, 2))
    made += [(chain, (int(length), int(ops))) for length, ops in lengths]
    made += [(columns, arguments) for arguments in _COLUMNS]
    made += [(convolutions, arguments) for arguments in _CONVOLUTIONS]
    return [make(Random(seed), *arguments) for seed, (make, arguments) in enumerate(made)]
