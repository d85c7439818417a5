"""Fine-tuning of models from Python, with arrays as data and keywords as options."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.options import options_of
from tinyml.tools.api.data_files import Inputs, write_data
from tinyml.tools.api.keywords.keyword_values import checked_values
from tinyml.tools.api.loading import Model, load
from tinyml.tools.api.python_terms import python_terms
from tinyml.tools.driver.finetuning_options import FinetuneOptions, number_options

if TYPE_CHECKING:
    from typing import Unpack

    from tinyml.tools.api.keywords.finetune_keywords import FinetuneKeywords


def finetune(
    model: object,
    X_train: object,
    y_train: object,
    X_val: object,
    y_val: object,
    **options: Unpack[FinetuneKeywords],
) -> Model:
    """Train a model further in the arithmetic of its compiled program, which `compile` keeps.

    model: a `Model`, or anything that `load` takes. X_train, y_train: inputs (samples, ...), as `compile` takes
    them, and the class of each sample. X_val, y_val: samples on which number formats, epochs and trainings are chosen.
    options: those of `tinyml finetune`, with underscores in their names. Raises `InputError` for bad input and for
    limits that cannot be kept, and `TypeError` for an unknown keyword and a value of another type.
    """
    from tinyml.lowering.options import PipelineOptions
    from tinyml.tools.driver.finetune import finetune, labelled

    own, numbers = options_of(FinetuneOptions), number_options()
    values = checked_values("finetune", options, [*own, *numbers])
    chosen = {option.name for option in own} & values.keys()
    program = load(model)
    with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
        files = {Path(folder, f"{name}.npz"): (f"X_{name}", f"y_{name}") for name in ("train", "val")}
        with python_terms(files):
            inputs = Inputs.of(program.module, raw=False)
            for (file, terms), (x, y) in zip(files.items(), ((X_train, y_train), (X_val, y_val)), strict=True):
                write_data(file, x, y, program.classes, terms, inputs)
            train, val = (labelled(program.module, file) for file in files)
            formats = {name: value for name, value in values.items() if name not in chosen}
            tuned = finetune(
                program.module,
                train,
                val,
                FinetuneOptions(**{name: values[name] for name in chosen}),
                PipelineOptions(data=str(list(files)[1]), **formats),
            )
    return Model(program.name, tuned.module)
