"""Words detected in running audio, and false alarms per hour, for the networks that `train.py` trains.

    python examples/spoken_digits/detect.py clips.npz OUT [--stride FRAMES]

OUT contains SPEAKER.onnx and SPEAKER.npz of several speakers. Each compiled program runs on this computer over the
clips of the speaker that its training excluded, with pauses of noise between them, and over an hour of noise. A rule
converts the program's answers to detected words. It is chosen on the recordings of all other speakers: the rule that
detects the greatest number of their words within the permitted false alarms per hour of noise, or within the permitted
wrong words per hour of clips. Needs the extra `onnx`.
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
ALLOWED = ("noise", 20), ("noise", 5), ("clips", 40)
"""The recording that limits false alarms, and the false alarms per hour in it for which rules are chosen."""
KINDS = "steady", "bands", "hum", "crackle", "sputter"
"""The kinds of noise, which take turns every `PIECE` seconds."""
PIECE = 10
RULES = [
    {"smooth": smooth, "threshold": threshold, "refractory": refractory, "background": [NOISE]}
    for smooth, threshold, refractory in product((1, 2, 3), np.arange(0, 4.1, 0.25).tolist(), (0.5, 0.8))
]


@dataclass(frozen=True)
class Run:
    """The results of a program for the clips of a speaker, and for noise.

    clips: the answers to the clips.
    spans: the start and the end of each clip, in seconds.
    digits: the digit of each clip.
    noise: the answers to noise of the kinds `KINDS`, in turn.
    """

    clips: tinyml.Heard
    spans: Sequence[tuple[float, float]]
    digits: np.ndarray
    noise: tinyml.Heard

    def counts(self, rule: dict) -> np.ndarray:
        """Return the fraction of words that are detected correctly, then the false alarms per hour in the clips, then
        the false alarms per hour in each kind of noise.

        A word is detected correctly if the first detection after its start is its digit and is at most `WINDOW` + 0.2
        seconds after its end. All other detections are false alarms.

        rule: the arguments of `Heard.words`, which converts answers to detected words.
        """
        words = self.clips.words(**rule)
        times = np.array([word.time for word in words])
        right = 0
        for (start, end), digit in zip(self.spans, self.digits, strict=True):
            first = np.searchsorted(times, start)
            heard = first < len(words) and times[first] <= end + WINDOW + 0.2
            right += heard and words[first].label == digit
        # The middle of the window in which a word is heard is in the noise that causes it.
        kinds = [int((word.time - WINDOW / 2) / PIECE) % len(KINDS) for word in self.noise.words(**rule)]
        hours = self.noise.times[-1] / 3600 / len(KINDS)
        alarms = np.bincount(kinds, minlength=len(KINDS)) / hours
        return np.array([right / len(self.digits), 3600 * (len(words) - right) / self.clips.times[-1], *alarms])


def coloured(count: int, exponent: float, random: np.random.Generator) -> np.ndarray:
    """Noise of standard deviation 1, whose amplitude is proportional to frequency^-`exponent` above 40 Hz, and constant
    below.
    """
    spectrum = np.fft.rfft(random.normal(size=count)) / np.maximum(np.fft.rfftfreq(count), 40 / RATE) ** exponent
    noise = np.fft.irfft(spectrum, count)
    return noise / noise.std()


def noises(seconds: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield pieces of noise of `PIECE` seconds, in total at most `seconds`. The colours range from blue to brown, and
    the levels vary.
    """
    count = PIECE * RATE
    time = np.arange(count) / RATE
    for piece in range(seconds // PIECE):
        noise = coloured(count, random.uniform(-0.5, 1.0), random)
        match KINDS[piece % len(KINDS)]:
            case "bands":
                band = np.exp(2j * np.pi * random.uniform(300, 3000) * time)
                noise = (coloured(count, 1.0, random) * band).real
            case "hum":
                hum = sum(np.sin(2 * np.pi * 50 * k * time + random.uniform(0, 6)) / k for k in (1, 2, 3, 5, 7))
                noise = noise / 3 + hum
            case "crackle":
                noise = noise / 10 + 3 * noise * (random.uniform(size=count) < 3e-4)
            case "sputter":
                noise = noise * 10 ** np.clip(coloured(count, 1.5, random) / 2, -2, 1)
            case _:
                pass
        yield noise / np.abs(noise).max() * 10 ** random.uniform(-3.5, -0.1)


def joined(clips: list[np.ndarray], random: np.random.Generator) -> tuple[np.ndarray, list[tuple[float, float]]]:
    """Concatenate clips with pauses, over faint noise of changing colour. Return the signal and the start and end of
    each clip.
    """
    parts, spans, at = [np.zeros(RATE)], [], RATE
    for clip in clips:
        pause = int(RATE * random.uniform(*PAUSES))
        spans.append((at / RATE, (at + len(clip)) / RATE))
        loud = clip / np.abs(clip).max() * 10 ** random.uniform(-1.0, -0.1)
        part = np.concatenate([loud, np.zeros(pause)])
        parts.append(part + 10 ** random.uniform(-3.5, -2.3) * coloured(len(part), random.uniform(0, 1), random))
        at += len(part)
    return np.concatenate(parts), spans


def best_rule(counts: np.ndarray, recording: str, allowed: float) -> int:
    """The index of the rule that detects the most words among those with at most `allowed` false alarms per hour of a
    recording: of "clips", or of "noise", averaged over the kinds of noise. If there is none, the index of the rule with
    the fewest false alarms.

    counts: one row for each rule, as `Run.counts` returns it.
    """
    alarms = counts[:, 1] if recording == "clips" else counts[:, 2:].mean(1)
    return int(np.where(alarms <= allowed, counts[:, 0], -alarms).argmax())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clips", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--stride", type=int, default=10)
    asked = parser.parse_args()
    clips, digits, speakers = load_clips(asked.clips)
    counts: dict[str, np.ndarray] = {}
    for number, name in enumerate(sorted(file.stem for file in asked.out.glob("*.onnx"))):
        random = np.random.default_rng(1000 + number)
        own = random.permutation(np.flatnonzero(speakers == name))
        program = compiled(asked.out / f"{name}.onnx", asked.out / f"{name}.npz", asked.stride)
        sound, spans = joined([clips[i] for i in own], random)
        noise = np.concatenate(list(noises(3600, random)))
        run = Run(program.listen(sound), spans, digits[own], program.listen(noise))
        counts[name] = np.array([run.counts(rule) for rule in RULES])
    for recording, allowed in ALLOWED:
        limit = f"at most {allowed} false alarms per hour of {recording} on the others"
        print(f"{limit}; words, per hour between them, and in", KINDS)
        found: list[np.ndarray] = []
        for name, own in counts.items():
            others = [counts[other] for other in counts if other != name]
            rule = best_rule(np.mean(others, axis=0), recording, allowed)
            found.append(own[rule])
            alarms = f"all noise {own[rule][2:].mean():.1f}"
            print(f"{name}: {100 * own[rule][0]:.1f} %", *np.round(own[rule][1:]).astype(int), alarms, RULES[rule])
        mean = np.mean(found, axis=0)
        print(f"mean: {100 * mean[0]:.1f} %", *np.round(mean[1:], 1), f"all noise {mean[2:].mean():.1f}")


if __name__ == "__main__":
    main()
