"""Detectors compiled as a user would, with widths chosen by a search: their detections, and their average precision on
pictures with boxes.

From the folder `tests`, `python -m programs.face_results FACE DETECTORS OUT [options of tinyml compile]` writes
`FACE.onnx` to the folder OUT and compiles it for a Cortex-M4. It compares all outputs for a picture on the emulated
chip with the evaluator's. It then prints the average precisions of the program and of the model on reals on all
pictures. With a search, this takes some minutes of processor time for each thousand million instructions of an
inference, since an inference runs several times. `FACE.svg` in OUT shows the boxes that the program and the model find
in the first picture.

DETECTORS contains three files. FACE.npz has the weights (`faces.parameters`). images.npz has `images` (pictures,
height, width) in grey, `boxes`, and the `counts` of boxes of each picture. reference.npz has other pictures, on which
ranges are profiled and widths are searched: `x` (pictures, height, width), grey minus MEAN, and `q`, these and further
pictures as halved integers.
"""

from __future__ import annotations

import contextlib
import json
import struct
import sys
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from programs.detections import Found, average_precision, detections
from programs.faces import FACES, INPUT_SCALE, MEAN, Face, face_model, parameters
from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, evaluate_reals, in_reals
from tinyml.tools.driver.stages import load_program
from tinyml.tools.main import main as tinyml

SHOWN = 0.5
"""The least score of a box that is drawn."""

GAP, TITLE = 8, 18
"""Pixels between the images, and the height of the titles above them."""


def write_detector(name: str, detectors: Path, out: Path, searched: int | None = None) -> Path:
    """Write FACE.onnx, search.npz and test.npz to a folder, and return the model file.

    searched: the number of pictures in search.npz, counted from the first; by default all.
    """
    out.mkdir(parents=True, exist_ok=True)
    model = out / f"{name}.onnx"
    detector = face_model(FACES[name], parameters(FACES[name], detectors / f"{name}.npz"))
    model.write_bytes(detector.SerializeToString())
    with np.load(detectors / "reference.npz") as arrays:
        known = len(arrays["x"])
        given = np.concatenate([arrays["x"], 2.0 * arrays["q"][known:]]) / INPUT_SCALE
    every = np.concatenate([given, given[:, :, ::-1]])
    pictures, _ = measured_pictures(detectors)
    for file, x in (("search", every[:searched]), ("test", pictures[:1])):
        np.savez(out / f"{file}.npz", x=x.reshape(len(x), -1).astype(np.float32))
    return model


def measured_pictures(detectors: Path) -> tuple[NDArray[np.float32], list[NDArray[Any]]]:
    """The inputs of all measured pictures (pictures, pixels), and the true boxes of each."""
    with np.load(detectors / "images.npz") as arrays:
        pictures = (arrays["images"].astype(np.float32) - MEAN) / INPUT_SCALE
        boxes = np.split(arrays["boxes"].astype(np.float64), np.cumsum(arrays["counts"])[:-1])
    return pictures.reshape(len(pictures), -1).astype(np.float32), boxes


def found_by(face: Face, outputs: Iterator[Outputs]) -> list[Found]:
    """The boxes that a detector finds in each picture, computed from its outputs in reals."""
    tensors = [[tensor[0] for tensor in each.tensors] for each in outputs]
    return [detections(face, scores.reshape(-1, 2), boxes.reshape(-1, 4)) for scores, boxes in tensors]


def side_by_side(image: NDArray[np.uint8], truth: NDArray[Any], found: Mapping[str, Found]) -> str:
    """An SVG with one copy of the image for each title, showing the boxes found in it, and the true boxes dashed."""
    height, width = image.shape
    png = b64encode(_png(image)).decode()
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {len(found) * (width + GAP) - GAP} {height + TITLE}" '
        'font-family="sans-serif" font-size="12">',
        f'<defs><image id="image" width="{width}" height="{height}" href="data:image/png;base64,{png}"/></defs>',
    ]
    for column, (title, (boxes, scores)) in enumerate(found.items()):
        lines.append(f'<g transform="translate({column * (width + GAP)} {TITLE})"><text y="-5">{title}</text>')
        lines.append('<use href="#image"/>')
        lines += _outlines(truth, 'stroke="#ffffff" stroke-dasharray="2 2"')
        lines += _outlines(boxes[scores >= SHOWN], 'stroke="#ffb000" stroke-width="1.5"')
        lines.append("</g>")
    return "\n".join([*lines, "</svg>", ""])


def _outlines(boxes: NDArray[Any], style: str) -> Sequence[str]:
    return [
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" '
        f'fill="none" {style}/>'
        for left, top, right, bottom in boxes
    ]


def _png(image: NDArray[np.uint8]) -> bytes:
    """A PNG file of a grey image, reduced to 16 levels."""
    shades = np.minimum((image.astype(int) + 8) // 17, 15).astype(np.uint8)
    packed = shades[:, ::2] << 4 | shades[:, 1::2]
    rows = b"".join(b"\0" + row.tobytes() for row in packed)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 4, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def compiled(
    name: str,
    detectors: Path,
    out: Path,
    options: Sequence[str],
    board: str = "cortex-m4",
    searched: int | None = None,
) -> dict[str, Any]:
    """Compile a detector with `tinyml compile`; return its report with its average precision and that of the `float`
    model. Also draw the faces that the program and this model find in one image, to `NAME.svg`.

    searched: as in `write_detector`.

    Raises `SystemExit` if the chip's outputs differ from the evaluator's.
    """
    model, folder, face = write_detector(name, detectors, out, searched), out / name, FACES[name]
    data = ["--val", str(out / "search.npz"), "--test", str(out / "test.npz")]
    # The detectors' papers count the image as a part of the memory, where other tensors may take its place.
    command = ["compile", str(model), *data, "--target", board, "--reuse-input", "-o", str(folder), "--force"]
    if tinyml([*command, *options]) != 0:
        raise SystemExit(1)
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    reals, formats = (load_program(file, context()) for file in (model, folder / "ir" / "1-formats.mlir"))
    pictures, truth = measured_pictures(detectors)
    exact = found_by(face, (evaluate_reals(reals, picture[None]) for picture in pictures))
    found = found_by(
        face, (in_reals(formats, evaluate(formats, encode_inputs(formats, picture[None]))) for picture in pictures)
    )
    with np.load(detectors / "images.npz") as arrays:
        picture = side_by_side(arrays["images"][0], truth[0], {"in floats": exact[0], "compiled": found[0]})
    (out / f"{name}.svg").write_text(picture, encoding="utf-8")
    precisions = {"float": average_precision(exact, truth), "average_precision": average_precision(found, truth)}
    return {**report, **precisions}


def main() -> None:
    name, detectors, out, *options = sys.argv[1:]
    with contextlib.redirect_stdout(sys.stderr):
        results = compiled(name, Path(detectors), Path(out), options)
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
