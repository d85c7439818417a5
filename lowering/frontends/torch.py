"""Import of a `torch.nn.Module` or an exported program through an ONNX model that PyTorch exports into memory (the
extra `torch`).
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.package_metadata import install_command
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.lowering.frontends.pt2e import is_graph, quantised_onnx


def import_torch(module: Any, example: object, name: str) -> ModuleOp:
    """Import a module in evaluation mode, or an exported program. The training mode of the module is restored
    afterwards.

    Raises `InputError` without an example, for a module that PyTorch cannot export, and as `read_onnx` does.

    name: the name of the program, and the prefix of messages.
    example: a tensor or array with a sample axis, or a tuple of them for several inputs. Only the first sample is
        used.
    """
    if example is None:
        raise InputError("a module of PyTorch needs an input of the right shape: load(module, example=x)", file=name)
    return read_onnx(_exported(module, _arguments(example), name), name)


def _exported(module: Any, arguments: tuple[Any, ...], name: str) -> bytes:
    torch = import_module("torch")
    try:
        if is_graph(module):
            with _silence():
                return quantised_onnx(module, arguments, name)
        with _silence(), _evaluation(module):
            _check(module, arguments, name)
            return torch.onnx.export(module, arguments, dynamo=True, verbose=False).model_proto.SerializeToString()
    except InputError:
        raise
    except ImportError as error:
        raise InputError(f"PyTorch exports with onnxscript: {install_command('torch')}", file=name) from error
    except Exception as error:
        raise InputError(f"PyTorch cannot export the module: {' '.join(str(error).split())}", file=name) from error


@contextmanager
def _silence() -> Generator[None]:
    torch, logged = import_module("torch"), logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with torch.no_grad(), redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
            yield
    finally:
        logging.disable(logged)


@contextmanager
def _evaluation(module: Any) -> Generator[None]:
    training = [submodule for submodule in module.modules() if submodule.training]
    module.eval()
    try:
        yield
    finally:
        for submodule in training:
            submodule.training = True


def _check(module: Any, arguments: tuple[Any, ...], name: str) -> None:
    """Run the module on the inputs. Raises a short `InputError` if this fails, since the exporter's own message
    would be long.
    """
    try:
        module(*arguments)
    except Exception as error:
        raise InputError(f"does not run on the example: {' '.join(str(error).split())}", file=name) from error


def _arguments(example: object) -> tuple[Any, ...]:
    torch = import_module("torch")
    inputs = cast("Sequence[Any]", example) if isinstance(example, tuple) else (example,)
    tensors = [torch.as_tensor(array) for array in inputs]
    return tuple(tensor[:1].float() if tensor.is_floating_point() else tensor[:1] for tensor in tensors)
