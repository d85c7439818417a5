"""Compare compiled features and labels with features and labels in floating point, on a recorded and a generated
stream.

    python examples/gestures/measure.py taps.txt

taps.txt has six integers per line, three axes of acceleration and three of rotation. An example is applications/
GesturePod/onComputer/data/taps.txt of microsoft/EdgeML. The scales of the classifier are chosen on every 20th window in
the first quarter of the file and on other generated windows. Every window of 400 readings is compared.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from gesture_pod import MODEL, GesturePod, for_scales, numpy_features, numpy_labels, wandering, windows

import tinyml
from tinyml import features

WIDTHS = {
    "16 bits": (16, (), 16),
    "chunks of 8 bits": (16, ("chunks:8",), 16),
    "classifier of 8 bits": (16, ("chunks:8",), 8),
}
"""The widths of the front end, of single tensors in it, and of the classifier."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("taps", type=Path)
    streams = {"taps": np.loadtxt(parser.parse_args().taps, int), "generated": wandering(3420, 1)}
    scales = for_scales()
    first = streams["taps"][: len(streams["taps"]) // 4]
    known = np.concatenate([windows(each, 20) for each in (first, wandering(4000, 2))])
    for words, (width, widths, classifier) in WIDTHS.items():
        device = features.for_device(GesturePod(), scales, width=width, widths=widths)
        model = device.followed_by(MODEL)
        program = tinyml.compile(model, known, board="mkr1000", input="push", stride=1, width=classifier)
        for name, readings in streams.items():
            exact = numpy_features(readings)
            error = np.abs(device(windows(readings)) - exact).max()
            equal = program.scores(windows(readings)).argmax(1) == numpy_labels(exact)
            print(f"{words}, {name}: greatest error of a feature {error:g}, {equal.mean():.2%} of {len(equal)} labels")


if __name__ == "__main__":
    main()
