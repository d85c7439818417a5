"""Detectors as a user compiles them: widths by a search, detections and average precision on pictures with boxes.

From the folder `tests`, `python -m programs.face_results FACE DETECTORS OUT [options of tinyml compile]` writes
`FACE.onnx` to the folder OUT, compiles it for a Cortex-M4, compares all outputs for a picture there with the
evaluator's, and prints the average precision on all pictures. It takes an hour or more with a search. With
`--by-size ELEMENTS`, tensors of more elements have 8 bits and all others 16, in place of a search, and a picture runs
on the simulated chip with `--run`.

DETECTORS holds FACE.npz with the weights (`faces.parameters`); images.npz with `images` (pictures, height, width) in
gray, `boxes` and the `counts` of boxes of each picture; and reference.npz with `x` (pictures, height, width), gray less
MEAN: other pictures, on which ranges are profiled and widths are searched.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from programs.detections import Found, average_precision, detections
from programs.faces import FACES, INPUT_SCALE, MEAN, Face, face_model, parameters
from programs.on_boards import difference, printed
from tinyml.dialects.context import context
from tinyml.dialects.functions import defined_functions
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, in_reals
from tinyml.tools.driver.stages import load_program
from tinyml.tools.main import main as tinyml
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.assignment.tensor_classes import tensor_classes
from tinyml.transforms.search.costs.working_memory import arena_and_input

BOARD = "cortex-m4"


def write_detector(name: str, detectors: Path, out: Path) -> Path:
    """Write FACE.onnx and, beside it, search.npz and test.npz; returns the model."""
    out.mkdir(parents=True, exist_ok=True)
    model = out / f"{name}.onnx"
    detector = face_model(FACES[name], parameters(FACES[name], detectors / f"{name}.npz"))
    model.write_bytes(detector.SerializeToString())
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


def by_search(name: str, detectors: Path, out: Path, options: Sequence[str]) -> dict[str, Any]:
    """Compile a detector with `tinyml compile`; its report, and its average precision."""
    model, compiled = write_detector(name, detectors, out), out / name
    data = ["--val", str(out / "search.npz"), "--test", str(out / "test.npz")]
    # The detectors' papers count the image as a part of the memory, where other tensors may take its place.
    command = ["compile", str(model), *data, "--target", BOARD, "--reuse-input", "-o", str(compiled), "--force"]
    if tinyml([*command, *options]) != 0:
        raise SystemExit(1)
    report: dict[str, Any] = json.loads((compiled / "report.json").read_text())
    formats = load_program(compiled / "ir" / "1-formats.mlir", context())
    return {**report, "average_precision": precision(name, formats, detectors)}


def by_size(name: str, detectors: Path, out: Path, elements: int, device: bool) -> dict[str, Any]:
    """The program in which tensors of more elements have 8 bits and all others 16, streamed by rows.

    Returns the bytes of arena and image, and the average precision. device: also run a picture on a simulated
    Cortex-M4, and return the first `mismatch` with the evaluator.
    """
    model, ctx = write_detector(name, detectors, out), context()
    module = load_program(model, ctx)
    options: dict[str, Any] = {"target": BOARD, "reuse_input": True, "plan": "rows"}
    given = {**options, "format": "fixed", "width": 16, "data": str(out / "search.npz")}
    steps = pipelines.flatten("reals-to-formats", given)
    assignment = next(at for at, step in enumerate(steps) if isinstance(step, AssignFormatPass))
    pipelines.run(module, ctx, steps[:assignment])
    [function] = defined_functions(module)
    narrow = tuple(f"{each.name}:8" for each in tensor_classes(function) if each.elements > elements)
    assigned = [replace(step, widths=narrow) if isinstance(step, AssignFormatPass) else step for step in steps]
    pipelines.run(module, ctx, assigned[assignment:])
    packed = module.clone()
    pipelines.run(packed, ctx, pipelines.flatten("formats-to-buffers", options))
    found: dict[str, Any] = {"ram": arena_and_input(packed), "average_precision": precision(name, module, detectors)}
    if device:
        source, raws = printed(module, BOARD, out / "c", options), encode_inputs(module, np.load(out / "test.npz")["x"])
        found["mismatch"] = str(difference(module, raws, source, runner_for(BOARD), out / "build"))
    return found


def precision(name: str, formats: ModuleOp, detectors: Path) -> float:
    """The average precision of a program at L1 on all measured pictures."""
    pictures, truth = measured_pictures(detectors)
    return average_precision(list(found_by(FACES[name], formats, pictures)), truth)


def main() -> None:
    name, detectors, out, *options = sys.argv[1:]
    if options[:1] == ["--by-size"]:
        results = by_size(name, Path(detectors), Path(out), int(options[1]), "--run" in options)
    else:
        results = by_search(name, Path(detectors), Path(out), options)
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
