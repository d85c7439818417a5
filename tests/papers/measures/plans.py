"""Peaks of plans, from the shapes of networks alone: seconds at most."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from programs.networks import ds_cnn, gural_murmann, mobilenet_v2, res_keywords, squeezenet

from papers.row import Values
from tinyml.transforms.schedules.patches import patches
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.table import schedule_named, schedule_names


def peaks(graph: Graph, **modes: str) -> dict[str, float]:
    """Bytes at the peak of plans by their modes, under names of one's own."""
    return {name: schedule_named(mode).plan(graph).bits / 8 for name, mode in modes.items()}


PARTIAL = {"ordinary": "ordinary", "partial_32": "partial-32", "partial_16": "partial-16", "partial_8": "partial-8"}


def mobilenet(resolution: int, classes: int = 1000) -> Callable[[Path | None], Values]:
    """Measures the peaks of MobileNet-v2 by ordinary and partial execution, with sums of 32, 16 and 8 bits."""
    return lambda _models: peaks(mobilenet_v2(resolution, classes), **PARTIAL)


def patched_mobilenet(resolution: int, most_extra: int) -> Callable[[Path | None], Values]:
    """Measures the peak of MobileNet-v2 in patches with some thousandths more work, and of 4 x 4 patches alone."""

    def measured(_models: Path | None) -> Values:
        graph = mobilenet_v2(resolution)
        chosen = schedule_named("patches").plan(graph, most_extra=graph.macs * most_extra // 1000)
        values = {"bytes": chosen.bits // 8, "percent": round(100 * chosen.extra / graph.macs, 1)}
        segment = patches(graph, chosen.segments[0].last, 4)
        if segment is not None:
            macs = sum(node.macs for node in graph.nodes[: segment.last + 1])
            values |= {"alone": segment.bits // 8, "loop_percent": round(100 * segment.extra / macs, 1)}
        return values | peaks(graph, ordinary="ordinary", partial_8="partial-8", pixels="pixels")

    return measured


def keywords(_models: Path | None) -> Values:
    """Peaks of networks for keywords."""
    networks = {
        "res8": res_keywords(3, pool=True),
        "res15": res_keywords(6, pool=False),
        "ds_cnn_l": ds_cnn(276, 5, (2, 1), 2),
        "ds_cnn_m": ds_cnn(172, 4, (2, 1), 2),
    }
    return {
        f"{name}_{mode}": value
        for name, graph in networks.items()
        for mode, value in peaks(graph, ordinary="ordinary", partial_8="partial-8").items()
    }


def resolutions(_models: Path | None) -> Values:
    """Peaks of MobileNet-v2 for two classes by ordinary execution and the least of all exact plans, by resolution."""
    return {
        f"r{resolution}_{mode}": value
        for resolution in (80, 96, 112, 128, 144, 160, 176)
        for mode, value in peaks(mobilenet_v2(resolution, 2), ordinary="ordinary", auto="auto").items()
    }


def squeezenets(_models: Path | None) -> Values:
    """Megabytes at the peaks of SqueezeNet 1.0 and 1.1 by ordinary execution in floats, and by every plan in 8 bits."""
    names = {mode.replace("-", "_"): mode for mode in schedule_names()}
    return {
        f"v{version.replace('.', '_')}": {name: round(value / 1e6, 3) for name, value in found.items()}
        for version in ("1.0", "1.1")
        for found in [
            {
                "floats": peaks(squeezenet(version, 32), ordinary="ordinary")["ordinary"],
                **peaks(squeezenet(version), **names),
            }
        ]
    }


def digits(_models: Path | None) -> Values:
    """Peaks of Gural and Murmann's network, 4 bits per activation, in bytes."""
    modes = {"replace": "replace", "single": "single-transpose", "herringbone": "herringbone"}
    streamed = {"ordinary": "ordinary", "rows": "rows", "pixels": "pixels"}
    return peaks(gural_murmann(14, 4), **modes, **streamed)
