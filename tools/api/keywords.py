"""The keyword arguments of functions of `tinyml`, for type checkers and editors.

Written from the declarations of the options by `pytest --update-docs tests/unit/tools/api/test_api_reference.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class CompileKeywords(TypedDict, total=False):
    """Keyword arguments of `tinyml.compile`, all optional; None stands for the default."""

    backend: str | None
    cache: str | None
    cells: int | None
    classes: Sequence[str] | None
    cluster: str | None
    cycles: int | None
    effort: int | None
    false_alarms: float | None
    feature_scales: bool | None
    flash: int | None
    flash_size: int | str | None
    float_features: bool | None
    fold_affine: bool | None
    format: str | None
    formats: Sequence[str] | None
    functions: str | None
    input: str | None
    input_order: str | None
    input_unit: str | None
    instances: bool | None
    jobs: int | None
    journal: str | None
    judge: str | None
    load_weights: bool | None
    loss: float | None
    measure: bool | None
    measured: str | None
    memory: str | None
    metric: str | None
    name: str | None
    optimize: str | None
    outputs: str | None
    pack_buffers: bool | None
    packed: str | None
    packer: str | None
    plan: str | None
    plans: Sequence[str] | None
    quantization: str | None
    ram: int | None
    ram_size: int | str | None
    resume: bool | None
    reuse_input: bool | None
    round_sums: bool | None
    route: bool | None
    row_scales: bool | None
    scale_by: str | None
    search: str | None
    stride: int | None
    trust_pickle: bool | None
    votes: str | None
    weight_bits: float | None
    weights: str | None
    weights_at: str | None
    weights_for: str | None
    weights_margin: float | None
    width: int | None
    widths: Sequence[int] | None


class DesignKeywords(TypedDict, total=False):
    """Keyword arguments of `tinyml.design`, all optional; None stands for the default."""

    at_least: Sequence[str] | None
    backend: str | None
    candidates: int | None
    cluster: str | None
    families: Sequence[str] | None
    flash: int | None
    folds: int | None
    jobs: int | None
    journal: str | None
    metric: str | None
    milliseconds: float | None
    ram: int | None
    replay: str | None
    seconds: float | None
    seed: int | None


class FinetuneKeywords(TypedDict, total=False):
    """Keyword arguments of `tinyml.finetune`, all optional; None stands for the default."""

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
    scale_by: str | None
    seed: int | None
    trainings: int | None
    weights: str | None
    width: int | None
