"""The options of `tinyml.finetune` as keyword arguments, for type checkers and editors.

Written from their declarations by `pytest --update-docs tests/unit/tools/api/test_api_reference.py`.
"""

from __future__ import annotations

from typing import TypedDict


class FinetuneKeywords(TypedDict, total=False):
    """The keyword arguments, all optional; None stands for the default."""

    batch: int | None
    epochs: int | None
    flash: int | None
    format: str | None
    functions: str | None
    learn_ranges: bool | None
    macs: int | None
    plan: str | None
    pruning: str | None
    quantized_epochs: int | None
    ram: int | None
    rate: float | None
    row_scales: bool | None
    seed: int | None
    trainings: int | None
    weights: str | None
    width: int | None
