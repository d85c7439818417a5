"""The answers of a program to a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.options import Seconds
from tinyml.tools.driver.listening.words import Rule, Word, words_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class Heard:
    """The answers of a program to a recording, with the bits that the device computes.

    times: when each answer is due, in seconds. labels: the label of its class, or the index if the model has no labels.
    scores: (answers, classes); of a single score that and 0 before it, without scores 1 for the class of the answer.
    names: of the classes, or their indices as text. longest_hop: the most cycles or instructions, after the unit of the
    board, from one part of the input to the next.
    """

    times: NDArray[np.float64]
    labels: NDArray[Any]
    scores: NDArray[np.float64]
    names: Sequence[str]
    longest_hop: int

    def words(
        self, *, smooth: int = 1, threshold: float = 0.0, refractory: float = 0.0, background: Sequence[str | int] = ()
    ) -> list[Word]:
        """The words that were heard: changes of the answer, by a rule.

        smooth: the number of answers whose scores are averaged. threshold: how far the score of a word must lie above
        that of the second-best class. refractory: the seconds after a word in which no other one is heard. background:
        the labels of classes that are no words. Raises `InputError` for an unknown background.
        """
        ignored = tuple(map(str, background))
        rule = Rule(smooth=smooth, threshold=threshold, refractory=Seconds(refractory), background=ignored)
        return words_in(rule, self.times, self.scores, self.names)

    def __repr__(self) -> str:
        return f"<tinyml.Heard: {len(self.times)} answers>"
