"""The families of `tinyml.models`: Bonsai and ProtoNN."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tinyml.tools.design.families import Choices, Family, Interval, Parameters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EPOCHS = 100
"""The default epochs of both models."""

_SHARED_SPACE = {
    "projection": Interval(4, 30, whole=True, by_factor=True),
    "density": Choices((1.0, 0.5, 0.2)),
    "epochs": Interval(50, 200, whole=True, by_factor=True),
}


def _bonsai(parameters: Parameters, x: NDArray[np.float64], y: NDArray[Any], seed: int) -> Any:
    models: Any = import_module("tinyml.tools.models.bonsai")
    return models.Bonsai(
        projection=parameters["projection"],
        depth=parameters["depth"],
        z_density=parameters["density"],
        epochs=parameters["epochs"],
        random_state=seed,
    ).fit(x, y)


BONSAI = Family(
    fit=_bonsai,
    space={**_SHARED_SPACE, "depth": Choices((0, 1, 2, 3))},
    usual=({"projection": 10, "density": 1.0, "epochs": EPOCHS, "depth": 2},),
    regresses=False,
    sized_by=("projection", "density", "depth"),
    untrained={"epochs": 1},
    epochs="epochs",
)


def _protonn(parameters: Parameters, x: NDArray[np.float64], y: NDArray[Any], seed: int) -> Any:
    models: Any = import_module("tinyml.tools.models.protonn")
    return models.ProtoNN(
        projection=parameters["projection"],
        prototypes=parameters["prototypes"],
        w_density=parameters["density"],
        epochs=parameters["epochs"],
        random_state=seed,
    ).fit(x, y)


PROTONN = Family(
    fit=_protonn,
    space={**_SHARED_SPACE, "prototypes": Interval(5, 80, whole=True, by_factor=True)},
    usual=({"projection": 10, "density": 1.0, "epochs": EPOCHS, "prototypes": 40},),
    regresses=False,
    sized_by=("projection", "density", "prototypes"),
    untrained={"epochs": 1},
    epochs="epochs",
)
