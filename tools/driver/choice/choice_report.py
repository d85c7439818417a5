"""The choice of `--format auto`, as a part of the report and as printed lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tinyml.tools.driver.choice.candidates import Candidate, Outcome, verdict_of_deferred, verdict_of_late
from tinyml.tools.driver.choice.choose import FASTER_RATIO
from tinyml.tools.driver.choice.replay import replay_command, replay_pipeline, spelled_options
from tinyml.tools.driver.choice.statistics import Loss, needed_samples
from tinyml.tools.driver.data_faults import CONFIDENCE
from tinyml.tools.reports.facts.faults import SCORES_OFF

if TYPE_CHECKING:
    from tinyml.tools.driver.choice.alternatives import Alternative
    from tinyml.tools.driver.choice.choose import AutoChoice, Bounds
    from tinyml.tools.driver.choice.trials import EstimatedCost
    from tinyml.tools.driver.request import Request

LARGE_READING = 0.2
"""The share of a call above which the conversion of floats is reported."""

SHOWN_TIMES = 3
"""The number of measured alternatives in the line about measurements."""

USELESS_EXCESS = 2.0
"""The excess over the permitted loss, in points, above which a program is useless whatever its cost."""


def choice_report(choice: AutoChoice, request: Request) -> dict[str, Any]:
    """The report on a choice.

    request: the request that compiles the chosen program.
    """
    taken = choice.taken
    assert taken.loss is not None
    return {
        "name": taken.alternative.name,
        "options": {**taken.alternative.options, **taken.schedule},
        "command": replay_command(request),
        "pipeline": replay_pipeline(request, choice.options),
        "permitted_loss": choice.bounds.loss,
        "qualifies": choice.qualifies,
        "division": choice.division,
        "loss": _loss(taken.loss),
        "decidable": _decides(taken.loss, choice.bounds),
        "beside": None if choice.usual is None else _row(choice.usual),
        "alternatives": [
            *map(_row, choice.tried),
            *(_unknown(row, verdict_of_deferred(row)) for row in choice.deferred),
            *(_unknown(row, verdict_of_late(row)) for row in choice.late),
            *(_unknown(row.alternative, row.verdict) for row in choice.failed),
        ],
    }


def _decides(loss: Loss, bounds: Bounds) -> bool:
    return loss.bound <= bounds.loss or not loss.allowed(bounds.loss)


def _loss(loss: Loss | None) -> dict[str, Any] | None:
    if loss is None:
        return None
    points, bound = round(loss.points, 4), round(loss.bound, 4)
    return {"points": points, "bound": bound, "lost": loss.lost, "gained": loss.gained, "samples": loss.samples}


def _row(tried: Candidate) -> dict[str, Any]:
    return {
        "name": tried.alternative.name,
        "options": {**tried.alternative.options, **tried.schedule},
        "time": None if tried.cost.time is None else round(tried.cost.time),
        "reading": None if tried.cost.time is None else round(tried.cost.reading),
        "flash": round(tried.cost.flash),
        "ram": round(tried.cost.ram),
        "measured": None if tried.figures is None else asdict(tried.figures),
        "look": _loss(tried.look),
        "loss": _loss(tried.loss),
        "verdict": tried.verdict,
    }


def _unknown(alternative: Alternative, verdict: str) -> dict[str, Any]:
    unknown = dict.fromkeys(("time", "reading", "flash", "ram", "measured", "look", "loss"))
    return {"name": alternative.name, "options": dict(alternative.options), **unknown, "verdict": verdict}


def choice_lines(choice: AutoChoice, unit: str) -> list[str]:
    """The lines about a choice: the program, its confidence, its cost compared with 16 bits, and what to try next."""
    taken = choice.taken
    assert taken.loss is not None
    chosen = spelled_options({**taken.alternative.options, **taken.schedule})
    return [
        f"Chosen: {taken.alternative.name} ({chosen}); {_judgement(taken.loss, choice.bounds)}",
        *_costs(choice, unit),
        *_measured(choice, unit),
        *_decided_by_reading(choice, unit),
        f"Next: {_next(choice, unit)}",
    ]


def _judgement(loss: Loss, bounds: Bounds) -> str:
    """The loss of a program on the samples, and what the samples prove about other data."""
    found, most = _found(loss, bounds), _amount(loss, loss.bound)
    if loss.scores is not None and loss.scores <= SCORES_OFF:
        found += f", scores differ by up to {loss.scores:.1%} of their range"
    if _decides(loss, bounds):
        return f"{found}; at most {most} at {CONFIDENCE:.0%} confidence"
    needed = needed_samples(loss, bounds.loss)
    would = "" if needed is None else f": about {needed:,} would rule out more than {_amount(loss, bounds.loss)}"
    return f"{found}; {loss.samples:,} samples cannot rule out {most}{would}"


def _found(loss: Loss, bounds: Bounds) -> str:
    if loss.error is not None:
        return f"{loss.error}: {loss.error.change}, {bounds.loss:g}% permitted"
    if loss.log_losses is not None:
        return f"{loss.change}, {_amount(loss, bounds.loss)} permitted"
    if loss.metric or not (loss.counted or loss.changed):
        return loss.change
    changed = f"{loss.changed:,} of {loss.samples:,} answers changed" if loss.changed else "no answer changed"
    if not loss.changed or not loss.labelled:
        return f"{changed}{_expected(loss)}"
    return f"{changed}, {loss.counted_change}{_expected(loss)}"


def _amount(loss: Loss, points: float) -> str:
    """An amount of loss in the unit of the judged loss."""
    if loss.error is not None:
        return f"{round(points, 1):g}%"
    if loss.log_losses is not None:
        # A point is a hundredth of a nat.
        return f"{max(points, 0) / 100:.4f} more"
    return f"{max(round(points, 2), 0):g} points"


def _expected(loss: Loss) -> str:
    worse = round(loss.points, 2) > max(round(loss.net, 2), 0)
    return f", {loss.points:.2f} expected on new data" if worse else ""


def _costs(choice: AutoChoice, unit: str) -> Iterator[str]:
    """Yield the estimated costs of the chosen program, beside those of the program in 16 bits unless the latter does
    not fit or loses far too much. Yields nothing on a target of unknown costs.
    """
    taken, usual, bounds = choice.taken, choice.usual, choice.bounds
    counts = [
        (taken.cost.time, usual and usual.cost.time, f"{unit} a call{_reading(taken.cost)}"),
        (taken.cost.flash, usual and usual.cost.flash, "bytes of flash"),
        (taken.cost.ram, usual and usual.cost.ram, "bytes of RAM"),
    ]
    counts = [each for each in counts if max(filter(None, each[:2]), default=0) >= 1 and each[0] is not None]
    if not counts:
        return
    beside = ""
    if usual is not None and usual is not taken and bounds.admit(usual.cost):
        lost = usual.loss or usual.look
        if lost is None or lost.points <= bounds.loss + USELESS_EXCESS:
            said = "" if lost is None else f" ({lost.change})"
            beside = f"; the 16-bit program would need {_listed([f'{count:,.0f}' for _, count, _ in counts])}{said}"
    yield f"Estimated: {_listed([f'{count:,.0f} {what}' for count, _, what in counts])}{beside}"


def _measured(choice: AutoChoice, unit: str) -> Iterator[str]:
    """Yield a line with the measured times, the fastest first, each beside its estimate; nothing without measurements.

    The measurement decided if an alternative that was not refused is faster by its estimate and slower by measurement.
    """
    taken = choice.taken
    rows = sorted((row for row in choice.tried if row.is_measured), key=lambda row: row.time or 0)
    if not rows:
        return
    slower = [row for row in rows if row.outcome in (Outcome.NOT_REACHED, Outcome.OVERTAKEN)]
    decided = any(
        (row.cost.time or 0) < (taken.cost.time or 0) and (row.time or 0) > (taken.time or 0) for row in slower
    )
    times = [f"{row.alternative.name} {row.time:,.0f}{_estimated(row)}" for row in rows[:SHOWN_TIMES]]
    if len(rows) > SHOWN_TIMES:
        times.append(f"{len(rows) - SHOWN_TIMES} slower")
    yield f"{'Decided by measurement' if decided else 'Measured'}, in {unit} a call: {'; '.join(times)}"


def _estimated(row: Candidate) -> str:
    return "" if row.cost.time is None else f" (estimated {row.cost.time:,.0f})"


def _reading(cost: EstimatedCost) -> str:
    if not cost.time or cost.reading <= LARGE_READING * cost.time:
        return ""
    return f" ({cost.reading / cost.time:.0%} convert floats: --input-unit saves them)"


def _decided_by_reading(choice: AutoChoice, unit: str) -> Iterator[str]:
    """Yield a line if the conversion of floats has decided the choice: another alternative that was not refused is
    faster on raws, by more than estimates resolve, but slower in a call with floats.
    """
    taken = choice.taken
    cost = taken.cost
    if not taken.time:
        return
    others = [row for row in choice.tried if row.time and row.outcome is Outcome.NOT_REACHED]
    faster = [
        row
        for row in others
        if choice.bounds.admit(row.cost) and row.cost.reading > cost.reading
        if row.inference < FASTER_RATIO * taken.inference
    ]
    if faster:
        best = min(faster, key=lambda row: row.inference)
        yield (
            f"Decided by the conversion of floats: {best.alternative.name} takes {best.cost.reading:,.0f} {unit} for "
            f"it instead of {cost.reading:,.0f}, but on raws {best.inference:,.0f} instead of {taken.inference:,.0f}; "
            "--input-unit avoids the conversion, and chooses again"
        )


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _next(choice: AutoChoice, unit: str) -> str:
    taken, bounds = choice.taken, choice.bounds
    assert taken.loss is not None
    if not choice.qualifies:
        return "more data, or features of like ranges, lose less in few bits; a larger board has room for more"
    refused = [row for row in choice.tried if row.loss is not None and row is not taken and row.time]
    faster = [row for row in refused if taken.time is not None and (row.time or 0) < taken.time]
    undecided = [row for row in faster if row.loss and row.loss.allowed(bounds.loss)]
    if undecided and not _decides(taken.loss, bounds):
        row = min(undecided, key=lambda row: row.time or 0)
        return f"more samples may admit {row.alternative.name}: {row.time:,.0f} {unit}"
    faster = [row for row in faster if row.known_loss > bounds.loss]
    if faster:
        row = min(faster, key=lambda row: row.known_loss)
        return f"--loss {row.known_loss + 0.05:.1f} admits {row.alternative.name}: {row.time:,.0f} {unit}"
    return "--search pareto chooses a format for each tensor, for less RAM or flash, in a minute or more"
