"""Fine-tuning on real data: networks that are trained here from random weights, several times each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from programs import untrained_networks as networks
from programs.on_boards import printed
from xdsl.dialects.builtin import ModuleOp

from figures import training_sets
from figures.training_sets import Sets
from tinyml.dialects.context import context
from tinyml.dialects.options import options_of
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.arithmetics import Reals
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, in_reals
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.training.training import Trainer, TrainingSchedule
from tinyml.runtime.training.weights import TrainedWeights
from tinyml.tools.api.arguments import checked_values
from tinyml.tools.driver.finetune import QuantisedProgram, finetune, train_reals
from tinyml.tools.driver.finetuning_options import FinetuneOptions, finetune_options

SEEDS = 200, 201, 202
"""The seeds of the networks of each task, which no setting was chosen by; pilot runs took others and another split."""


@dataclass(frozen=True)
class Task:
    """Data, a network for them by a seed, and how it is trained in floating point."""

    sets: Callable[[], Sets]
    network: Callable[[int], ModuleOp]
    schedule: TrainingSchedule


TASKS = {
    "digits": Task(cache(training_sets.digits), networks.digits, TrainingSchedule(epochs=6, rate=0.003, batch=32)),
    "speech": Task(cache(training_sets.speech), networks.speech, TrainingSchedule(epochs=20, rate=0.003, batch=32)),
    "letters": Task(cache(training_sets.letters), networks.letters, TrainingSchedule(epochs=30, rate=0.006, batch=128)),
}


@cache
def trained(task: str, seed: int) -> ModuleOp:
    """A network in floating point; leave it as it is."""
    chosen, module = TASKS[task], TASKS[task].network(seed)
    schedule = replace(chosen.schedule, seed=seed)
    train_reals(module, chosen.sets().train, chosen.sets().val, schedule)
    return module


def finetuned(task: str, options: Sequence[str]) -> dict[str, Any]:
    """Accuracies in percent of the test set, each the mean of the networks of `SEEDS`.

    options: those of `tinyml finetune`, flags or pairs; those that are left out have its defaults. `before`: in
    floating point. `rounded`: in the formats, without training. `floats`: in floating point after pruning and training.
    `accuracy`: of the program, from `least` to `greatest`. `differ`: the samples of the test set whose scores on the
    host are not those of the training.
    """
    given = _keywords(options)
    values = checked_values("finetune", given, finetune_options())
    own = {option.name for option in options_of(FinetuneOptions)}
    sets = TASKS[task].sets()
    found: dict[str, list[float]] = {
        name: [] for name in ("before", "rounded", "floats", "accuracy", "removed", "differ")
    }
    with tempfile.TemporaryDirectory() as folder:
        np.savez(val := Path(folder, "val.npz"), x=sets.val.x.astype(np.float32), y=sets.val.y)
        numbers = PipelineOptions(data=str(val), **{name: value for name, value in values.items() if name not in own})
        for seed in SEEDS:
            network = trained(task, seed)
            chosen = replace(FinetuneOptions(seed=seed), **{name: values[name] for name in values.keys() & own})
            tuned = finetune(network, sets.train, sets.val, chosen, numbers)
            program = QuantisedProgram(network, context(), numbers)
            rounded = program.trainer({})
            found["before"].append(Trainer(TrainedWeights(network.clone()), Reals).loss(sets.test)[1])
            found["rounded"].append(rounded.loss(sets.test)[1])
            found["floats"].append(Trainer(TrainedWeights(tuned.reals), Reals).loss(sets.test)[1])
            logits = tuned.trainer.logits(tuned.trainer.inputs(sets.test.x))
            found["accuracy"].append(100 * float((logits.argmax(1) == sets.test.y).mean()))
            found["removed"].append(tuned.removed)
            differs = (_on_host(tuned.module, sets.test.x, Path(folder, str(seed))) != logits).any(1)
            found["differ"].append(int(differs.sum()))
    means = {name: float(np.mean(each)) for name, each in found.items()}
    ends = {"least": min(found["accuracy"]), "greatest": max(found["accuracy"])}
    return {**means, **ends, "differ": sum(found["differ"]), "samples": len(SEEDS) * len(sets.test.y)}


def _keywords(options: Sequence[str]) -> dict[str, str | int | float | bool]:
    """Options of the command line, flags or pairs, as keyword arguments."""
    found: dict[str, str | int | float | bool] = {}
    for name, value in pairwise([*options, "--"]):
        if name.startswith("--"):
            given = True if value.startswith("--") else float(value) if "." in value else value
            found[name[2:].replace("-", "_")] = int(value) if value.isdecimal() else given
    return found


def _on_host(module: ModuleOp, x: np.ndarray[Any, Any], folder: Path) -> np.ndarray[Any, Any]:
    """The scores of a compiled program on this computer, decoded."""
    interface, runner = interface_of(module), runner_for("host")
    program = runner.build(printed(module, "host", folder / "source"), interface, folder / "build")
    result = runner.run(program, interface, encode_inputs(module, x))
    scores = in_reals(module, Outputs(result.labels, result.scores, result.more)).scores
    assert scores is not None
    return scores
