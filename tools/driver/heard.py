"""The results of a streaming program for a recording, called answers, and the rule that detects words in the answers.

The rule averages the scores of consecutive answers. It compares the lead of the best class over the second-best class
with a threshold. After each word it ignores words for a refractory time. The Arduino sketch `Listen` implements the
same rule in C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.options import Seconds, option

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The rule that detects a word in a series of answers; the fields are options of `tinyml listen`."""

    smooth: int = option("number of most recent answers whose scores are averaged", default=1, metavar="N")
    threshold: float = option(
        "minimum margin of a word's score over that of the second-best class", default=0.0, metavar="LEAD"
    )
    refractory: Seconds = option(
        "time after a word during which no other word is reported", default=Seconds(0.0), metavar="SECONDS"
    )
    background: tuple[str, ...] = option(
        "classes that are not words, such as noise: names, or indices if classes have no names",
        default=(),
        metavar="NAME,...",
    )


@dataclass(frozen=True, kw_only=True)
class Word:
    """A detected word.

    time: the end of the word's window, in seconds from the beginning of the recording.
    label: the index of the class.
    name: the label of the class, as text.
    score: the score of the class, averaged over the answers in the word's window.
    lead: the distance of this score from the score of the second-best class.
    """

    time: float
    label: int
    name: str
    score: float
    lead: float


def smoothed(scores: NDArray[Any], count: int) -> NDArray[np.float64]:
    """Moving averages of scores (answers, classes) over `count` answers; over fewer answers at the beginning."""
    sums = np.zeros(scores.shape)
    for back in range(min(count, len(scores))):
        sums[back:] += scores[: len(scores) - back]
    return sums / np.minimum(np.arange(1, len(scores) + 1), count)[:, None]


def words_in(rule: Rule, times: NDArray[Any], scores: NDArray[Any], names: Sequence[str]) -> list[Word]:
    """Detect the words in answers at the given times, with scores (answers, classes) of at least two classes.

    A class is detected if its mean score exceeds all others by at least the threshold, unless it is background. It is a
    word if the previous answer did not detect it and the refractory time after the last word has elapsed. Raises
    `InputError` for an unknown background class.

    names: the names of the classes.
    """
    for name in rule.background:
        if name not in names:
            raise InputError(f"the program has no class {name}: they are {', '.join(names)}")
    means = smoothed(scores, rule.smooth)
    best = means.argmax(1)
    second, first = np.sort(means, axis=1)[:, -2:].T
    silent = np.isin(best, [names.index(name) for name in rule.background]) | (first - second < rule.threshold)
    words, before, free = list[Word](), -1, -np.inf
    for at, heard in enumerate(np.where(silent, -1, best)):
        label = int(heard)
        if label not in (-1, before) and times[at] >= free:
            time, score, lead = float(times[at]), float(first[at]), float(first[at] - second[at])
            words.append(Word(time=time, label=label, name=names[label], score=score, lead=lead))
            free = time + rule.refractory
        before = label
    return words


@dataclass(frozen=True, eq=False, repr=False)
class Heard:
    """The answers of a program to a recording, with the bits that the device computes.

    times: the time at which each answer is due, in seconds.
    labels: the label of the class of each answer, or the index if the model has no labels.
    scores: the score of each class in each answer, of shape (answers, classes). If the program has a single
        score, the first column is the number that the score exceeds for class 1. Without scores, the column of
        the answer's class is 1.
    names: the names of the classes; the decimal indices of the classes if they have no names.
    longest_hop: the maximum time that the program needs from one part of the input to the next, in the cycles or
        instructions that the board counts; 0 if it counts none.
    """

    times: NDArray[np.float64]
    labels: NDArray[Any]
    scores: NDArray[np.float64]
    names: Sequence[str]
    longest_hop: int

    def words(
        self, *, smooth: int = 1, threshold: float = 0.0, refractory: float = 0.0, background: Sequence[str | int] = ()
    ) -> list[Word]:
        """Detect words: changes of the detected class that satisfy a rule.

        smooth: the number of answers whose scores are averaged.
        threshold: the minimum lead of a word's score over the second-best class.
        refractory: the seconds after a word in which no other word is detected.
        background: the labels of classes that are not words.

        Raises `InputError` for an unknown background class.
        """
        ignored = tuple(map(str, background))
        rule = Rule(smooth=smooth, threshold=threshold, refractory=Seconds(refractory), background=ignored)
        return words_in(rule, self.times, self.scores, self.names)

    def __repr__(self) -> str:
        return f"<tinyml.Heard: {len(self.times)} answers>"
