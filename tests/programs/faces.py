"""The face detectors Face-A, Face-B and Face-C of MinUn (2021, table 7) in SeeDot's language, with random weights.

A convolution with stride 2, RNNPool (Saha et al., NeurIPS 2020: one FastGRNN reads the rows and the columns of each
patch, a second one their last states, in both directions), bottlenecks (MBConv) and, behind some of them, two
convolutions for confidences and boxes. The layers that the table leaves open are those of the published programs
(microsoft/EdgeML, tools/SeeDot: model/rnnpool/face-2, face-3 and face-4): heads and their normalisation, sizes of the
hidden states, and the last row and column of the pooled image, which repeat their neighbours. Batch normalisations and
the scales of normalised vectors are part of the weights.

From the folder `tests`, `python -m programs.faces FACE FOLDER` writes a program and data to compile it with, and with
`--board BOARD` compiles it for an image, runs it there and compares every bit with the evaluator.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from programs.lowered import lowered
from programs.narrow_peak import with_packed_buffers
from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.seedot.importer import import_seedot
from tinyml.targets.c.print_c import write_c
from tinyml.tools.driver.measure import Measured, Mismatch, run_on_device
from tinyml.transforms.formats.assign_format import AssignFormatPass

HIDDEN, CHANNELS = 16, 4
"""Numbers of a hidden state, and channels of the first convolution."""

BOX = 4


@dataclass(frozen=True)
class Face:
    """A detector: its patches, the (channels, stride) of its bottlenecks, and where its heads are.

    heads: the number of each bottleneck that is followed by a head, and whether its vectors are normalised first.
    """

    patch: int
    stride: int
    bottlenecks: Sequence[tuple[int, int]]
    heads: dict[int, bool]


FACES = {
    "face_a": Face(
        8,
        4,
        [*[(32, 1)] * 8, (96, 2), (96, 1), (96, 1), *[(128, 1)] * 3],
        {3: True, 7: True, 10: True, 13: False},
    ),
    "face_b": Face(16, 8, [(32, 1), (96, 1), (96, 1), (128, 1)], {0: True, 1: True, 3: True}),
    "face_c": Face(8, 4, [(32, 1), (32, 1), (64, 2), (64, 1)], {0: True, 1: True, 2: True, 3: False}),
}


@dataclass
class FaceProgram:
    """A program under construction: its lines and parameters."""

    face: Face
    height: int
    width: int
    random: np.random.Generator
    lines: list[str] = field(default_factory=list[str])
    parameters: dict[str, NDArray[np.float32]] = field(default_factory=dict[str, Any])

    def parameter(self, name: str, shape: Sequence[int], size: float, centre: float = 0.0) -> str:
        """Declare a parameter of uniformly distributed numbers."""
        values = centre + self.random.uniform(-size, size, shape)
        self.parameters[name] = values.astype(np.float32)
        self.lines.append(f"let {name} = ({', '.join(map(str, shape))}) in [{centre - size}, {centre + size}] in")
        return name

    def filter(self, name: str, shape: Sequence[int]) -> str:
        """A filter G x KH x KW x Cin x Cout that keeps the variance of its input."""
        return self.parameter(name, shape, (3.0 / np.prod(shape[1:4])) ** 0.5)

    def cell(self, name: str, inputs: int) -> None:
        """The parameters of a FastGRNN."""
        for letter, columns in (("W", inputs), ("U", HIDDEN)):
            self.parameter(f"{letter}{name}", (HIDDEN, columns), 1.5 / columns**0.5)
        self.parameter(f"Bg{name}", (HIDDEN, 1), 0.5, 0.5)
        self.parameter(f"Bh{name}", (HIDDEN, 1), 0.5)

    def text(self) -> str:
        rows, columns = self.height // 2, self.width // 2
        self.lines.append(f"let X = ({self.height * self.width}, 1) in [-1.0, 1.0] in")
        first = self.filter("F", (1, 3, 3, 1, CHANNELS))
        self.parameter("B", (CHANNELS,), 0.5, 0.5)
        self.cell("1", CHANNELS)
        self.cell("2", HIDDEN)
        image = f"reshape(X, (1, {self.height}, {self.width}, 1), (1, 2))"
        convolution = f"conv2d({image}, {first}, {{s 2 2}}, {{p 1 1 1 1}}, {{d 1 1}}, {{g 1}})"
        self.lines.append(f"let pixels = relu6({convolution} <+> B) in")
        rows, columns = self.pool(rows, columns)
        confidences, boxes = list[tuple[str, int]](), list[tuple[str, int]]()
        inside = 4 * HIDDEN
        for number, (channels, stride) in enumerate(self.face.bottlenecks):
            self.bottleneck(number, (rows, columns, inside), channels, stride)
            rows, columns, inside = -(-rows // stride), -(-columns // stride), channels
            if number in self.face.heads:
                head = self.head(number, channels, rows, columns)
                confidences.append(head[0])
                boxes.append(head[1])
        self.join([*confidences, *boxes])
        return "\n".join([*self.lines, ""])

    def pool(self, rows: int, columns: int) -> tuple[int, int]:
        """RNNPool over overlapping patches; the last row and column of the result are copies."""
        patch, stride = self.face.patch, self.face.stride
        down, across = ((extent - patch) // stride + 1 for extent in (rows, columns))
        self.lines.append(f"let pooled = init([1, {down + 1}, {across + 1}, {4 * HIDDEN}], 0.0) in")
        self.lines.append(f"let patches = loop(row = [0:{down}], pooled) (loop(column = [0:{across}], pooled) (")
        for name, place in (("rows", ("line", "step")), ("columns", ("step", "line"))):
            at = [f"{stride} * {index} + {name}_{inner}" for index, inner in zip(("row", "column"), place, strict=True)]
            pixel = f"reshape(pixels[0:+1][{at[0]}:+1][{at[1]}:+1][0:+{CHANNELS}], ({CHANNELS}, 1), (1, 2, 3, 4))"
            self.lines.append(f"  let {name} = init([{patch}, {HIDDEN}], 0.0) in")
            self.lines.append(f"  let {name}_read = loop({name}_line = [0:{patch}], {name}) (")
            self.recurrence(name, "1", pixel, f"{name}_step")
            self.lines.append(f"    let {name}[{name}_line:+1][0:+{HIDDEN}] = {self.row(f'{name}_last')} in {name}) in")
        self.lines.append(f"  let states = init([4, {HIDDEN}], 0.0) in")
        for number, (name, place) in enumerate(self.directions()):
            state = f"reshape({name}[{place.format(number=number)}:+1][0:+{HIDDEN}], ({HIDDEN}, 1), (1, 2))"
            self.recurrence(f"state{number}", "2", state, f"state{number}_step")
            self.lines.append(f"    let states[{number}:+1][0:+{HIDDEN}] = {self.row(f'state{number}_last')} in")
        whole = f"reshape(states, (1, 1, 1, {4 * HIDDEN}), (1, 2))"
        self.lines.append(f"  let pooled[0:+1][row:+1][column:+1][0:+{4 * HIDDEN}] = {whole} in pooled)) in")
        part = f"[0:+{across}][0:+{4 * HIDDEN}]"
        self.lines.append(f"let pooled[0:+1][{down}:+1]{part} = patches[0:+1][{down - 1}:+1]{part} in")
        part = f"[0:+1][0:+{down + 1}]", f"[0:+{4 * HIDDEN}]"
        self.lines.append(f"let pooled{part[0]}[{across}:+1]{part[1]} = pooled{part[0]}[{across - 1}:+1]{part[1]} in")
        return down + 1, across + 1

    def directions(self) -> Iterator[tuple[str, str]]:
        """The states that the second cell reads, and the place of the next one."""
        for name in ("rows", "columns"):
            yield name, "state{number}_step"
            yield name, f"({self.face.patch - 1} - state{{number}}_step)"

    def recurrence(self, name: str, cell: str, x: str, step: str) -> None:
        """The last state of a FastGRNN whose input at a step is `x`."""
        h, sum, gate = f"{name}_h", f"{name}_sum", f"{name}_gate"
        self.lines += [
            f"    let {h} = init([{HIDDEN}, 1], 0.0) in",
            f"    let {name}_last = loop({step} = [0:{self.face.patch}], {h}) (",
            f"      let {sum} = W{cell} * {x} + U{cell} * {h} in",
            f"      let {gate} = sigmoid({sum} + Bg{cell}) in",
            f"      let {h} = {gate} <*> {h} + (1.0 - {gate}) <*> tanh({sum} + Bh{cell}) in {h}) in",
        ]

    @staticmethod
    def row(column: str) -> str:
        return f"reshape({column}, (1, {HIDDEN}), (1, 2))"

    def bottleneck(self, number: int, image: tuple[int, int, int], outside: int, stride: int) -> None:
        """MBConv with expansion 2, row by row: of the wide image only three rows exist at a time.

        image: rows, columns and channels of the input. Rows of zeros lie around the wide image.
        """
        (rows, columns, inside), wide, name = image, 2 * image[2], f"M{number}"
        for stage, shape in enumerate(((1, 1, 1, inside, wide), (wide, 3, 3, 1, 1), (1, 1, 1, wide, outside)), 1):
            self.filter(f"L{number}F{stage}", shape)
            self.parameter(f"L{number}B{stage}", (shape[0] * shape[4],), 0.3)
        before = f"M{number - 1}" if number else "pooled"
        inner, part = f"[0:+{columns}][0:+{wide}]", f"[0:+{columns}][0:+{inside}]"

        def spread(start: str, count: int) -> str:
            """Some rows of the wide image."""
            read = f"{before}[0:+1][{start}:+{count}]{part}"
            return f"relu6(conv2d({read}, L{number}F1, {{s 1 1}}, {{p 0 0 0 0}}, {{d 1 1}}, {{g 1}}) <+> L{number}B1)"

        steps = f"{{s {stride} {stride}}}, {{p 0 0 1 1}}, {{d 1 1}}, {{g {wide}}}"
        narrowed = f"relu6(conv2d(E{number}, L{number}F2, {steps}) <+> L{number}B2)"
        result = f"conv2d({narrowed}, L{number}F3, {{s 1 1}}, {{p 0 0 0 0}}, {{d 1 1}}, {{g 1}}) <+> L{number}B3"
        after = f"[0:+{-(-columns // stride)}][0:+{outside}]"
        is_residual = stride == 1 and inside == outside

        def stored(row: str) -> str:
            """Stores a row of the result."""
            added = f"{before}[0:+1][{row}:+1]{part} + " if is_residual else ""
            return f"let {name}[0:+1][{row}:+1]{after} = {added}({result}) in"

        self.lines.append(f"let {name} = init([1, {-(-rows // stride)}, {-(-columns // stride)}, {outside}], 0.0) in")
        seen = f"let E{number} = init([1, 3, {columns}, {wide}], 0.0) in"
        kept = f"let R{number}[0:+1][0:+{3 - stride}]{inner} = E{number}[0:+1][{stride}:+{3 - stride}]{inner} in"
        if stride == 1:
            self.lines += [
                f"let R{number} = init([1, 2, {columns}, {wide}], 0.0) in",
                f"let R{number}[0:+1][1:+1]{inner} = {spread('0', 1)} in",
                f"let {name}_made = loop({name}_row = [1:{rows}], {name}) (",
                f"  {seen}",
                f"  let E{number}[0:+1][0:+2]{inner} = R{number} in",
                f"  let E{number}[0:+1][2:+1]{inner} = {spread(f'{name}_row', 1)} in",
                f"  {stored(f'({name}_row - 1)')}",
                f"  {kept} {name}) in",
                seen,
                f"let E{number}[0:+1][0:+2]{inner} = R{number} in",
                stored(f"{rows - 1}"),
            ]
        else:
            self.lines += [
                f"let R{number} = init([1, 1, {columns}, {wide}], 0.0) in",
                f"let {name}_made = loop({name}_row = [0:{rows // 2}], {name}) (",
                f"  {seen}",
                f"  let E{number}[0:+1][0:+1]{inner} = R{number} in",
                f"  let E{number}[0:+1][1:+2]{inner} = {spread(f'2 * {name}_row', 2)} in",
                f"  {stored(f'{name}_row')}",
                f"  {kept} {name}) in",
            ]

    def head(self, number: int, channels: int, rows: int, columns: int) -> tuple[tuple[str, int], tuple[str, int]]:
        """Confidences and boxes of each pixel; the first head has three confidences for the background."""
        value = f"M{number}"
        if self.face.heads[number]:
            self.lines.append(f"let S{number} = normaliseL2({value}) in")
            value = f"S{number}"
        is_first = number == min(self.face.heads)
        for name, outputs in ((f"C{number}", 4 if is_first else 2), (f"P{number}", BOX)):
            filter = self.filter(f"{name}F", (1, 3, 3, channels, outputs))
            bias = self.parameter(f"{name}B", (outputs,), 0.5)
            head = f"conv2d({value}, {filter}, {{s 1 1}}, {{p 1 1 1 1}}, {{d 1 1}}, {{g 1}}) <+> {bias}"
            self.lines.append(f"let {name} = {head} in")
        pixels, confidences = rows * columns, f"C{number}"
        if is_first:
            background = f"reshape(C{number}[0:+1][0:+{rows}][0:+{columns}][0:+3], (1, {pixels}, 3, 1), (1, 2, 3, 4))"
            greatest = f"maxpool({background}, {{k1 3}}, {{p 0 0 0 0}}, {{s 1 3}})"
            shape = f"(1, {rows}, {columns}, 1)"
            part = f"[0:+1][0:+{rows}][0:+{columns}]"
            confidences = "Most"
            self.lines += [
                f"let Most = init([1, {rows}, {columns}, 2], 0.0) in",
                f"let Most{part}[0:+1] = reshape({greatest}, {shape}, (1, 2, 3, 4)) in",
                f"let Most{part}[1:+1] = C{number}{part}[3:+1] in",
            ]
        return (confidences, 2 * pixels), (f"P{number}", BOX * pixels)

    def join(self, parts: Sequence[tuple[str, int]]) -> None:
        """All confidences, then all boxes, in one row."""
        self.lines.append(f"let answer = init([1, {sum(length for _, length in parts)}], 0.0) in")
        start = 0
        for name, length in parts:
            row = f"reshape({name}, (1, {length}), (1, 2, 3, 4))"
            self.lines.append(f"let answer[0:+1][{start}:+{length}] = {row} in")
            start += length
        self.lines.append("answer")


def images(count: int, height: int, width: int, random: np.random.Generator) -> NDArray[np.float32]:
    """(count, height * width): smooth images with some noise, in [-1, 1]."""
    rows, columns = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
    waves = random.uniform(1, 12, (count, 2, 1, 1)) * rows + random.uniform(1, 12, (count, 2, 1, 1)) * columns
    smooth: NDArray[np.float64] = np.prod(np.sin(waves + random.uniform(0, 6, (count, 2, 1, 1))), axis=1)
    return (0.8 * smooth + random.uniform(-0.2, 0.2, smooth.shape)).reshape(count, -1).astype(np.float32)


def write_face(face: Face, file: Path, height: int, width: int) -> Path:
    """Write a program, beside it its parameters and data.npz with an image; returns the file."""
    random, folder = np.random.default_rng(1), file.parent
    program = FaceProgram(face, height, width, random)
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(program.text())
    for parameter, values in program.parameters.items():
        np.save(folder / f"{parameter}.npy", values)
    np.savez(folder / "data.npz", x=images(1, height, width, random))
    return file


def build_face(
    file: Path, out: Path, width: int, target: str, narrow: Sequence[str] = (), ram: int | None = None
) -> ModuleOp:
    """Compile a program to fixed point of some width, with scales for its data; returns it at L1.

    narrow, ram: as `with_packed_buffers` takes them. Constants are rounded to nearest: there is no trained detector
    whose answers they could be refined for.
    """
    ctx = context()
    options: dict[str, Any] = {"target": target, "reuse_input": True}
    given = {"format": "fixed", "width": width, "data": str(file.parent / "data.npz")}
    profiled = import_seedot(file.read_text(), str(file))
    steps = pipelines.flatten("reals-to-formats", {**options, **given})
    assignment = next(i for i, step in enumerate(steps) if isinstance(step, AssignFormatPass))
    pipelines.run(profiled, ctx, steps[:assignment])
    steps = [*steps[assignment:], *pipelines.flatten("formats-to-buffers", options)]
    formats, module = with_packed_buffers(profiled, steps, narrow, ram)
    lowered(module, ctx, start="buffers-to-loops", **options)
    out.mkdir(parents=True, exist_ok=True)
    write_c(module, ctx, target, out)
    return formats


def measure_face(
    file: Path, width: int, board: str, narrow: Sequence[str] = (), ram: int | None = None
) -> tuple[Measured, Mismatch | None]:
    """Compile a program and run it on the first image of its data."""
    out = file.parent / f"fixed{width}-{board}"
    formats = build_face(file, out, width, board, narrow, ram)
    with np.load(file.parent / "data.npz") as data:
        return run_on_device(out, formats, data["x"][:1], target=board, optimize="-O2")


def main() -> None:
    parser = argparse.ArgumentParser(prog="programs.faces", description=__doc__)
    parser.add_argument("face", choices=FACES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--height", type=int, default=240)
    parser.add_argument("--width", type=int, default=320)
    parser.add_argument("--bits", type=int, default=16)
    parser.add_argument("--narrow", nargs="*", default=[], help="tensors of 8 bits")
    parser.add_argument("--ram", type=int, help="bytes; more tensors get 8 bits until the arena fits")
    parser.add_argument("--board")
    arguments = parser.parse_args()
    file = arguments.folder / f"{arguments.face}.sd"
    write_face(FACES[arguments.face], file, arguments.height, arguments.width)
    print(file)
    if arguments.board is not None:
        measured, mismatch = measure_face(file, arguments.bits, arguments.board, arguments.narrow, arguments.ram)
        ram = measured.static_bytes + measured.stack_bytes
        print(f"RAM {ram}, flash {measured.flash_bytes}, cost {measured.cost}: {mismatch or 'all bits equal'}")


if __name__ == "__main__":
    main()
