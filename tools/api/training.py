"""Training from Python in the arithmetic of compiled programs: fine-tuning, and a layer for PyTorch."""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Unpack

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.options import options_of
from tinyml.dialects.package_metadata import install_command
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.tools.api.arguments import checked_values, in_python, python_terms
from tinyml.tools.api.data_files import Inputs, write_data
from tinyml.tools.api.loading import Model, load, of_object
from tinyml.tools.api.program import CompileWarning
from tinyml.tools.driver import finetune as driver
from tinyml.tools.driver.finetune import labelled, trainer_of
from tinyml.tools.driver.finetuning_options import FinetuneOptions, number_options
from tinyml.transforms.schedules.table import AUTO

if TYPE_CHECKING:
    from tinyml.runtime.training.training import Trainer
    from tinyml.tools.api.keywords import FinetuneKeywords


def finetune(
    model: object,
    X_train: object,
    y_train: object,
    X_val: object,
    y_val: object,
    **options: Unpack[FinetuneKeywords],
) -> Model:
    """Train a model further in the arithmetic of its compiled program; `compile` preserves the result's number formats.

    model: a `Model`, or any source that `load` accepts.
    X_train, y_train: inputs (samples, ...) as for `compile`, and the class of each sample.
    X_val, y_val: samples that determine number formats and the number of epochs, and that select the best training.
    options: the options of `tinyml finetune`, with underscores in their names.

    Issues a `CompileWarning` for a loss of more than two points compared with floating point. Raises `InputError` for
    bad input, for limits that cannot be met and for a training that makes the program worse, and `TypeError` for an
    unknown keyword and for an option value of the wrong type.
    """
    own, numbers = options_of(FinetuneOptions), number_options()
    values = checked_values("finetune", options, [*own, *numbers])
    chosen = {option.name for option in own} & values.keys()
    program = load(model)
    with temporary_folder() as folder:
        files = {folder / f"{name}.npz": (f"X_{name}", f"y_{name}") for name in ("train", "val")}
        with python_terms(files):
            inputs = Inputs.of(program.module, raw=False)
            for (file, terms), (x, y) in zip(files.items(), ((X_train, y_train), (X_val, y_val)), strict=True):
                write_data(file, x, y, terms, inputs)
            train, val = (labelled(program.module, file) for file in files)
            formats = {name: value for name, value in values.items() if name not in chosen}
            tuned = driver.finetune(
                program.module,
                train,
                val,
                FinetuneOptions(**{name: values[name] for name in chosen}),
                PipelineOptions(data=str(list(files)[1]), **formats),
            )
            if tuned.warning is not None:
                warnings.warn(in_python(tuned.warning), CompileWarning, stacklevel=2)
    return of_object(tuned.module)


def torch_layer(model: object, *, plan: str | None = None) -> Any:
    """A `torch.nn.Module` whose forward pass computes a program in number formats, bit for bit.

    The backward pass sets the derivative of each rounding to 1 (straight-through estimator), for weights and inputs.
    Inputs are (samples, ...). Results are the scores in double precision, (samples, classes), before a final softmax or
    the sigmoid of a single score. The parameters are the reals that are rounded to the weights. `layer.model()` is the
    `Model` with the current weights.

    model: a `Model` in number formats, such as the result of `finetune`, or any source that `load` accepts; it is
        unchanged.
    plan: a plan that rounds sums, as for `compile`.

    Raises `InputError` without PyTorch, and for a model on reals.
    """
    given = load(model)
    with python_terms({}):
        if not tdsl.has_formats(given.module):
            raise InputError("has no number formats: choose them with tinyml.finetune")
        layer = _classes()
        return layer(trainer_of(given.module.clone(), context(), plan or AUTO))


@cache
def _classes() -> Any:
    """The class `ProgramLayer`, which is defined on first use because its base class is PyTorch's. Raises `InputError`
    without PyTorch.
    """
    try:
        torch: Any = import_module("torch")
    except ImportError as error:
        raise InputError(f"PyTorch is not installed: {install_command('torch')}") from error

    class StraightThrough(torch.autograd.Function):
        """An autograd function: the scores of a batch, with their derivatives with respect to the inputs and the
        parameters.
        """

        @staticmethod
        def forward(ctx: Any, trainer: Trainer, x: Any, *parameters: Any) -> Any:
            ctx.trainer, ctx.like = trainer, x
            ctx.trace = trainer.trace(_inputs(trainer, x), of_inputs=x.requires_grad)
            return torch.from_numpy(ctx.trace.logits)

        @staticmethod
        def backward(ctx: Any, slope: Any) -> Any:
            found = ctx.trace.backward(slope.cpu().numpy())
            by_input = found.get(ctx.trace.bound[0])
            slopes = [torch.from_numpy(each) for each in ctx.trainer.weights.derivatives(found)]
            like = ctx.like
            return (
                None,
                None if by_input is None else torch.from_numpy(by_input).reshape(like.shape).to(like),
                *slopes,
            )

    class ProgramLayer(torch.nn.Module):
        """A PyTorch module for a program in number formats; its parameters are the weights.

        trainer: evaluates the program and its derivatives.
        """

        def __init__(self, trainer: Trainer):
            torch.nn.Module.__init__(self)
            self.trainer = trainer
            # Copies, which an optimiser may move to another device or precision.
            parameters = [torch.nn.Parameter(torch.from_numpy(real.copy())) for real in trainer.weights.variables]
            self.weights = torch.nn.ParameterList(parameters)

        def forward(self, x: Any) -> Any:
            self.write()
            if not torch.is_grad_enabled():
                return torch.from_numpy(self.trainer.logits(_inputs(self.trainer, x)))
            return StraightThrough.apply(self.trainer, x, *self.weights)

        def write(self) -> None:
            """Clamp the parameters to the ranges of their formats, and store them in the program, rounded."""
            pairs = list(zip(self.trainer.weights.variables, self.weights, strict=True))
            for real, parameter in pairs:
                real[...] = parameter.detach().cpu().numpy()
            self.trainer.weights.write()
            with torch.no_grad():
                for real, parameter in pairs:
                    parameter.copy_(torch.from_numpy(real))

        def model(self) -> Model:
            self.write()
            return of_object(self.trainer.weights.program().clone())

    return ProgramLayer


def _inputs(trainer: Trainer, x: Any) -> Any:
    return trainer.inputs(x.detach().cpu().double().numpy().reshape(len(x), -1))
