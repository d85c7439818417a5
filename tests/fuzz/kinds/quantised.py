"""Random quantised networks; evaluator and sanitized host build must compute the output bytes of TensorFlow Lite
Micro.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
from programs.on_boards import difference, printed
from programs.random_networks import random_network
from programs.tflite_models import computed_by_tflm, inputs_of

from fuzz.verdicts import ACCEPTED, Harm
from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.device import DeviceError
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.targets.registry import HOST

SAMPLES = 4


def as_tflm(number: int, random: Random, folder: Path) -> str:
    """Run a network in the evaluator and, in every eighth case, in the host build. Return the verdict.

    Raises `Harm` if an exact network's results differ from those of TensorFlow Lite Micro, if the host build differs
    from the evaluator, or if a sanitizer reports an error.
    """
    network = random_network(random)
    content = network.finish()
    x = inputs_of(content, SAMPLES, number)
    module = read_tflite(content, "network.tflite")
    module.verify()
    raws = x.reshape(SAMPLES, -1)
    got = evaluate(module, raws).tensors
    if network.exact:
        for index, theirs in enumerate(computed_by_tflm(content, x, len(got))):
            if wrong := np.count_nonzero(got[index] != theirs):
                raise Harm("mismatch", f"the evaluator and TFLM differ in {wrong} of {theirs.size} of output {index}")
    if number % 8 == 0:
        pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": HOST}))
        source = printed(module, HOST, folder / "printed")
        try:
            found = difference(module, raws, source, HostRunner(sanitize=True), folder / "build")
        except DeviceError as error:
            raise Harm("sanitizer", str(error)) from error
        if found is not None:
            raise Harm("mismatch", f"the host: {found}")
    return ACCEPTED
