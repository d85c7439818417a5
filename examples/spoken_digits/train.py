"""A small depthwise network for spoken digits, trained on the features that the board computes.

    python examples/spoken_digits/train.py CLIPS.npz OUT [SPEAKER ...]

CLIPS.npz holds `samples` (int16, 8 kHz), `offsets`, `digit` and `speaker`. For each speaker, OUT gets a network
trained on the other speakers (`NAME.onnx`), the speaker's own clips (`NAME.npz`), with which it is tested, and some of
the others' (`NAME-others.npz`) to choose scales with. Nothing of the speaker left out is looked at in
training; epochs and augmentation are fixed beforehand.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from network import write_onnx
from torch import nn

from tinyml import features

SAMPLES, COPIES, EPOCHS, SILENCE = 6144, 3, 20, 10
BANDS = 12
FRONT_END = features.Spectrogram(samples=SAMPLES, frame=128, hop=128, rate=8000, bands=BANDS, floor=0.02)


class Words(nn.Module):
    """Convolutions over time only, without padding, and the mean of what they find; channels are mel bands at first."""

    def __init__(self) -> None:
        super().__init__()
        classes = 11

        def block(before: int, after: int, length: int, stride: int) -> list[nn.Module]:
            return [
                nn.Conv2d(before, before, (length, 1), (stride, 1), groups=before),
                nn.Conv2d(before, after, 1),
                nn.BatchNorm2d(after),
                nn.ReLU(),
            ]

        first = [nn.Conv2d(BANDS, 24, (3, 1)), nn.BatchNorm2d(24), nn.ReLU()]
        self.layers = nn.Sequential(*first, *block(24, 32, 3, 2), *block(32, 32, 5, 1), *block(32, 40, 5, 1))
        self.last = nn.Linear(40, classes)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        image = rows.reshape(-1, FRONT_END.frames, BANDS, 1).permute(0, 2, 1, 3)
        return self.last(nn.functional.dropout(self.layers(image).mean((2, 3)), 0.2, self.training))


def placed(clip: np.ndarray, start: float) -> np.ndarray:
    """A clip in a window of silence; start: the share of the room that is before it."""
    window = np.zeros(SAMPLES)
    clip = clip[:SAMPLES]
    first = int(start * (SAMPLES - len(clip)))
    window[first : first + len(clip)] = clip
    return window


def augmented(clip: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A clip at another speed and pitch, level and place, in noise; its peak is 1."""
    count = int(len(clip) * random.uniform(0.85, 1.15))
    clip = np.interp(np.linspace(0, len(clip) - 1, count), np.arange(len(clip)), clip)
    window = placed(clip / max(np.abs(clip).max(), 1e-3), random.uniform(0, 1))
    window += random.normal(size=SAMPLES) * 10 ** random.uniform(-4, -1.7)
    return window * 10 ** random.uniform(-1.5, 0)


def silence(count: int, random: np.random.Generator) -> np.ndarray:
    """Noise of many levels and colours."""
    noise = random.normal(size=(count, SAMPLES))
    smooth = np.stack([np.convolve(row, np.ones(random.integers(1, 12)), "same") for row in noise])
    return smooth / np.abs(smooth).max(1, keepdims=True) * 10 ** random.uniform(-4, 0, (count, 1))


def fit(rows: np.ndarray, labels: np.ndarray, seed: int) -> Words:
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    x, y = torch.tensor(rows, dtype=torch.float32), torch.tensor(labels)
    network, batch = Words(), 64
    steps = EPOCHS * (len(x) // batch)
    optimizer = torch.optim.AdamW(network.parameters(), 4e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=steps)
    middle = x.mean()
    for _ in range(EPOCHS):
        for part in torch.randperm(len(x))[: len(x) // batch * batch].reshape(-1, batch):
            images = x[part].reshape(batch, FRONT_END.frames, BANDS).clone()
            band, frame = torch.randint(0, BANDS - 1, (batch, 1)), torch.randint(0, FRONT_END.frames - 2, (batch, 1))
            across, along = torch.arange(BANDS)[None], torch.arange(FRONT_END.frames)[None]
            images.transpose(1, 2)[(across >= band) & (across < band + 2)] = middle
            images[(along >= frame) & (along < frame + 2)] = middle
            loss = nn.functional.cross_entropy(network(images.flatten(1)), y[part], label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return network.eval()


def main(clips: str, out: str, *speakers: str) -> None:
    data, folder, random = np.load(clips), Path(out), np.random.default_rng(0)
    folder.mkdir(parents=True, exist_ok=True)
    sounds = [data["samples"][a:b] / 32768 for a, b in zip(data["offsets"][:-1], data["offsets"][1:], strict=True)]
    digits, who = data["digit"].astype(np.int64), data["speaker"].astype(str)
    copies = [augmented(clip, random) for _ in range(COPIES) for clip in sounds]
    rows = features.float_features(FRONT_END, np.stack(copies))
    quiet = features.float_features(FRONT_END, silence(800, random))
    tests = np.stack([placed(clip, 0.5) for clip in sounds]).astype(np.float32)
    seen = features.float_features(FRONT_END, tests)
    for speaker in speakers or sorted(set(who)):
        others = np.tile(who != speaker, COPIES)
        labels = np.concatenate([np.tile(digits, COPIES)[others], np.full(len(quiet), SILENCE)])
        network = fit(np.concatenate([rows[others], quiet]), labels, seed=0)
        mine = who == speaker
        with torch.no_grad():
            scores = network(torch.tensor(seen[mine], dtype=torch.float32))
        right = (scores[:, :SILENCE].argmax(1).numpy() == digits[mine]).mean()
        print(f"{speaker}: {100 * right:.1f} % of {mine.sum()} clips", flush=True)
        weights = {name: value.numpy() for name, value in network.state_dict().items()}
        write_onnx(weights, folder / f"{speaker}.onnx", FRONT_END.frames, BANDS)
        np.savez_compressed(folder / f"{speaker}.npz", x=tests[mine], y=digits[mine])
        own = np.flatnonzero(who != speaker)
        chosen = random.permutation(own)[:200]
        np.savez_compressed(folder / f"{speaker}-others.npz", x=tests[chosen], y=digits[chosen])


if __name__ == "__main__":
    main(*sys.argv[1:])
