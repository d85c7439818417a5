"""Import of JSON files of XGBoost, LightGBM and microWakeWord. The fields of the file determine the importer."""

from __future__ import annotations

import json
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.lowering.frontends.boosted.json_fields import Fields

_MOST_DIGITS = 20


def read_json(content: bytes, file: str) -> ModuleOp:
    """Import the model in a JSON file. Raises `InputError` if the fields match no supported library."""
    model = parse_json(content, file)
    if isinstance(model, dict) and "learner" in model:
        from tinyml.lowering.frontends.boosted.xgboost import import_xgboost

        return import_xgboost(Fields(model, file), file)
    if isinstance(model, dict) and "tree_info" in model:
        from tinyml.lowering.frontends.boosted.lightgbm import import_dump

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


def parse_json(content: bytes, file: str) -> Any:
    """Parse a JSON file and return its value. Raises `InputError` if the content is not JSON."""
    try:
        return json.loads(content.decode("utf-8"), parse_int=_integer)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"not a JSON file: {error}", file=file) from error


def _integer(digits: str) -> int | float:
    """Parse an integer. An integer with more digits than any field accepts becomes a float, which the access to the
    field then rejects.
    """
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)
