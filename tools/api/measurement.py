"""Measurements of a program on a board, in total and by operation."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import Any

from tinyml.tools.reports.tables import time_unit


@dataclass(frozen=True, kw_only=True)
class Measurements:
    """Measurements of a program on a board, all of whose raw outputs equal the evaluator's.

    optimize: the level of the C compiler. samples: the number of inferences. unit: cycles or instructions; time: the
    mean time of an inference in that unit, None on a board without counters. core_cycles: the mean by the published
    timing of the core, None without one. milliseconds: the mean time by the clock of the board, None if that is
    unknown; time_source: `simulated`, `published` (the timing of the core, without wait states of memories) or `least`
    (one cycle for each instruction). flash_bytes: the size of the linked program. static_bytes: .data and .bss;
    stack_bytes: the peak of the stack; ram_bytes: both together. float_time, float_ram_bytes: time and RAM with an
    array of floats as the input; None for an input that takes no floats, on the host, and where the array does not fit.
    """

    board: str
    optimize: str
    samples: int
    unit: str
    time: float | None
    core_cycles: float | None
    milliseconds: float | None
    time_source: str | None
    flash_bytes: int
    static_bytes: int
    stack_bytes: int
    float_time: float | None
    float_ram_bytes: int | None

    @property
    def ram_bytes(self) -> int:
        return self.static_bytes + self.stack_bytes

    @staticmethod
    def of(result: Mapping[str, Any]) -> Measurements:
        """The figures in the result of `run_model`."""
        unit = time_unit(dict(result))
        floats: Mapping[str, Any] = result["float_inputs"] or {}
        return Measurements(
            board=result["device"],
            optimize=result["optimize"].removeprefix("-"),
            samples=result["samples"],
            unit=unit,
            time=result[f"{unit}_per_inference"],
            core_cycles=result["core_cycles_per_inference"],
            milliseconds=result["milliseconds_per_inference"],
            time_source=result["time_source"],
            flash_bytes=result["flash_bytes"],
            static_bytes=result["ram_bytes"]["static"],
            stack_bytes=result["ram_bytes"]["stack"],
            float_time=floats.get(f"{unit}_per_inference"),
            float_ram_bytes=floats.get("ram_bytes"),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The time, flash and RAM of each operation of a program; `str` gives the tables of `tinyml explain`.

    figures: the content of `tinyml explain --json`.
    """

    figures: Mapping[str, Any]

    @cached_property
    def text(self) -> str:
        """The tables as text."""
        from tinyml.tools.driver.explain_model import print_explanation

        stream = StringIO()
        with redirect_stdout(stream):
            print_explanation(dict(self.figures))
        return stream.getvalue()

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.text)}</pre>"
