"""Spoken digits from raw audio: a small convolutional network, trained without one speaker, for an Arduino Uno.

    python examples/spoken_digits/train.py clips.npz OUT [--left-out SPEAKER] [--network fastgrnn]

clips.npz is the Free Spoken Digit Dataset in one file: `samples` (int16, 8 kHz, one clip after the other), `offsets`,
`digit` and `speaker`. For each speaker, or for the speaker that is named, a network is trained on the clips of all
other speakers, alone and in running audio. OUT receives SPEAKER.onnx (for a FastGRNN SPEAKER.mlir), and SPEAKER.npz
with augmented clips on which the scales of formats are chosen. The printed accuracy is the accuracy of the compiled
program on the excluded speaker. Needs the extras `torch` and `onnx`.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from fastgrnn import FastGRNN
from spoken_digits import CLASSES, FRONT_END, NOISE, SAMPLES, at_start, compiled, load_clips, share_understood
from torch import nn

from tinyml import features

CHANNELS = 24
LEAD = 5120
"""Samples before a window in running audio, in which the means of the front end leave their beginning."""
RUNNING = replace(FRONT_END, samples=LEAD + SAMPLES)
COPIES = 3
"""Changed copies of each clip that the network learns from, alone and as many in running audio."""
BATCH = 128


def changed(clips: list[np.ndarray], random: np.random.Generator) -> np.ndarray:
    """Augmented clips (n, SAMPLES): at other pitches, timbres, levels and times, with noise."""
    signals = np.zeros((len(clips), SAMPLES), np.float32)
    for signal, clip in zip(signals, clips, strict=True):
        clip = varied(clip, random)
        start = random.integers(0, max(1, min(1200, SAMPLES - len(clip))))
        clip = clip[: SAMPLES - start]
        signal[start : start + len(clip)] = clip
        signal += np.abs(clip).max() * 10 ** random.uniform(-3.5, -1.8) * random.normal(size=SAMPLES)
    return signals


def varied(clip: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A clip at another pitch, timbre and level."""
    speed = random.uniform(0.82, 1.2)
    clip = np.interp(np.arange(0, len(clip) - 1, speed), np.arange(len(clip)), clip)
    clip[1:] += random.uniform(-0.4, 0.4) * clip[:-1]
    return clip * 10 ** random.uniform(-1.5, -0.1) / np.abs(clip).max()


