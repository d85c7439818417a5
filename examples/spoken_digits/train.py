"""Spoken digits from raw audio: a small convolutional network, trained without one speaker, for an Arduino Uno.

    python examples/spoken_digits/train.py clips.npz OUT [--left-out SPEAKER] [--network fastgrnn]

clips.npz is the Free Spoken Digit Dataset in one file: `samples` (int16, 8 kHz, one clip after the other), `offsets`,
`digit` and `speaker`. For each speaker, or for the speaker that is named, a network is trained on augmented clips of
all other speakers, alone and in running audio. OUT receives SPEAKER.onnx (for a FastGRNN SPEAKER.mlir), and SPEAKER.npz
with clips of the other speakers at various levels, on which the scales of formats are chosen. The printed accuracy is
the accuracy of the compiled program on the excluded speaker. Needs the extras `torch` and `onnx`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from augmentation import Augmentation
from fastgrnn import FastGRNN
from spoken_digits import CLASSES, FRONT_END, NOISE, at_start, compiled, load_clips, share_understood
from torch import nn

from tinyml import features

CHANNELS = 24
BATCH = 128


class Convolutions(nn.Module):
    """Convolutions over time, each over all frequency bands, followed by the mean over time."""

    STEPS = 2400
    FORMAT, WIDTH = "zeroskew", 8

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *self.layer(FRONT_END.features, CHANNELS, 5, stride=2),
            *self.layer(CHANNELS, CHANNELS, 5),
            *self.layer(CHANNELS, CHANNELS, 5),
        )
        self.last = nn.Sequential(nn.Dropout(0.2), nn.Linear(CHANNELS, CLASSES))

    @staticmethod
    def layer(before: int, after: int, length: int, stride: int = 1) -> list[nn.Module]:
        step = nn.Conv2d(before, after, (length, 1), (stride, 1), bias=False)
        return [step, nn.BatchNorm2d(after), nn.ReLU()]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        image = x.reshape(-1, FRONT_END.frames, 1, FRONT_END.features).permute(0, 3, 1, 2)
        return self.last(self.layers(image).mean((2, 3)))

    def save(self, stem: Path) -> Path:
        """Write the network to STEM.onnx."""
        file = stem.with_suffix(".onnx")
        torch.onnx.export(self, (torch.zeros(1, FRONT_END.frames * FRONT_END.features),), str(file), dynamo=False)
        return file


NETWORKS = {"convolutions": Convolutions, "fastgrnn": FastGRNN}


def trained(kind: type[Convolutions | FastGRNN], examples: Augmentation) -> Convolutions | FastGRNN:
    torch.manual_seed(0)
    random, network = np.random.default_rng(0), kind()
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=2e-3)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=kind.STEPS)
    for _ in range(kind.STEPS):
        x, y = (torch.from_numpy(part) for part in examples.batch(BATCH, random))
        loss = nn.functional.cross_entropy(network(x), y, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        rates.step()
    return network.eval()


def share_right(network: nn.Module, x: np.ndarray, y: np.ndarray) -> float:
    with torch.no_grad():
        return float((network(torch.tensor(x, dtype=torch.float32))[:, :NOISE].argmax(1).numpy() == y).mean())


def at_levels(clips: list[np.ndarray]) -> list[np.ndarray]:
    """Clips at the levels of the training."""
    random = np.random.default_rng(0)
    return [clip * 10 ** random.uniform(-1.7, -0.1) / np.abs(clip).max() for clip in clips]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clips", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--left-out")
    parser.add_argument("--network", choices=NETWORKS, default="convolutions")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    clips, digits, speakers = load_clips(asked.clips)
    names = sorted({*speakers})
    asked.out.mkdir(exist_ok=True)
    for left in [asked.left_out] if asked.left_out else names:
        heard, left_out = np.flatnonzero(speakers != left), np.flatnonzero(speakers == left)
        network = trained(NETWORKS[asked.network], Augmentation([clips[i] for i in heard], digits[heard]))
        model = network.save(asked.out / left)
        scales = at_start(at_levels([clips[i] for i in heard[::7]]))
        np.savez_compressed(asked.out / f"{left}.npz", x=(scales * 32767).astype(np.int16))
        tests, answers = at_start([clips[i] for i in left_out]), digits[left_out]
        program = compiled(model, asked.out / f"{left}.npz", format=network.FORMAT, width=network.WIDTH)
        share = share_understood(program, tests, answers)
        shown = share_right(network, features.for_device(FRONT_END, scales)(tests), answers)
        ram = program.report.ram_bytes
        print(f"{left}: {100 * shown:.1f} % in float, {100 * share:.1f} % compiled, {ram}")


if __name__ == "__main__":
    main()
