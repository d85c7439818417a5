"""Training: training loops on reals or in a program's number formats."""

from tinyml.runtime.evaluator.arithmetics import Bits, Reals
from tinyml.runtime.training.training import Labelled, Trainer, TrainingSchedule
from tinyml.runtime.training.weights import TrainedWeights

__all__ = ["Bits", "Labelled", "Reals", "TrainedWeights", "Trainer", "TrainingSchedule"]
