"""The choice of `--format auto`, as a part of the report and as printed lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tinyml.tools.driver.choice.candidates import Candidate, verdict_of_deferred, verdict_of_late
from tinyml.tools.driver.choice.replay import replay_command, replay_pipeline, spelled_options
from tinyml.tools.driver.choice.statistics import Loss, change
from tinyml.tools.driver.data_faults import CONFIDENCE

if TYPE_CHECKING:
    from tinyml.tools.driver.choice.alternatives import Alternative
    from tinyml.tools.driver.choice.choose import AutoChoice, Bounds
    from tinyml.tools.driver.request import Request

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
        "flash": round(tried.cost.flash),
        "ram": round(tried.cost.ram),
        "look": _loss(tried.look),
        "loss": _loss(tried.loss),
        "verdict": tried.verdict,
    }


def _unknown(alternative: Alternative, verdict: str) -> dict[str, Any]:
    unknown = dict.fromkeys(("time", "flash", "ram", "look", "loss"))
    return {"name": alternative.name, "options": dict(alternative.options), **unknown, "verdict": verdict}


def choice_lines(choice: AutoChoice, unit: str) -> list[str]:
    """The lines about a choice: the program, its confidence, its cost compared with 16 bits, and what to try next."""
    taken = choice.taken
    chosen = spelled_options({**taken.alternative.options, **taken.schedule})
    return [
        f"Chosen: {taken.alternative.name} ({chosen}); {_judgement(taken, choice.bounds)}",
        *_beside(choice, unit),
        f"Next: {_next(choice, unit)}",
    ]


def _judgement(taken: Candidate, bounds: Bounds) -> str:
    loss = taken.loss
    assert loss is not None
    undecided = "" if _decides(loss, bounds) else f"{_limit(loss, bounds)} is not ruled out: "
    if loss.error is not None:
        found = f"{undecided}{loss.error} on {loss.samples:,} samples: {loss.error.change}"
        return f"{found}; {loss.error.most} at {CONFIDENCE:.0%} confidence"
    bound = f"at most {max(loss.bound, 0):.2f} points at {CONFIDENCE:.0%} confidence"
    if not loss.counted:
        return f"{undecided}{loss.change} on {loss.samples:,} samples; {bound}"
    lost, gained = (f"{count:,}" if count else "none" for count in (loss.lost, loss.gained))
    became = f"{lost} of {loss.samples:,} samples "
    if not loss.labelled:
        became += "got another answer"
    else:
        became += f"became wrong, {gained} right" if loss.lost or loss.gained else "became wrong or right"
    worse = round(loss.points, 2) > max(round(loss.net, 2), 0)
    expected = f"; {loss.points:.2f} points expected on new data" if worse else ""
    scores = "" if loss.scores is None else f"; scores differ by up to {loss.scores:.1%} of their range"
    return f"{undecided}{became}: {change(loss.net)}{expected}; {bound}{scores}"


def _limit(loss: Loss, bounds: Bounds) -> str:
    return f"a loss above {bounds.loss:g} points" if loss.error is None else f"a growth above {bounds.loss:g}%"


def _beside(choice: AutoChoice, unit: str) -> Iterator[str]:
    """Yield lines that compare the costs of the chosen program with the costs of the program in 16 bits.

    Yields nothing if there is no other program in 16 bits, or if that program does not fit or loses far too much.
    """
    taken, usual, bounds = choice.taken, choice.usual, choice.bounds
    if usual is None or usual is taken or not bounds.admit(usual.cost):
        return
    lost = usual.loss or usual.look
    if lost is not None and lost.points > bounds.loss + USELESS_EXCESS:
        return
    counts = [
        (taken.cost.flash, usual.cost.flash, "bytes of flash"),
        (taken.cost.ram, usual.cost.ram, "bytes of RAM"),
    ]
    if taken.cost.time is not None and usual.cost.time is not None:
        counts.insert(0, (taken.cost.time, usual.cost.time, unit))
    counts = [each for each in counts if max(each[:2]) >= 1]
    mine = _listed([f"{count:,.0f} {what}" for count, _, what in counts])
    theirs = _listed([f"{count:,.0f}" for _, count, _ in counts])
    said = "" if lost is None else f", and {lost.change}"
    # A program that accepts floats is chosen by the time of a call with floats.
    yield f"Estimated, with the conversion of the inputs: {mine}; the 16-bit program would need {theirs}{said}"


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _next(choice: AutoChoice, unit: str) -> str:
    taken, bounds = choice.taken, choice.bounds
    assert taken.loss is not None
    if not choice.qualifies:
        return "more data, or features of like ranges, lose less in few bits; a larger board has room for more"
    refused = [row for row in choice.tried if row.loss is not None and row is not taken and row.cost.time]
    faster = [row for row in refused if taken.cost.time is not None and (row.cost.time or 0) < taken.cost.time]
    if any(row.loss and row.loss.allowed(bounds.loss) for row in faster) and not _decides(taken.loss, bounds):
        return f"more samples: {taken.loss.samples:,} are too few to rule out {_limit(taken.loss, bounds)}"
    faster = [row for row in faster if row.known_loss > bounds.loss]
    if faster:
        row = min(faster, key=lambda row: row.known_loss)
        return f"--loss {row.known_loss + 0.05:.1f} admits {row.alternative.name}: {row.cost.time:,.0f} {unit}"
    return "--search pareto chooses a format for each tensor, for less RAM or flash, in a minute or more"
