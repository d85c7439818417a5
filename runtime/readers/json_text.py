"""The parser of JSON files of models and descriptions."""

from __future__ import annotations

import json
from typing import Any

from tinyml.dialects.errors import InputError

_MAX_DIGITS = 20


def parse_json(content: bytes, file: str) -> Any:
    """The value in a JSON file. Raises `InputError` if the content is not JSON or is nested too deeply."""
    try:
        return json.loads(content.decode("utf-8"), parse_int=_integer)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"not a JSON file: {error}", file=file) from error


def _integer(digits: str) -> int | float:
    """Parse an integer. An integer with more digits than any field accepts becomes a float, which the field rejects."""
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)
