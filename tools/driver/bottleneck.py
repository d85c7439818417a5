"""The bottleneck of a plan: the tensors that are live at its peak, and the importance of their channels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from tinyml.tools.driver.channels import load_network
from tinyml.tools.driver.channels_request import ChannelRequest
from tinyml.tools.reports.tables import print_table, spell_bytes
from tinyml.transforms.reals.channels.channel_groups import FIXED_GROUP
from tinyml.transforms.schedules.plans.peak import fullest_segments, shares

if TYPE_CHECKING:
    from tinyml.transforms.reals.channels.importance import Importance
    from tinyml.transforms.reals.channels.pruning import Channels

SHOWN_CHANNELS = 3
"""The number of channels per row of the table; the JSON lists all."""


def show_bottleneck(model: Path, mode: str | None, bits: int | None, importance: Path | None, *, as_json: bool) -> None:
    """Print the segments at the peak of a plan, and a row for each tensor that is live in them, or the whole report as
    JSON.

    mode, bits, importance: as in `ChannelRequest`; without a mode, that of its default.
    """
    request = ChannelRequest(model=model, bits=bits, importance=importance)
    _, channels, known = load_network(request if mode is None else replace(request, mode=mode))
    report = _report(channels, known)
    if as_json:
        print(json.dumps(report, indent=2))
    else:
        _print(report)


def _report(channels: Channels, importance: Importance) -> dict[str, Any]:
    """The bottleneck: the `mode` of the plan, the `bytes` at the peak, the `segments` at the peak, and the `tensors`
    that are live in them, each with its `groups` of channels.

    A group has the indices of its `channels`, the `tied` channels that are removed with them in other tensors, its
    `importance`, and the `bytes` that its removal saves in all segments.
    """
    graph = channels.graph([])
    chosen = channels.plan(graph)
    ordered = graph.in_order(chosen.order)
    segments, worth = fullest_segments(chosen), importance.without([])
    kinds = {channels.alike(group): group for group in channels.at_peak(graph, chosen)}
    falls = {alike: channels.fall(chosen, [group]) / 8 for alike, group in kinds.items()}
    alive = {share.tensor: share for segment in segments for share in shares(ordered, segment)}
    members = {name: _members(groups) for name, groups in channels.groups.items()}
    tensors: list[dict[str, Any]] = []
    for name, share in alive.items():
        groups = [
            {
                "channels": own,
                "importance": worth.get(group, 0.0),
                "bytes": falls.get(channels.alike(group), 0.0),
                "tied": {tensor: members[tensor][group] for tensor in channels.counts[group] if tensor != name},
            }
            for group, own in members[name].items()
        ]
        entry = {"tensor": name, "part": share.part, "bytes": share.bits / 8, "channels": graph.tensors[name].channels}
        tensors.append(entry | {"groups": groups})
    ends = [
        {
            "first": graph.nodes[segment.first].result,
            "last": graph.nodes[segment.last].result,
            "schedule": segment.schedule,
        }
        for segment in segments
    ]
    return {"mode": channels.schedule.name, "bytes": chosen.bits / 8, "segments": ends, "tensors": tensors}


def _members(groups: Iterable[int]) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for channel, group in enumerate(groups):
        if group != FIXED_GROUP:
            members.setdefault(int(group), []).append(channel)
    return members


def _print(report: dict[str, Any]) -> None:
    for segment in report["segments"]:
        ends = " to ".join(dict.fromkeys((segment["first"], segment["last"])))
        print(f"{report['mode']}: {spell_bytes(report['bytes'])} bytes at the peak, in {ends}, {segment['schedule']}.")
    table = Table()
    table.add_column("alive", no_wrap=True)
    for heading in ("part", "bytes", "channels", "tied", "bytes less for each"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("worth least", no_wrap=True)
    for tensor in report["tensors"]:
        groups = sorted(tensor["groups"], key=lambda group: group["importance"])
        falls = sorted({group["bytes"] for group in groups})
        least = ", ".join(
            f"{_numbers(group['channels'])} ({group['importance']:.2g})" for group in groups[:SHOWN_CHANNELS]
        )
        table.add_row(
            tensor["tensor"],
            tensor["part"],
            spell_bytes(tensor["bytes"]),
            str(tensor["channels"]),
            str(len({name for group in groups for name in group["tied"]}) or ""),
            " to ".join(map(spell_bytes, dict.fromkeys((falls[0], falls[-1])))) if falls else "",
            f"{least}{', ...' if len(groups) > SHOWN_CHANNELS else ''}" if groups else "all stay",
        )
    print_table(table)


def _numbers(channels: Sequence[int]) -> str:
    return " and ".join(map(str, channels))
