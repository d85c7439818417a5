"""Classifiers for a few kilobytes of flash, as estimators of scikit-learn: Bonsai, ProtoNN and FastGRNN.

model = models.Bonsai(projection=10, depth=2).fit(X, y)
program = tinyml.compile(model, X_val, y_val, board="uno")
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported, missing_part, needs
from tinyml.dialects.package_metadata import install_command

if TYPE_CHECKING:
    from tinyml.tools.models.bonsai import Bonsai as Bonsai
    from tinyml.tools.models.fastgrnn import FastGRNN as FastGRNN
    from tinyml.tools.models.protonn import ProtoNN as ProtoNN

__all__ = ["Bonsai", "FastGRNN", "ProtoNN"]

_HOMES = {
    "Bonsai": "tinyml.tools.models.bonsai",
    "FastGRNN": "tinyml.tools.models.fastgrnn",
    "ProtoNN": "tinyml.tools.models.protonn",
}

if (part := missing_part("tinyml.tools.models")) is not None:
    raise InputError(f"tinyml.models {needs(part)}")
if find_spec("sklearn") is None:
    raise InputError(f"tinyml.models needs scikit-learn: {install_command('sklearn')}")


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return imported(f"{_HOMES[name]}:{name}")
