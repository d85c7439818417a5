"""Detectors as a user compiles them: widths by a search, detections and average precision on pictures with boxes.

From the folder `tests`, `python -m programs.face_results FACE DETECTORS OUT [options of tinyml compile]` writes
`FACE.onnx` to the folder OUT, compiles it for a Cortex-M4, compares all outputs for a picture there with the
evaluator's, and prints the average precision on all pictures. It takes an hour or more with a search.

DETECTORS holds FACE.npz with the weights (`faces.parameters`); images.npz with `images` (pictures, height, width), gray,
`boxes` and the `counts` of boxes of each picture; and reference.npz with `x` (pictures, height, width), gray - MEAN:
other pictures, on which ranges are profiled and widths are searched.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from programs.detections import Found, average_precision, detections
from programs.faces import FACES, INPUT_SCALE, MEAN, Face, face_model, parameters
from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, in_reals
from tinyml.tools.driver.stages import load_program
from tinyml.tools.main import main as tinyml


def write_detector(name: str, detectors: Path, out: Path) -> Path:
    """Write FACE.onnx and, beside it, search.npz and test.npz; returns the model."""
    out.mkdir(parents=True, exist_ok=True)
    model = out / f"{name}.onnx"
    onnx.save(face_model(FACES[name], parameters(FACES[name], detectors / f"{name}.npz")), str(model))
    with np.load(detectors / "reference.npz") as arrays:
        searched = arrays["x"] / INPUT_SCALE
    pictures, _ = measured_pictures(detectors)
    for file, x in (("search", searched), ("test", pictures[:1])):
        np.savez(out / f"{file}.npz", x=x.reshape(len(x), -1).astype(np.float32))
    return model


def measured_pictures(detectors: Path) -> tuple[NDArray[np.float32], list[NDArray[Any]]]:
    """The inputs of all measured pictures, (pictures, pixels), and the boxes of each."""
    with np.load(detectors / "images.npz") as arrays:
        pictures = (arrays["images"].astype(np.float32) - MEAN) / INPUT_SCALE
        boxes = np.split(arrays["boxes"].astype(np.float64), np.cumsum(arrays["counts"])[:-1])
    return pictures.reshape(len(pictures), -1).astype(np.float32), boxes


def found_by(face: Face, formats: ModuleOp, pictures: NDArray[np.float32]) -> Iterator[Found]:
    """The detections of a program at L1 in each picture, of the outputs that a device computes."""
    for picture in pictures:
        scores, boxes = in_reals(formats, evaluate(formats, encode_inputs(formats, picture[None]))).tensors
        yield detections(face, scores.reshape(-1, 2), boxes.reshape(-1, 4))


def measure(name: str, detectors: Path, out: Path, options: Sequence[str]) -> dict[str, Any]:
    """Compile a detector; its report, and its average precision."""
    model, compiled = write_detector(name, detectors, out), out / name
    data = ["--val", str(out / "search.npz"), "--test", str(out / "test.npz")]
    # The detectors' papers count the image as a part of the memory, where other tensors may take its place.
    command = ["compile", str(model), *data, "--target", "cortex-m4", "--reuse-input", "-o", str(compiled), "--force"]
    if tinyml([*command, *options]) != 0:
        raise SystemExit(1)
    report: dict[str, Any] = json.loads((compiled / "report.json").read_text())
    formats = load_program(compiled / "ir" / "1-formats.mlir", context())
    pictures, truth = measured_pictures(detectors)
    precision = average_precision(list(found_by(FACES[name], formats, pictures)), truth)
    return {**report, "average_precision": precision}


if __name__ == "__main__":
    face, detectors, out, *options = sys.argv[1:]
    print(json.dumps(measure(face, Path(detectors), Path(out), options), indent=1))
