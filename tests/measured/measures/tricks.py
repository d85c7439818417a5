"""The effect of the training techniques in Gural and Murmann's appendix E, on small networks and a tenth of MNIST.

Networks are trained with fixed seeds as in the sweep (`architectures`): in floating point, then with weights and
activations of 4 bits. Errors are measured on 10,000 images that influenced no choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy

from measured.architectures import SIDE, Network, Reals, Trained, planned
from measured.store import Values, by_parts
from measured.trainings import digits

np: Any = numpy
"""numpy, of whose types this file makes no use."""

SEEDS = range(300, 304)
EPOCHS = 6
"""Epochs of either kind; the paper has 50 and 200, of all images."""

PUBLISHED = Network(((3, 5), (3, 8), (3, 11)), pool=True)
WIDE = Network(((3, 16), (3, 24), (3, 32)), pool=True)
"""The network that tells easy images from hard ones."""


def total(network: Network, mode: str) -> float:
    """The bytes of weights of 4 bits, of biases of 8 bits, and of activations with a schedule.

    mode: the name of the schedule.
    """
    biases = sum(channels for _, channels in network.layers) + 10
    return (network.parameters - biases) / 2 + biases + planned(network)[mode]


def narrowed(mode: str) -> Network:
    """A variant of the published network with fewer channels: the one with the most products whose weights and
    activations fit the memory limit with the schedule `mode`.

    The limit is the memory of the published network with the schedule `herringbone`. No layer has more channels than in
    the published network.
    """
    limit = total(PUBLISHED, "herringbone")
    channels = [range(2, most + 1) for _, most in PUBLISHED.layers]
    networks = [Network(((3, a), (3, b), (3, c)), pool=True) for a, b, c in product(*channels)]
    return max((network for network in networks if total(network, mode) <= limit), key=_products)


def _products(network: Network) -> int:
    images = network.images
    layers = zip(network.layers, images, images[1:], strict=False)
    return sum(after.pixels * kernel * kernel * before.channels * count for (kernel, count), before, after in layers)


@dataclass(frozen=True)
class Trick:
    """A network and the additional techniques with which it is trained.

    added: which distorted images are added: `none`, `all` or the `easy` ones.
    orthogonal: True for orthogonal initial weights.
    """

    network: Network
    orthogonal: bool = False
    added: str = "none"


@cache
def by_name() -> Mapping[str, Trick]:
    """All instances of `Trick` by name."""
    return {
        "plain": Trick(PUBLISHED),
        "replace": Trick(narrowed("replace")),
        "ordinary": Trick(narrowed("ordinary")),
        "orthogonal": Trick(PUBLISHED, orthogonal=True),
        "distorted": Trick(PUBLISHED, added="all"),
        "easy": Trick(PUBLISHED, added="easy"),
    }


def tricks(_models: Path | None) -> Values:
    """For each technique, the mean error in percent over all seeds, in programs trained for the same number of steps.

    `of_best`: among the trainings of the network without techniques (`plain`), the error of the one with the least
        validation error.
    `spread`: the difference between the greatest and the least error of the plain network.
    `trainings`: the number of seeds. `channels`: the channels of the networks `replace` and `ordinary`.
    """
    parts = [f"{name} {seed}" for name in by_name() for seed in SEEDS]
    errors = by_parts("tricks", parts, lambda part: _trained(*part.split()))
    found = {name: [errors[f"{name} {seed}"] for seed in SEEDS] for name in by_name()}
    best = min(found["plain"], key=lambda one: one["val"])
    plain = [one["test"] for one in found["plain"]]
    return {
        **{name: round(float(np.mean([one["test"] for one in each])), 2) for name, each in found.items()},
        "of_best": best["test"], "spread": round(max(plain) - min(plain), 2), "trainings": len(SEEDS),
        "channels": {name: [count for _, count in by_name()[name].network.layers] for name in ("replace", "ordinary")},
    }  # fmt: skip


def _trained(name: str, seed: str) -> Values:
    trick = by_name()[name]
    x, labels = _training_set(trick.added)
    trained = Trained(trick.network, int(seed), trick.orthogonal)
    # As many steps with more images.
    epochs = EPOCHS * len(_training_set("none")[0]) // len(x)
    trained.epochs(x, labels, epochs, 3e-3)
    trained.bits = 4
    trained.epochs(x, labels, epochs, 1e-3)
    sets = digits(side=2 * SIDE)
    return {
        kind: round(trained.error(_levels(part.x), part.y), 2)
        for kind, part in (("val", sets.val), ("test", sets.test))
    }


@cache
def _training_set(added: str) -> tuple[Reals, Any]:
    """Images of 16 levels and labels.

    added: the distorted images that are added: `none`, `all` for one of each image, or `easy` for those of them that a
        wider network classifies correctly.
    """
    sets = digits(side=2 * SIDE)
    x, labels = _levels(sets.train.x), sets.train.y
    if added == "none":
        return x, labels
    distorted = _levels(_distorted(sets.train.x))
    kept = np.full(len(labels), True)
    if added == "easy":
        wide = Trained(WIDE, seed=0, orthogonal=True)
        wide.epochs(x, labels, 3, 3e-3)
        kept = wide.forward(distorted)[0].argmax(1) == labels
    return np.concatenate([x, distorted[kept]]), np.concatenate([labels, labels[kept]])


def _levels(x: Reals) -> Reals:
    """Means of blocks of 2 x 2 pixels in the 16 levels of the published network, of shape (samples, 14, 14, 1)."""
    blocks = x.reshape(-1, SIDE, 2, SIDE, 2).mean((2, 4))[..., None]
    return (np.floor(blocks * 15.9375) / 16).astype("f4")


def _distorted(x: Reals, deviation: float = 4.0, scale: float = 34.0) -> Reals:
    """Elastic distortions (Simard et al. 2003): fields of random displacements, smoothed by a Gaussian and scaled.

    deviation: the standard deviation of the Gaussian, in pixels.
    scale: the factor of the displacements.
    """
    draw, side = np.random.default_rng(0), 2 * SIDE
    away = np.arange(side)[:, None] - np.arange(side)
    smooth = np.exp(-(away**2) / (2 * deviation**2)) / (deviation * (2 * np.pi) ** 0.5)
    rows, columns = (scale * (smooth @ draw.uniform(-1, 1, (len(x), side, side)) @ smooth) for _ in range(2))
    at = np.arange(side, dtype="f8")
    y, x_at = (np.clip(each, 0, side - 1.001) for each in (at[:, None] + rows, at + columns))
    top, left = y.astype(int), x_at.astype(int)
    down, right = y - top, x_at - left
    images, number = x.reshape(-1, side, side), np.arange(len(x))[:, None, None]
    upper = images[number, top, left] * (1 - right) + images[number, top, left + 1] * right
    lower = images[number, top + 1, left] * (1 - right) + images[number, top + 1, left + 1] * right
    return upper * (1 - down) + lower * down
