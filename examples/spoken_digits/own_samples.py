"""The accuracy that samples of the user's own voice would add.

    python examples/spoken_digits/own_samples.py clips.npz OUT

OUT contains the networks and signals that `train.py` wrote. For each left-out speaker, a few random clips of each digit
become prototypes, the means of the values that the last layer reads. The other clips of the speaker get the digit of
the nearest prototype. The printed accuracies are means of `DRAWS` draws, in floating point, on the features that the
board computes. Needs the extra `onnx`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from spoken_digits import FRONT_END, NOISE, at_start, load_clips

from tinyml import features

DRAWS = 20
SAMPLES_OF_A_DIGIT = 1, 5


def last_values(model: Path, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values that the last layer of a network reads, and the scores of the digits, for features x."""
    network = onnx.load(model)
    last = network.graph.node[-1]
    network.graph.output.append(onnx.helper.make_tensor_value_info(last.input[0], onnx.TensorProto.FLOAT, None))
    scores, values = ReferenceEvaluator(network).run(None, {network.graph.input[0].name: x.astype(np.float32)})
    return values, scores[:, :NOISE]


def by_prototypes(values: np.ndarray, digits: np.ndarray, samples: int, random: np.random.Generator) -> float:
    """The share of clips with the digit of the nearest prototype, where `samples` random clips make each prototype."""
    order = random.permutation(len(digits))
    chosen = np.stack([order[digits[order] == digit][:samples] for digit in range(NOISE)])
    prototypes = values[chosen].mean(1)
    others = np.setdiff1d(order, chosen)
    distances = np.square(values[others, None] - prototypes).sum(2)
    return float((distances.argmin(1) == digits[others]).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clips", type=Path)
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    clips, digits, speakers = load_clips(asked.clips)
    for model in sorted(asked.out.glob("*.onnx")):
        random, own = np.random.default_rng(0), np.flatnonzero(speakers == model.stem)
        with np.load(model.with_suffix(".npz")) as data:
            device = features.for_device(FRONT_END, data["x"] / 32768)
        values, scores = last_values(model, device(at_start([clips[i] for i in own])))
        shares = [(scores.argmax(1) == digits[own]).mean()]
        for samples in SAMPLES_OF_A_DIGIT:
            shares.append(np.mean([by_prototypes(values, digits[own], samples, random) for _ in range(DRAWS)]))
        print(f"{model.stem}:", *(f"{100 * share:.1f}" for share in shares))


if __name__ == "__main__":
    main()
