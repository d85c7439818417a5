"""Training of a model in the arithmetic of its compiled program."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from tinyml.dialects.context import context
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.readers.arrays import check_npz
from tinyml.tools.cli.atomic_output import write_file
from tinyml.tools.driver.finetune import finetune, labelled
from tinyml.tools.driver.finetuning_options import FinetuneRequest
from tinyml.tools.driver.stages import load_program, print_ir


def finetune_model(request: FinetuneRequest, numbers: Mapping[str, Any]) -> None:
    """Write the program in its number formats, print the loss and the accuracy before the training and after each part
    of it.

    numbers: the values of `number_options`, by name.

    Raises `InputError` as `finetune` does.
    """
    for file in (request.train, request.val):
        check_npz(file, "data")
    program = load_program(request.model, context())
    options = PipelineOptions(data=str(request.val), **numbers)
    train, val = (labelled(program, file) for file in (request.train, request.val))
    tuned = finetune(program, train, val, request, options)
    write_file(request.out, print_ir(tuned.module))
    parts = {"before": tuned.before, "in floating point": tuned.floats, "compiled without training": tuned.untrained}
    parts |= {"fine-tuned": tuned.quantised}
    report = {name: {"loss": loss, "accuracy": accuracy} for name, (loss, accuracy) in parts.items()}
    if request.json:
        print(json.dumps({**report, "removed": tuned.removed, "seed": tuned.seed}, indent=2))
    else:
        for name, (loss, accuracy) in parts.items():
            print(f"{name}: {accuracy:.2f} % of {len(val.y)} samples, loss {loss:.4f}")
        print(f"{request.out}: {tuned.removed} channels removed")
    if tuned.warning is not None:
        print(f"warning: {tuned.warning}", file=sys.stderr)
