"""A small MobileNet-v2 for spoken digits, trained here, pruned at its bottleneck, and executed with narrow sums
(PEX).
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from measured.measures.plans import PARTIAL
from measured.store import Values, by_parts
from measured.trainings import SEEDS, TASKS, on_host, trained
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.arithmetics import Reals
from tinyml.runtime.training.training import Trainer
from tinyml.runtime.training.weights import TrainedWeights
from tinyml.tools.driver.channels import channels_of
from tinyml.tools.driver.finetune import finetune
from tinyml.tools.driver.finetuning_options import FinetuneOptions

TASK = "mobilenet"

TIMES_LESS = 5.5
"""The factor by which PEX reduces the memory of MobileNet-v2, with pruning (figure 2)."""

WAYS = {
    "exact": ("ordinary", False),
    "sums_8": ("partial-8", False),
    "pruned": ("partial-8", True),
}
"""Programs in 8 bits: their plans, in whose arithmetic they are trained, and whether channels are removed before."""


def narrow_sums(_models: Path | None) -> Values:
    """The percentage of right answers on the test set and the bytes of programs for this computer, as means of three
    networks.

    `floats`: in floating point.
    `exact`, `sums_8`: in 8 bits (`WAYS`), with sums that are exact or rounded to 8 bits after every channel.
    `ordinary`, `partial_8`: the bytes at the peak of these programs' plans.
    """
    rows = by_parts("mobilenets", [f"{way} {seed}" for seed in SEEDS for way in ("exact", "sums_8")], _row)
    found = {way: _mean(rows, way, "accuracy") for way in ("exact", "sums_8")}
    found |= {name: _mean(rows, "exact", name) for name in ("ordinary", "partial_8")}
    return {"networks": len(SEEDS), "floats": _mean(rows, "exact", "before"), **found, "parts": rows}


def pruned(_models: Path | None) -> Values:
    """The figures of the first network after pruning at its bottleneck and 10 more epochs of training.

    `left`: the bytes of its plan with sums of 8 bits.
    `whole`, `floats`: the percentage of right answers in floating point, before and after pruning.
    `sums_8`: the percentage of right answers in 8 bits.
    `ordinary`: the bytes of the unpruned network by ordinary execution.
    `removed`: the number of removed groups of channels.
    """
    rows = by_parts("mobilenets", [f"{way} {SEEDS[0]}" for way in ("exact", "pruned")], _row)
    names = {"whole": "before", "floats": "floats", "sums_8": "accuracy", "left": "partial_8", "removed": "removed"}
    found = {name: _mean(rows, "pruned", key) for name, key in names.items()}
    return {**found, "ordinary": _mean(rows, "exact", "ordinary"), "parts": rows}


def _mean(rows: dict[str, Values], way: str, name: str) -> float:
    found = [row[name] for part, row in rows.items() if part.startswith(way)]
    return round(float(np.mean(found)), 2)


def _row(part: str) -> Values:
    """Prune if necessary and fine-tune a network, compile it, and return its figures: the percentages of right answers,
    the number of removed groups of channels, and the memory of each plan.

    part: a program and the seed of its network.
    """
    way, seed = part.split()
    sets, network, (plan, prunes) = TASKS[TASK].sets(), trained(TASK, int(seed)), WAYS[way]
    limit = int(_peak(network, "ordinary") / TIMES_LESS) if prunes else None
    # A network without some channels is trained further before its numbers are.
    options = FinetuneOptions(seed=int(seed), epochs=10 if prunes else 1, quantized_epochs=3, ram=limit)
    with tempfile.TemporaryDirectory() as folder:
        np.savez(val := Path(folder, "val.npz"), x=sets.val.x.astype(np.float32), y=sets.val.y)
        numbers = PipelineOptions(data=str(val), format="fixed", width=8, plan=plan)
        tuned = finetune(network, sets.train, sets.val, options, numbers)
        right = on_host(tuned.module, sets.test.x, Path(folder, "host")).argmax(1) == sets.test.y
    before, after = (
        Trainer(TrainedWeights(module.clone()), Reals).loss(sets.test) for module in (network, tuned.reals)
    )
    found = {"before": before[1], "floats": after[1], "accuracy": 100 * float(right.mean()), "removed": tuned.removed}
    return {**found, **{name: _peak(tuned.reals, mode) for name, mode in PARTIAL.items()}}


def _peak(network: ModuleOp, mode: str) -> float:
    """The bytes at the peak of a network's plan in 8 bits.

    mode: the name of the schedule.
    """
    channels = channels_of(network, mode, 8)
    return channels.plan(channels.graph([])).bits / 8
