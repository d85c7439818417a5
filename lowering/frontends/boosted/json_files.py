"""Import of JSON files of XGBoost, LightGBM and microWakeWord. The fields of the file determine the importer."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.lowering.frontends.boosted.json_fields import Fields
from tinyml.lowering.frontends.boosted.lightgbm import import_dump
from tinyml.lowering.frontends.boosted.xgboost import import_xgboost
from tinyml.runtime.readers.json_text import parse_json


def read_json(content: bytes, file: str) -> ModuleOp:
    """Import the model in a JSON file. Raises `InputError` if the fields match no supported library."""
    model = parse_json(content, file)
    if isinstance(model, dict) and "learner" in model:
        return import_xgboost(Fields(model, file), file)
    if isinstance(model, dict) and "tree_info" in model:
        return import_dump(Fields(model, file), file)
    if isinstance(model, dict) and "micro" in model:
        return imported("tinyml.lowering.frontends.signals.wake_words:read_manifest")(model, file)
    if isinstance(model, dict) and "oblivious_trees" in model:
        raise InputError(
            "CatBoost's JSON is not supported: save_model('model.cbm'), or save_model('model.onnx', format='onnx')",
            file=file,
        )
    raise InputError(
        "expected a model as XGBoost's save_model('model.json') writes it, or the JSON of LightGBM's dump_model()",
        file=file,
    )
