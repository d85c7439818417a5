"""The figures of a compiled program. Tables, pages, notebooks and comparisons display them in different forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tinyml.dialects.formats.lookup import is_type

if TYPE_CHECKING:
    from tinyml.tools.reports.report_fields import ReportFields

BYTES = "bytes"

ERRORS = {"R2": "r2", "RMSE": "rmse", "MAE": "mae"}
"""The errors of regressors: report fields by figure name."""

ALARMS = {"false alarms": "alarms", "anomalies found": "found"}
"""The rates of detectors: report fields by figure name."""

_BEFORE = {"simulated": "", "board": "", "published": "~", "modelled": "~", "least": ">"}


@dataclass(frozen=True)
class Figure:
    """A named figure of a report. `value` is a number or a word such as `auto`, or None if the value is unknown.

    unit: the unit of a number.
    limit: the maximum of the figure.
    exact: the figure of the float model.
    beside: a remark that reports print after the value.
    source: the source of a number in milliseconds (`TimeSource`).
    """

    name: str
    value: float | str | None
    unit: str = ""
    limit: int | None = None
    exact: float | None = None
    beside: str = ""
    source: str | None = None

    @property
    def text(self) -> str:
        """The value with its unit; `-` if it is unknown."""
        return self.value if isinstance(self.value, str) else self._spelled(self.value)

    @property
    def reference(self) -> str:
        """The figure of the float model with its unit; `-` if it is unknown."""
        return self._spelled(self.exact)

    @property
    def share(self) -> str | None:
        """The value as a percentage of its limit; None if the value or the limit is unknown."""
        if self.limit is None or not isinstance(self.value, int | float):
            return None
        return f"{100 * self.value / self.limit:.0f}"

    @property
    def note(self) -> str:
        """The remark shown in small print next to the value; empty if there is none."""
        if self.exact is not None:
            return f"float model {self.reference}"
        return self.beside if self.share is None else f"{self.share} % of {self.limit:,}"

    def _spelled(self, value: float | None) -> str:
        if value is None:
            return "-"
        match self.unit:
            case "":
                return f"{value:.4g}"
            case "%":
                return f"{value:.2f} %"
            case "ms":
                return f"{spell_milliseconds(value, self.source)} ms"
            case unit:
                return f"{value:,.0f} {unit}"


def figures_of(report: ReportFields) -> dict[str, Figure]:
    """The figures of a program, by the name of the figure."""
    return {figure.name: figure for figure in _figures(report)}


def _figures(report: ReportFields) -> Iterator[Figure]:
    ram, unit, time = report.ram_bytes, report.unit, report.time_per_inference
    yield Figure("board", report.target, beside=report.part)
    yield Figure("format", spell_format(report))
    yield Figure("width", report.width, "bits")
    yield Figure("plan", report.options["plan"])
    yield Figure("accuracy", report.accuracy, "%", exact=report.accuracy_float)
    if (metric := report.metric) is not None:
        pair = metric["formats"], metric["reals"]
        texts = [f"{100 * figure:.2f} %" if metric["percent"] else f"{figure:.4g}" for figure in pair]
        yield Figure("metric", f"{metric['name']} {texts[0]}", beside=f"float model {texts[1]}")
    else:
        yield Figure("metric", None)
    regression: Mapping[str, Any] = report.regression or {}
    reals, formats = (cast("Mapping[str, float]", regression.get(name) or {}) for name in ("reals", "formats"))
    for name, key in ERRORS.items():
        yield Figure(name, formats.get(key), exact=reals.get(key))
    detection: Mapping[str, Any] = report.detection or {}
    yield Figure("threshold", detection.get("threshold"))
    rates = tuple(cast("Mapping[str, float | None]", detection.get(name) or {}) for name in ("formats", "reals"))
    for name, key in ALARMS.items():
        found, exact = (None if (rate := each.get(key)) is None else 100 * rate for each in rates)
        yield Figure(name, found, "%", exact=exact)
    answers = f"{report.disagreements} of {report.samples} samples"
    yield Figure("other answers", answers if report.samples and report.regression is None else None)
    # A caller of a stream waits for a hop, not for the frames of an answer together.
    stream = report.stream or {}
    of_hop = stream.get("milliseconds") is not None
    milliseconds = stream["milliseconds"] if of_hop else report.milliseconds_per_inference
    clock = Figure("milliseconds", milliseconds, "ms", source=report.time_source)
    if of_hop:
        time = stream["longest_hop"]
    yield Figure("time from floats", _from_floats(report), unit, beside="their conversion is estimated")
    yield Figure("time of an inference", time, unit, beside="" if clock.value is None else clock.text)
    yield clock
    # If the time or the RAM was not measured, another figure replaces it.
    estimated = None if time is not None or report.estimate is None else report.estimate[f"{unit}_per_inference"]
    yield Figure("estimated time", estimated, unit)
    yield Figure("flash", report.flash_bytes, BYTES, report.flash_limit)
    yield Figure("constants", report.constants_bytes, BYTES)
    yield Figure("RAM", ram.total, BYTES, report.ram_limit)
    yield Figure("arena", ram.arena, BYTES)
    yield Figure("stack", ram.stack, BYTES)
    working = ram.arena + ram.input if ram.total is None else None
    yield Figure("arena and input", working, BYTES, beside="the stack was not measured")


def _from_floats(report: ReportFields) -> float | None:
    """The time of a call with floats. None for integers of a sensor, for an input that cannot be floats, and if a part
    of the time is unknown.
    """
    floats, time = report.float_inputs, report.time_per_inference
    if time is None or floats is None or floats["conversion"] is None or report.sensor is not None:
        return None
    return time + floats["conversion"]


def spell_format(report: ReportFields) -> str:
    """The format of a program as text: `fixed 16`, `f32` and `!posit.p<8, 2>` (whose names imply their width), or with
    weights `fixed 16, posit:8`.

    If a quantised model has float parts, their format follows: `zeroskew 8 and fixed 16`. For a search, the name of the
    search replaces the width.
    """
    width = str(report.width if report.search is None else report.search["name"])
    has_width = report.format.endswith(width) or (is_type(report.format) and report.search is None)
    whole = report.format if has_width else f"{report.format} {width}"
    whole += f" and {report.parts}" if report.parts else ""
    weights = report.options["weights"]
    return f"{whole}, {weights}" if weights else whole


def spell_milliseconds(time: float | None, source: str | None) -> str:
    """The text of a time with `~` for estimates and `>` for bounds, by its source (`TimeSource`); `-` if it is
    unknown.
    """
    if time is None or source is None:
        return "-"
    return f"{_BEFORE[source]}{time:,.{0 if time >= 1000 else 2 if time >= 1 else 3}f}"
