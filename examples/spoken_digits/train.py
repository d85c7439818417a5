"""Spoken digits from raw audio: a small convolutional network, trained without one speaker, for an Arduino Uno.

    python examples/spoken_digits/train.py clips.npz OUT [--left-out SPEAKER]

clips.npz is the Free Spoken Digit Dataset in one file: `samples` (int16, 8 kHz, one clip after the other), `offsets`,
`digit` and `speaker`. For each speaker, or the one that is named, a network learns from the clips of all others; the
number of epochs is chosen on one of these. OUT gets SPEAKER.onnx, and SPEAKER.npz with signals that scales are chosen
on. The accuracy on the speaker whom the network has not heard is printed, as the compiled program computes it. Needs
the extras `torch` and `onnx`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from spoken_digits import CLASSES, FRONT_END, NOISE, SAMPLES, at_start, compiled, load_clips
from torch import nn

from tinyml import features

CHANNELS = 24
COPIES = 5
"""Changed copies of each clip that the network learns from."""
EPOCHS = (6, 10, 16)
BATCH = 128


def changed(clips: list[np.ndarray], random: np.random.Generator) -> np.ndarray:
    """Clips (n, SAMPLES) at other pitches, timbres, levels and times, with noise."""
    signals = np.zeros((len(clips), SAMPLES), np.float32)
    for signal, clip in zip(signals, clips, strict=True):
        speed = random.uniform(0.82, 1.2)
        clip = np.interp(np.arange(0, len(clip) - 1, speed), np.arange(len(clip)), clip)
        clip[1:] += random.uniform(-0.4, 0.4) * clip[:-1]
        clip *= 10 ** random.uniform(-1.5, -0.1) / np.abs(clip).max()
        start = random.integers(0, max(1, min(1200, SAMPLES - len(clip))))
        clip = clip[: SAMPLES - start]
        signal[start : start + len(clip)] = clip
        signal += np.abs(clip).max() * 10 ** random.uniform(-3.5, -1.8) * random.normal(size=SAMPLES)
    return signals


def noises(count: int, random: np.random.Generator) -> np.ndarray:
    """Noise (count, SAMPLES) of many colours and levels, some of it nearly silent."""
    spectra = np.fft.rfft(random.normal(size=(count, SAMPLES)))
    colours = np.maximum(np.fft.rfftfreq(SAMPLES), 0.01) ** random.uniform(0, 1.2, (count, 1))
    signals = np.fft.irfft(spectra / colours, SAMPLES)
    return (signals / np.abs(signals).max(1, keepdims=True) * 10 ** random.uniform(-4, -0.3, (count, 1))).astype("f4")


class Network(nn.Module):
    """Convolutions over time, which look at all bands at once, and the mean of what they find."""

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


def trained(x: np.ndarray, y: np.ndarray, epochs: int) -> Network:
    torch.manual_seed(0)
    random, network, steps = np.random.default_rng(0), Network(), epochs * (len(x) // BATCH)
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=2e-3)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=steps)
    inputs, labels = torch.tensor(x, dtype=torch.float32), torch.tensor(y)
    for _ in range(epochs):
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


def share_right(network: Network, x: np.ndarray, y: np.ndarray) -> float:
    with torch.no_grad():
        return float((network(torch.tensor(x, dtype=torch.float32))[:, :NOISE].argmax(1).numpy() == y).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clips", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--left-out")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    clips, digits, speakers = load_clips(asked.clips)
    names = sorted({*speakers})
    asked.out.mkdir(exist_ok=True)
    for left in [asked.left_out] if asked.left_out else names:
        random = np.random.default_rng(0)
        heard = np.flatnonzero(speakers != left)
        inner = names[(names.index(left) + 1) % len(names)]
        signals, labels, of_inner = [], [], []
        for _ in range(COPIES):
            signals += [changed([clips[i] for i in heard], random), noises(len(heard) // 10, random)]
            labels += [digits[heard], np.full(len(heard) // 10, NOISE)]
            of_inner += [speakers[heard] == inner, np.zeros(len(heard) // 10, bool)]
        sounds, y, inside = (np.concatenate(parts) for parts in (signals, labels, of_inner))
        front_end = features.for_device(FRONT_END, sounds[: 2 * len(heard) : 20])
        x = front_end(sounds)
        check = np.flatnonzero(speakers == inner)
        xi = front_end(at_start([clips[i] for i in check]))
        right = {epochs: share_right(trained(x[~inside], y[~inside], epochs), xi, digits[check]) for epochs in EPOCHS}
        epochs = max(right, key=lambda count: right[count])
        network = trained(x, y, epochs)
        model = asked.out / f"{left}.onnx"
        torch.onnx.export(network, (torch.zeros(1, x.shape[1]),), str(model), dynamo=False)
        np.savez_compressed(asked.out / f"{left}.npz", x=(sounds[:: len(sounds) // 300] * 32767).astype(np.int16))
        own = np.flatnonzero(speakers == left)
        program, share = compiled(model, asked.out / f"{left}.npz", at_start([clips[i] for i in own]), digits[own])
        report = program.report
        shown = share_right(network, front_end(at_start([clips[i] for i in own])), digits[own])
        print(
            f"{left}: {epochs} epochs, {100 * shown:.1f} % in float, {100 * share:.1f} % compiled, {report.ram_bytes}"
        )


if __name__ == "__main__":
    main()
