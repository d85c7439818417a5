"""Train transformers whose files are too large for the repository: a keyword spotter and a classifier of digits.

    cd tests && python -m models.attention.train kwt OUT --clips clips.npz
    cd tests && python -m models.attention.train vit OUT

The command writes a folder for the network to OUT, with its ONNX file, val.npz and test.npz, for `make figures
FROM=OUT`. It requires the extras `torch` and `onnx`.

kwt: the shape of KWT-1 (Berg et al., Keyword Transformer, 2021). It has 12 blocks with norms after the layers, 1 head
of 64, an MLP of 256, a class token, and patches of one frame of 40 bands. clips.npz is the Free Spoken Digit Dataset in
one file (`samples`, `offsets`, `digit` and `index`). For each digit and speaker, recordings 0 to 4 are in the test set,
as the authors of the dataset define, recordings 5 to 9 in the validation set, and all others in the training set.

vit: a vision transformer for MNIST with patches of 7 x 7 pixels and one block. It has norms before the layers, 4 heads
of 16, an MLP of 128, and the mean of the 16 patches.
"""

from __future__ import annotations

import argparse
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from measured.trainings import Sets, digits

from tinyml import features
from tinyml.runtime.training.training import Labelled

# This package is not in the environment of the tests.
torch: Any = import_module("torch")
nn: Any = torch.nn

SAMPLES = 5120
FRONT_END = features.Spectrogram(
    samples=SAMPLES, frame=256, hop=128, rate=8000, bands=40, low=60, high=3900, floor=0.1, normalise=0.05
)
BATCH = 64
TESTED = 2_000
"""The greatest number of test samples."""


class Kwt(nn.Module):
    """A network with the shape of KWT-1. Its inputs x have shape (n, `FRONT_END.frames` * bands)."""

    EPOCHS, RATE, SHIFT = 8, 1e-3, 6

    def __init__(self) -> None:
        nn.Module.__init__(self)
        self.embed = nn.Linear(FRONT_END.features, 64)
        self.token = nn.Parameter(torch.zeros(1, 1, 64))
        self.position = nn.Parameter(0.02 * torch.randn(1, FRONT_END.frames + 1, 64))
        layer = nn.TransformerEncoderLayer(64, 1, 256, dropout=0.1, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)
        self.last = nn.Linear(64, 10)

    def forward(self, x: Any) -> Any:
        frames = self.embed(x.reshape(-1, FRONT_END.frames, FRONT_END.features))
        rows = torch.cat([self.token.expand(len(frames), -1, -1), frames], 1) + self.position
        return self.last(self.layers(rows)[:, 0])

    def changed(self, x: Any) -> Any:
        """A copy of the samples with frames shifted in time and up to 7 adjacent bands set to zero, at random for each
        sample.
        """
        frames = x.reshape(len(x), FRONT_END.frames, FRONT_END.features).clone()
        for sample in frames:
            sample.copy_(torch.roll(sample, int(torch.randint(-self.SHIFT, self.SHIFT + 1, ())), 0))
            at, some = int(torch.randint(FRONT_END.features, ())), int(torch.randint(8, ()))
            sample[:, at : at + some] = 0
        return frames.flatten(1)


class Vit(nn.Module):
    """A vision transformer of one block for images of 28 x 28 pixels. Its inputs x have shape (n, 784)."""

    EPOCHS, RATE = 14, 3e-3

    def __init__(self) -> None:
        nn.Module.__init__(self)
        self.embed = nn.Conv2d(1, 64, 7, 7)
        self.position = nn.Parameter(0.02 * torch.randn(1, 16, 64))
        self.block = nn.TransformerEncoderLayer(
            64, 4, 128, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.norm, self.last = nn.LayerNorm(64), nn.Linear(64, 10)

    def forward(self, x: Any) -> Any:
        patches = self.embed(x.reshape(-1, 1, 28, 28)).flatten(2).transpose(1, 2)
        return self.last(self.norm(self.block(patches + self.position)).mean(1))

    def changed(self, x: Any) -> Any:
        """The images shifted by up to two pixels in each direction, all by the same distances."""
        rolls = [int(torch.randint(-2, 3, ())) for _ in range(2)]
        return torch.roll(x.reshape(-1, 28, 28), rolls, (1, 2)).flatten(1)


def spoken(file: Path) -> Sets:
    """The training, validation and test sets of spoken digits, with the features of `FRONT_END` as inputs.

    Each clip begins after 300 samples of silence, and ends after `SAMPLES` samples. The mean and the standard deviation
    of the training set scale the features.
    """
    with np.load(file) as data:
        clips = np.split(data["samples"].astype(np.float32) / 32768, data["offsets"][1:-1])
        labels, index = data["digit"].astype(np.int64), data["index"]
    signals = np.zeros((len(clips), SAMPLES), np.float32)
    for signal, clip in zip(signals, clips, strict=True):
        part = clip[: SAMPLES - 300]
        signal[300 : 300 + len(part)] = part
    x = features.float_features(FRONT_END, signals)
    parts = (index >= 10, (index >= 5) & (index < 10), index < 5)
    x = (x - x[parts[0]].mean()) / x[parts[0]].std()
    return Sets(*(Labelled(x[part], labels[part]) for part in parts))


def trained(network: Kwt | Vit, data: Sets) -> Kwt | Vit:
    torch.manual_seed(0)
    x, y = torch.tensor(data.train.x, dtype=torch.float32), torch.tensor(data.train.y)
    batches = len(x) // BATCH
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=0.05)
    steps = network.EPOCHS * batches
    rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, network.RATE, total_steps=steps, pct_start=0.2)
    begun = time.process_time()
    for epoch in range(network.EPOCHS):
        network.train()
        for batch in torch.randperm(len(x))[: batches * BATCH].split(BATCH):
            loss = nn.functional.cross_entropy(network(network.changed(x[batch])), y[batch], label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            rates.step()
        share = right(network.eval(), data.val)
        print(f"epoch {epoch}: {100 * share:.1f} %, {time.process_time() - begun:.0f} s", flush=True)
    return network.eval()


def right(network: Any, data: Labelled) -> float:
    with torch.no_grad():
        scores = [network(part) for part in torch.tensor(data.x, dtype=torch.float32).split(500)]
    return float((torch.cat(scores).argmax(1).numpy() == data.y).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("network", choices=["kwt", "vit"])
    parser.add_argument("out", type=Path)
    parser.add_argument("--clips", type=Path)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    data = spoken(asked.clips) if asked.network == "kwt" else digits(20_000, 1_000, 28)
    network = trained(Kwt() if asked.network == "kwt" else Vit(), data)
    test = Labelled(data.test.x[:TESTED], data.test.y[:TESTED])
    print(f"{100 * right(network, test):.2f} % of {len(test.y)} test samples")
    folder = asked.out / asked.network
    folder.mkdir(parents=True, exist_ok=True)
    one = torch.tensor(data.test.x[:1], dtype=torch.float32)
    torch.backends.mha.set_fastpath_enabled(False)
    torch.onnx.export(network, (one,), str(folder / "network.onnx"), dynamo=False)
    for name, part in (("val", data.val), ("test", test)):
        np.savez(folder / f"{name}.npz", x=part.x.astype(np.float32), y=part.y)


if __name__ == "__main__":
    main()