def in_running_audio(
    clips: list[np.ndarray], digits: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return noise (n, LEAD + SAMPLES), to each signal of which a clip is added at a random position, and the class of
    the last SAMPLES samples of each signal.

    The class is the digit if at least four fifths of the clip lie in these samples, and noise if at most half of it
    does. No clip lies between these limits.
    """
    signals, labels = 0.03 * noises(len(clips), random, LEAD + SAMPLES), digits.copy()
    for at, clip in enumerate(clips):
        clip = varied(clip, random)[:SAMPLES]
        partly = random.uniform() < 0.4
        inside = len(clip) * random.uniform(*((0.05, 0.5) if partly else (0.8, 1)))
        early, late = LEAD + inside - len(clip), LEAD + SAMPLES - inside
        start = int(random.choice([early, late]) if partly else random.uniform(early, max(early, late)))
        clip = clip[: LEAD + SAMPLES - start]
        signals[at, start : start + len(clip)] += clip
        labels[at] = NOISE if partly else labels[at]
    return signals, labels


def noises(count: int, random: np.random.Generator, length: int = SAMPLES) -> np.ndarray:
    """Noise (count, length) of many colours and levels, some nearly silent, with added noise that swells and fades."""
    spectra = np.fft.rfft(random.normal(size=(2, count, length)))
    colours = np.maximum(np.fft.rfftfreq(length), 0.01) ** random.uniform(-0.3, 1.2, (2, count, 1))
    signals = np.fft.irfft(spectra / colours, length)
    signals *= 10 ** random.uniform(-4, -0.3, (2, count, 1)) / np.abs(signals).max(2, keepdims=True)
    for signal in signals[1]:
        moments = np.arange(0, length + SAMPLES, 10 ** random.uniform(2.3, 3.7))
        signal *= 10 ** np.interp(np.arange(length), moments, random.uniform(-random.uniform(0, 4), 0, len(moments)))
    return signals.sum(0).astype("f4")


class Convolutions(nn.Module):
    """Convolutions over time, each over all frequency bands, followed by the mean over time."""

    EPOCHS = 16
    WIDTH = 8

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *self.layer(FRONT_END.features, CHANNELS, 5, stride=2),
            *self.layer(CHANNELS, CHANNELS, 5, groups=CHANNELS),
            *self.layer(CHANNELS, CHANNELS, 1),
            *self.layer(CHANNELS, CHANNELS, 5, groups=CHANNELS),
            *self.layer(CHANNELS, CHANNELS, 1),
        )
        self.last = nn.Sequential(nn.Dropout(0.2), nn.Linear(CHANNELS, CLASSES))

    @staticmethod
    def layer(before: int, after: int, length: int, stride: int = 1, groups: int = 1) -> list[nn.Module]:
        step = nn.Conv2d(before, after, (length, 1), (stride, 1), groups=groups, bias=False)
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


def trained(kind: type[Convolutions | FastGRNN], x: np.ndarray, y: np.ndarray) -> Convolutions | FastGRNN:
    torch.manual_seed(0)
    random, network, steps = np.random.default_rng(0), kind(), kind.EPOCHS * (len(x) // BATCH)
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=2e-3)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=steps)
    inputs, labels = torch.tensor(x, dtype=torch.float32), torch.tensor(y)
    for _ in range(kind.EPOCHS):
        order = torch.randperm(len(x))
        for batch in order[: len(x) // BATCH * BATCH].split(BATCH):
            some = inputs[batch].reshape(BATCH, -1, FRONT_END.features)
            hidden = random.integers(FRONT_END.features)  # Some bands are hidden, as by SpecAugment.
            some[:, :, hidden : hidden + random.integers(3)] = 0
            loss = nn.functional.cross_entropy(network(some), labels[batch], label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            rates.step()
    return network.eval()


def share_right(network: nn.Module, x: np.ndarray, y: np.ndarray) -> float:
    with torch.no_grad():
        return float((network(torch.tensor(x, dtype=torch.float32))[:, :NOISE].argmax(1).numpy() == y).mean())


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
        random = np.random.default_rng(0)
        heard = np.flatnonzero(speakers != left)
        own, some = [clips[i] for i in heard], len(heard) // 10
        alone, running = [], []
        for _ in range(COPIES):
            alone += [(changed(own, random), digits[heard]), (noises(some, random), np.full(some, NOISE))]
            running.append(in_running_audio(own, digits[heard], random))
            running.append((noises(5 * some, random, LEAD + SAMPLES), np.full(5 * some, NOISE)))
        sounds, longer = (np.concatenate([signals for signals, _ in part]) for part in (alone, running))
        y = np.concatenate([classes for _, classes in alone + running])
        front_end = features.for_device(FRONT_END, sounds[: 2 * len(heard) : 20])
        in_long = features.for_device(RUNNING, longer[: 2 * len(heard) : 20])
        x = front_end(sounds)
        x = np.concatenate([x, in_long(longer)[:, -x.shape[1] :]])
        network = trained(NETWORKS[asked.network], x, y)
        model = network.save(asked.out / left)
        np.savez_compressed(asked.out / f"{left}.npz", x=(sounds[: len(heard) : 7] * 32767).astype(np.int16))
        left_out = np.flatnonzero(speakers == left)
        tests, answers = at_start([clips[i] for i in left_out]), digits[left_out]
        program = compiled(model, asked.out / f"{left}.npz", width=network.WIDTH)
        share, shown = share_understood(program, tests, answers), share_right(network, front_end(tests), answers)
        ram = program.report.ram_bytes
        print(f"{left}: {100 * shown:.1f} % in float, {100 * share:.1f} % compiled, {ram}")


if __name__ == "__main__":
    main()
