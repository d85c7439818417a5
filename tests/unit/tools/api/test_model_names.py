"""Programs of in-memory models are named after the user's class or model, not after a class of a library."""

from __future__ import annotations

from typing import Any

import pytest

from tinyml.tools.api.loading import name_of


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("Functional", "functional", "model"),
        ("Functional", "functional_12", "model"),
        ("Functional", "doorbell", "doorbell"),
        ("Sequential", "sequential_1", "model"),
        ("GraphModule", None, "model"),
        ("ExportedProgram", None, "model"),
        ("Doorbell", None, "Doorbell"),
        ("Doorbell", "doorbell_1", "Doorbell"),
    ],
)
def test_names(kind: str, name: str | None, expected: str) -> None:
    attributes: dict[str, Any] = {} if name is None else {"name": name}
    assert name_of(type(kind, (), attributes)()) == expected
