"""Words found in running audio, and false alarms per hour, for the networks that `train.py` trains.

    python examples/spoken_digits/detect.py clips.npz OUT [--stride FRAMES]

OUT has SPEAKER.onnx and SPEAKER.npz of several speakers. Each compiled program runs on this computer over the clips of
the speaker whom it has not heard, with pauses of noise between them, and over an hour of noise. The rule that makes
words of answers is chosen on the recordings of all other speakers: the one that hears most words with at most
`ALLOWED` false alarms per hour of noise. Needs the extra `onnx`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from spoken_digits import FRONT_END, NOISE, SAMPLES, compiled, load_clips

import tinyml

RATE = int(FRONT_END.rate)
WINDOW = SAMPLES / RATE
PAUSES = 0.9, 2.5
"""Seconds from one clip to the next, at least the time in which a word may still be heard."""
ALLOWED = 1.0
RULES = [
    {"smooth": smooth, "threshold": threshold, "refractory": refractory, "background": [NOISE]}
    for smooth, threshold, refractory in product((1, 2, 3), np.arange(0, 4.1, 0.25).tolist(), (0.5, 0.8))
]


@dataclass(frozen=True)
class Run:
    """What a program heard in the clips of a speaker, each from start to end in seconds, and in noise."""

    clips: tinyml.Heard
    spans: Sequence[tuple[float, float]]
    digits: np.ndarray
    noise: tinyml.Heard

    def counts(self, rule: dict) -> tuple[float, float, float]:
        """The share of words heard rightly, false alarms per hour in the clips, and in noise.

        A word is heard rightly if the first answer from its start until its end has left the window is its digit. All
        other answers are false alarms.
        """
        words = self.clips.words(**rule)
        times = np.array([word.time for word in words])
        right = 0
        for (start, end), digit in zip(self.spans, self.digits, strict=True):
            first = np.searchsorted(times, start)
            heard = first < len(words) and times[first] <= end + WINDOW + 0.2
            right += heard and words[first].label == digit
        noise = len(self.noise.words(**rule)) / self.noise.times[-1]
        return right / len(self.digits), 3600 * (len(words) - right) / self.clips.times[-1], 3600 * noise


def coloured(count: int, exponent: float, random: np.random.Generator) -> np.ndarray:
    """Noise whose amplitude falls with a power of the frequency, of unit deviation."""
    spectrum = np.fft.rfft(random.normal(size=count)) / np.maximum(np.fft.rfftfreq(count), 40 / RATE) ** exponent
    noise = np.fft.irfft(spectrum, count)
    return noise / noise.std()


def noises(seconds: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    """Pieces of noise of ten seconds: colours from blue to brown, bands, hum, crackle and noise that swells."""
    count = 10 * RATE
    time = np.arange(count) / RATE
    for piece in range(seconds // 10):
        noise = coloured(count, random.uniform(-0.5, 1.0), random)
        match piece % 5:
            case 1:
                band = np.exp(2j * np.pi * random.uniform(300, 3000) * time)
                noise = (coloured(count, 1.0, random) * band).real
            case 2:
                hum = sum(np.sin(2 * np.pi * 50 * k * time + random.uniform(0, 6)) / k for k in (1, 2, 3, 5, 7))
                noise = noise / 3 + hum
            case 3:
                noise = noise / 10 + 3 * noise * (random.uniform(size=count) < 3e-4)
            case 4:
                noise = noise * 10 ** np.clip(coloured(count, 1.5, random) / 2, -2, 1)
            case _:
                pass
        yield noise / np.abs(noise).max() * 10 ** random.uniform(-3.5, -0.1)


def joined(clips: list[np.ndarray], random: np.random.Generator) -> tuple[np.ndarray, list[tuple[float, float]]]:
    """Clips one after the other with pauses, over faint noise of changing colour; and where each of them is."""
    parts, spans, at = [np.zeros(RATE)], [], RATE
    for clip in clips:
        pause = int(RATE * random.uniform(*PAUSES))
        spans.append((at / RATE, (at + len(clip)) / RATE))
        loud = clip / np.abs(clip).max() * 10 ** random.uniform(-1.0, -0.1)
        part = np.concatenate([loud, np.zeros(pause)])
        parts.append(part + 10 ** random.uniform(-3.5, -2.3) * coloured(len(part), random.uniform(0, 1), random))
        at += len(part)
    return np.concatenate(parts), spans


def best_rule(runs: Sequence[Run]) -> dict:
    """The rule that hears most words, on average, with no more false alarms in noise than are allowed."""
    rated = [(rule, np.mean([run.counts(rule) for run in runs], axis=0)) for rule in RULES]
    quiet = [each for each in rated if each[1][2] <= ALLOWED] or [min(rated, key=lambda each: each[1][2])]
    return max(quiet, key=lambda each: each[1][0] - each[1][1] / 3600)[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clips", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--stride", type=int, default=10)
    asked = parser.parse_args()
    clips, digits, speakers = load_clips(asked.clips)
    names = sorted(file.stem for file in asked.out.glob("*.onnx"))
    runs: dict[str, Run] = {}
    for number, name in enumerate(names):
        random = np.random.default_rng(1000 + number)
        own = random.permutation(np.flatnonzero(speakers == name))
        program = compiled(asked.out / f"{name}.onnx", asked.out / f"{name}.npz", asked.stride)
        sound, spans = joined([clips[i] for i in own], random)
        noise = np.concatenate(list(noises(3600, random)))
        runs[name] = Run(program.listen(sound), spans, digits[own], program.listen(noise))
    for name, run in runs.items():
        rule = best_rule([other for speaker, other in runs.items() if speaker != name])
        right, in_clips, in_noise = run.counts(rule)
        print(f"{name}: {rule}, {100 * right:.1f} % of words, false alarms per hour:", end=" ")
        print(f"{in_clips:.0f} between the words, {in_noise:.1f} in noise")


if __name__ == "__main__":
    main()
