"""The choice of `--format auto` as a part of the report and in three lines for people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.options import options_of
from tinyml.tools.driver.choice.alternatives import Alternative
from tinyml.tools.driver.choice.choose import AutoChoice
from tinyml.tools.driver.choice.contenders import Bounds, Failed, Tried
from tinyml.tools.driver.choice.replay import replay_command, replay_pipeline, spelled_options
from tinyml.tools.driver.choice.statistics import CONFIDENCE, Loss, deciding_samples

if TYPE_CHECKING:
    from tinyml.tools.driver.requests.request import Request


def requested_report(request: Request) -> dict[str, Any]:
    """The options of a request that differ from their defaults, and the format."""
    from tinyml.tools.driver.requests.request import Request

    asked: dict[str, Any] = {"format": request.format}
    for declared in options_of(Request):
        value = getattr(request, declared.name)
        # From Python, packages are asked for when a program is saved.
        if declared.name not in ("model", "out") and value not in (declared.default, ()):
            asked[declared.name] = _file(request, value) if isinstance(value, Path) else value
    return asked | ({} if request.search is None else {"search": request.search.name, **request.search.options})


def _file(request: Request, file: Path) -> str:
    """A file as the user knows it: arrays by the names of the arguments."""
    return ", ".join(request.arrays.get(file, [str(file)]))


def choice_report(choice: AutoChoice, request: Request) -> dict[str, Any]:
    """The report on a choice. request: for what was chosen."""
    taken = choice.taken
    assert taken.choosing is not None
    assert taken.checking is not None
    return {
        "name": taken.alternative.name,
        "options": {**taken.alternative.options, **taken.schedule},
        "command": replay_command(request),
        "pipeline": replay_pipeline(request, choice.options),
        "permitted_loss": choice.bounds.loss,
        "qualifies": choice.qualifies,
        "division": choice.division,
        "choosing": _loss(taken.choosing),
        "checking": _loss(taken.checking),
        "bound": None if taken.checking.bound is None else round(taken.checking.bound, 2),
        "decidable": _decides(taken.checking, choice.bounds),
        "beside": None if choice.usual is None else _row(choice.usual),
        "alternatives": [*map(_row, choice.tried), *map(_deferred, choice.deferred), *map(_failed, choice.failed)],
    }


def _decides(checking: Loss, bounds: Bounds) -> bool:
    """True if the checking samples can prove the permitted loss; no number of samples proves none."""
    return not checking.counted or bounds.loss <= 0 or checking.samples >= deciding_samples(bounds.loss)


def _loss(loss: Loss | None) -> dict[str, Any] | None:
    if loss is None:
        return None
    return {"points": round(loss.points, 4), "lost": loss.lost, "gained": loss.gained, "samples": loss.samples}


def _row(tried: Tried) -> dict[str, Any]:
    return {
        "name": tried.alternative.name,
        "options": {**tried.alternative.options, **tried.schedule},
        "time": None if tried.cost.time is None else round(tried.cost.time),
        "flash": round(tried.cost.flash),
        "ram": round(tried.cost.ram),
        "look": _loss(tried.look),
        "choosing": _loss(tried.choosing),
        "checking": _loss(tried.checking),
        "verdict": tried.verdict,
    }


def _deferred(alternative: Alternative) -> dict[str, Any]:
    return _unknown(alternative, f"considered only where {alternative.beside} is refused")


def _failed(failed: Failed) -> dict[str, Any]:
    return _unknown(failed.alternative, f"makes no program: {failed.reason}")


def _unknown(alternative: Alternative, verdict: str) -> dict[str, Any]:
    """The row of an alternative without an estimate."""
    unknown = dict.fromkeys(("time", "flash", "ram", "look", "choosing", "checking"))
    return {"name": alternative.name, "options": dict(alternative.options), **unknown, "verdict": verdict}


def choice_lines(choice: AutoChoice, unit: str) -> list[str]:
    """Three lines: what was chosen and how sure that is, what it costs beside 16 bits, and what to try next."""
    taken, bounds = choice.taken, choice.bounds
    return [
        f"Chosen: {taken.alternative.name} ({spelled_options({**taken.alternative.options, **taken.schedule})}); "
        f"{_judgement(taken, bounds)}",
        _beside(choice, unit),
        f"Next: {_next(choice, unit)}",
    ]


def _judgement(taken: Tried, bounds: Bounds) -> str:
    checking = taken.checking
    assert checking is not None
    change = f"loses {checking.points:.2f}" if checking.points >= 0 else f"gains {-checking.points:.2f}"
    found = f"{change} points on {checking.samples} checking samples"
    if checking.bound is not None:
        found += f" ({checking.lost} lost, {checking.gained} gained: at most {checking.bound:.1f} points at "
        found += f"{CONFIDENCE:.0%} confidence)"
    if not _decides(checking, bounds):
        found += f"; {checking.samples} samples cannot decide {bounds.loss:g} points"
    return found


def _beside(choice: AutoChoice, unit: str) -> str:
    taken, usual = choice.taken, choice.usual
    if usual is None:
        return "Beside 16 bits: these make no program of this model."
    if usual is taken:
        return "Beside 16 bits: the same program."
    time = ""
    if taken.cost.time is not None and usual.cost.time is not None:
        time = f"{taken.cost.time:,.0f} {unit} instead of {usual.cost.time:,.0f}, "
    fits = "" if choice.bounds.admit(usual.cost) else ", which does not fit"
    points = "" if usual.look is None else f", which lose {usual.look.points:.2f} points"
    return (
        f"Beside 16 bits: {time}{taken.cost.flash:,.0f} bytes of flash instead of {usual.cost.flash:,.0f}, "
        f"{taken.cost.ram:,.0f} bytes of RAM instead of {usual.cost.ram:,.0f} (estimated){points}{fits}"
    )


def _next(choice: AutoChoice, unit: str) -> str:
    taken, bounds = choice.taken, choice.bounds
    assert taken.checking is not None
    if not choice.qualifies:
        return "--format f32 computes in floats; more data, or features of like ranges, lose less in few bits"
    refused = [row for row in choice.tried if row.choosing is not None and row is not taken and row.cost.time]
    faster = [row for row in refused if taken.cost.time is not None and (row.cost.time or 0) < taken.cost.time]
    if faster:
        row = min(faster, key=lambda row: row.known_loss)
        loss = max(part.points for part in (row.choosing, row.checking) if part is not None)
        return f"--loss {loss + 0.05:.1f} admits {row.alternative.name}: {row.cost.time:,.0f} {unit}"
    if not _decides(taken.checking, bounds):
        return f"--val with at least {2 * deciding_samples(bounds.loss):,} samples, which decide {bounds.loss:g} points"
    return "--search pareto gives each tensor its own format, for less RAM or flash, in a minute or more"
