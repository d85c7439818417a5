"""Import of XGBoost, LightGBM and CatBoost models as in-memory objects, and of CatBoost's files.

Each library serialises the object: XGBoost to JSON, LightGBM to text, CatBoost to ONNX.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.plugins import described
from tinyml.lowering.frontends.boosted.json_fields import Fields
from tinyml.lowering.frontends.boosted.lightgbm import lightgbm_model, read_lightgbm
from tinyml.lowering.frontends.boosted.objectives import BoostedModel, boosted_values
from tinyml.lowering.frontends.boosted.xgboost import import_xgboost, xgboost_model
from tinyml.lowering.frontends.child_process import converted
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.model.temporary_folder import temporary_folder


def _of_xgboost(estimator: Any, to: ModelBuilder) -> BoostedModel:
    missing = getattr(estimator, "missing", None)
    if missing is not None and not np.isnan(missing):
        raise to.error(
            f"missing={missing!r} is not supported, only NaN: train with X = np.where(X == {missing!r}, np.nan, X)"
        )
    kind = next(kind for kind in ("Classifier", "Ranker", "Regressor") if type(estimator).__name__.endswith(kind))
    with _reading(to):
        content = _json_of(estimator.get_booster())
    return xgboost_model(Fields(content, to.file), kind.lower())


def _json_of(booster: Any) -> Any:
    return json.loads(bytes(booster.save_raw("json")))


def _of_lightgbm(estimator: Any, to: ModelBuilder) -> BoostedModel:
    with _reading(to):
        text = estimator.booster_.model_to_string()
    return lightgbm_model(text, to.file)


@contextmanager
def _reading(to: ModelBuilder) -> Generator[None]:
    try:
        yield
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise to.error(f"its model cannot be read: {described(error)}") from error


_MODELS: Mapping[str, Callable[[Any, ModelBuilder], BoostedModel]] = {
    **dict.fromkeys(("XGBClassifier", "XGBRegressor", "XGBRanker", "XGBRFClassifier", "XGBRFRegressor"), _of_xgboost),
    **dict.fromkeys(("LGBMClassifier", "LGBMRegressor", "LGBMRanker"), _of_lightgbm),
}


def _boosted(estimator: Any, to: ModelBuilder, x: SSAValue) -> SSAValue:
    return boosted_values(to, x, _MODELS[type(estimator).__name__](estimator, to))


BOOSTERS: Mapping[str, Callable[[Any, ModelBuilder, SSAValue], SSAValue]] = dict.fromkeys(_MODELS, _boosted)
"""The handlers of estimators from packages other than scikit-learn, by class name."""


def import_booster(model: Any, file: str) -> ModuleOp:
    """Import a `Booster` of XGBoost or LightGBM, or a model of CatBoost.

    Raises `InputError` for an object of another class, for a model that is not fitted, and for an unsupported model.
    """
    package = type(model).__module__.partition(".")[0]
    if package == "catboost":
        return read_onnx(_onnx(model, file), file)
    if type(model).__name__ != "Booster":
        raise InputError(f"expected an estimator or a Booster of {package}, got {type(model).__name__}", file=file)
    if package == "xgboost":
        return import_xgboost(Fields(_json_of(model), file), file)
    return read_lightgbm(model.model_to_string().encode("utf-8"), file)


SECONDS = 60
"""The time limit in seconds for a CatBoost file. Parsing thousands of trees takes much less than a second."""


def read_catboost(content: bytes, file: str) -> ModuleOp:
    """Import a file that CatBoost's `save_model('model.cbm')` wrote, using CatBoost to parse the file.

    CatBoost runs in a child process, since it does not validate the file. Raises `InputError` without CatBoost, for an
    invalid file, and for an unsupported model.
    """
    if find_spec("catboost") is None:
        raise InputError(
            "needs the package catboost: pip install catboost, or save_model('model.onnx', format='onnx')", file=file
        )
    return read_onnx(converted(to_onnx, content, file, library="CatBoost", seconds=SECONDS, file=file), file)


def to_onnx(content: bytes, file: str) -> bytes:
    """Convert a CatBoost file to ONNX; runs in a child process. Raises `InputError` if CatBoost rejects the file."""
    model: Any = import_module("catboost").CatBoost()
    try:
        model.load_model(blob=content)
    # CatBoost raises exceptions of any type for invalid files.
    except Exception as error:
        raise InputError(f"not a model of CatBoost: {described(error)}", file=file) from error
    return _onnx(model, file)


def _onnx(model: Any, file: str) -> bytes:
    with temporary_folder() as folder:
        path = folder / "model.onnx"
        try:
            model.save_model(str(path), format="onnx")
        except Exception as error:
            message = described(error).replace(str(path), path.name)
            raise InputError(f"CatBoost does not export it as ONNX: {message}", file=file) from error
        return path.read_bytes()
