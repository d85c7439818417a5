"""The peaks of plans for the shapes of published networks, and the accuracy of Gural and Murmann's trained network on
MNIST's test images.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import time
from collections.abc import Callable
from math import prod
from pathlib import Path

import numpy as np
from programs import gural_murmann as trained
from programs.graph_programs import program_of
from programs.graphs import (
    DS_CNN_L,
    DS_CNN_M,
    GraphBuilder,
    ds_cnn,
    efficientnet_b0,
    etinynet,
    gural_murmann,
    inverted_residual,
    mobilenet_v2,
    mobilenet_v3_small,
    res_keywords,
    squeezenet,
)
from programs.searched_graphs import MCUNETS, MICRONETS, micronet_vww_2

from measured.commands import model_path
from measured.store import Values
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.tools.main import main
from tinyml.transforms.schedules.channels import ByChannel
from tinyml.transforms.schedules.channels_in_patches import CHANNELS_IN_PATCHES, ByChannelInPatches
from tinyml.transforms.schedules.patches import PATCHES, InPatches, patches
from tinyml.transforms.schedules.plans.channel_rules import Role, consecutive
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.segmentation import cheapest
from tinyml.transforms.schedules.table import schedule_named, schedule_names


def peaks(graph: Graph, **modes: str) -> dict[str, float]:
    """For each key of `modes`, the bytes at the peak of the graph's plan with the schedule that is the value of this
    key.
    """
    return {name: schedule_named(mode).plan(graph).bits / 8 for name, mode in modes.items()}


PARTIAL = {"ordinary": "ordinary", "partial_32": "partial-32", "partial_16": "partial-16", "partial_8": "partial-8"}


def partial(graph: Graph) -> Callable[[Path | None], Values]:
    """A function that measures the peaks of ordinary and partial execution, with sums of 32, 16 and 8 bits.

    `layers_32`, `layers_16`, `layers_8`: the number of layers that the plan accumulates channel by channel.
    """

    def measured(_models: Path | None) -> Values:
        found = peaks(graph, **PARTIAL)
        for bits in (32, 16, 8):
            plan = schedule_named(f"partial-{bits}").plan(graph)
            ordered = graph.in_order(plan.order)
            loops = [segment for segment in plan.segments if isinstance(segment.tiling, ByChannel)]
            roles = [role for loop in loops for role in consecutive(ordered, loop.first, loop.last).roles.values()]
            found[f"layers_{bits}"] = roles.count(Role.ACCUMULATE)
        return found

    return measured


def block(_models: Path | None) -> Values:
    """The peaks of the block of PEX's figure 1: 13 x 13 pixels of 24 channels, expanded to the 144 channels of the
    text.
    """
    return peaks(inverted_residual(13, 24, 144), ordinary="ordinary", partial_8="partial-8")


def named(**networks: Graph) -> Callable[[Path | None], Values]:
    """A function that measures the peaks of ordinary execution, `{name}_ordinary`, and of execution by channels,
    `{name}_partial_8`.
    """
    return lambda _models: {
        f"{name}_{mode}": value
        for name, graph in networks.items()
        for mode, value in peaks(graph, ordinary="ordinary", partial_8="partial-8").items()
    }


THOUSAND_CLASSES = named(
    efficientnet=efficientnet_b0(160), mobilenet=mobilenet_v2(90, half=True), mcunet_s=MCUNETS["S"].graph(),
    mcunet_m=MCUNETS["M"].graph(), mcunet_l=MCUNETS["L"].graph(), etinynet=etinynet(4), narrow_etinynet=etinynet(3),
)  # fmt: skip
"""Networks for ImageNet: EfficientNet-B0 at 160 pixels, MobileNet-v2 of half the width at 90, MCUNet's and ETinyNet."""

SMALL_IMAGES = named(mcunet_10=MCUNETS["10FPS"].graph(), mcunet_r144=MCUNETS["r144"].graph(), micronet=micronet_vww_2())
"""Networks for visual wake words whose files are not needed."""

KEYWORDS = named(
    res8=res_keywords(3, pool=True), res15=res_keywords(6, pool=False),
    ds_cnn_l=DS_CNN_L, ds_cnn_m=DS_CNN_M, ds_cnn_s=ds_cnn(),
    micronet_l=MICRONETS["L"], micronet_m=MICRONETS["M"], micronet_s=MICRONETS["S"], micronet_base=MICRONETS["L-Base"],
)  # fmt: skip


def visual_wake_words(models: Path | None) -> Values:
    """The peaks of MCUNet's 5 FPS network for visual wake words, loaded from its file."""
    from tinyml.dialects.context import context
    from tinyml.runtime.evaluator.evaluator import predict_function
    from tinyml.tools.driver.stages import load_program
    from tinyml.transforms.schedules.plans.network import graph_of

    graph = graph_of(predict_function(load_program(model_path("mcunet_vww", models), context())))
    return peaks(graph, ordinary="ordinary", partial_8="partial-8", pixels="pixels")


def co_designed(models: Path | None) -> Values:
    """The bytes and multiply-accumulates of MobileNet-v2, loaded from its file and pruned at the bottleneck to the
    paper's 276 kB.
    """
    (ordinary,) = peaks(mobilenet_v2(224), ordinary="ordinary").values()
    return {"ordinary": ordinary, **_pruned(model_path("mobilenet_v2_224", models), 276_000)}


def pruned(graph: Graph, limit: int) -> Callable[[Path | None], Values]:
    """A function that measures the size of a network after pruning to a limit in bytes.

    Only the shapes of the network are known. Its weights are random, so that other channels are removed than from a
    trained network.
    """

    def measured(_models: Path | None) -> Values:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "network.mlir")
            file.write_text(str(program_of(graph)), encoding="utf-8")
            return {**peaks(graph, ordinary="ordinary"), **_pruned(file, limit)}

    return measured


def _pruned(program: Path, limit: int) -> Values:
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as out, contextlib.redirect_stdout(printed):
        options = ["--mode", "partial-8", "--ram", str(limit), "--json", "-o", f"{out}/pruned.mlir"]
        assert main(["prune", str(program), *options]) == 0
    report = json.loads(printed.getvalue())
    return {
        "partial_8": report["peak_bytes"][0], "pruned": report["peak_bytes"][1], "macs": report["macs"][1],
        "filters": sum(len(one["kept"]) < one["channels"] for one in report["filters"]),
    }  # fmt: skip


def planning_time(_models: Path | None) -> Values:
    """The time that this computer needs to plan the slowest of the networks of appendix D by `partial-8`.

    `slowest`: the name of this network. `ops`: the number of its ops. `seconds`: the time. `networks`: the number of
    networks.
    """
    networks = {
        "MobileNet-v2": mobilenet_v2(160, 2), "EfficientNet-B0": efficientnet_b0(160), "ETinyNet": etinynet(4),
        **{f"MCUNet-v1-{name}": network.graph() for name, network in MCUNETS.items()},
        **{f"MicroNets-KWS-{name}": graph for name, graph in MICRONETS.items()},
        "DS-CNN-L": DS_CNN_L, "RES-15": res_keywords(6, pool=False),
    }  # fmt: skip
    seconds: dict[str, float] = {}
    for name, graph in networks.items():
        begun = time.process_time()
        schedule_named("partial-8").plan(graph)
        seconds[name] = time.process_time() - begun
    slowest = max(seconds, key=lambda name: seconds[name])
    ops = len(networks[slowest].nodes)
    return {"slowest": slowest, "ops": ops, "seconds": round(seconds[slowest], 2), "networks": len(networks)}


def patched(graph: Graph, most_extra: int) -> Callable[[Path | None], Values]:
    """A function that measures the peak of a network in patches of any number (`bytes`, with `percent` more work), and
    that of 4 x 4 patches in their loop (`alone`, with `loop_percent` more of the loop's work). `macs`: the network's
    multiply-accumulates.

    most_extra: the limit on additional work in thousandths.
    """

    def measured(_models: Path | None) -> Values:
        chosen = schedule_named("patches").plan(graph, most_extra=graph.macs * most_extra // 1000)
        values = {
            "macs": graph.macs, "bytes": chosen.bits // 8, "percent": round(100 * chosen.extra / graph.macs, 1),
        }  # fmt: skip
        segment = patches(graph, chosen.segments[0].last, 4)
        if segment is not None:
            macs = sum(node.macs for node in graph.nodes[: segment.last + 1])
            values |= {"alone": segment.bits // 8, "loop_percent": round(100 * segment.extra / macs, 1)}
        return values | peaks(graph, ordinary="ordinary", partial_8="partial-8", pixels="pixels")

    return measured


def squeezed(_models: Path | None) -> Values:
    """The bytes at the peaks of MobileNet-v3-small with squeeze and excitation (`se_`) and without (`plain_`), by
    ordinary execution, by channels, and in patches with at most 30 % more work.

    Keys with the suffix `_ops` are the numbers of ops in the first segment of each plan.
    """
    values: dict[str, float] = {}
    for name, graph in {"se": mobilenet_v3_small(224), "plain": mobilenet_v3_small(224, excited=False)}.items():
        for mode in ("ordinary", "partial-8", "patches"):
            chosen = schedule_named(mode).plan(graph, graph.macs * 30 // 100)
            key = f"{name}_{mode.replace('-', '_')}"
            values |= {key: chosen.bits / 8, f"{key}_ops": chosen.segments[0].last + 1}
    return values


def channels_in_patches(_models: Path | None) -> Values:
    """The peaks of MobileNet-v2 with at most 30 % more work: by channels, in patches, and by channels in patches.

    `same_percent`: the least additional work with which channels in patches stay within the peak of patches.
    `same_tiles`: the number of tiles along an axis in that plan.
    """
    graph = mobilenet_v2(224)
    values = peaks(graph, channels="partial-32", pixels="pixels")
    most = graph.macs * 30 // 100
    plans = {"patches": PATCHES.plan(graph, most), "within": CHANNELS_IN_PATCHES.plan(graph, most)}
    same = cheapest(len(graph.nodes), CHANNELS_IN_PATCHES.segments(graph), plans["patches"].bits)
    assert same is not None
    for name, plan in {**plans, "same": same}.items():
        values |= {f"{name}_percent": round(100 * plan.extra / graph.macs, 1), name: plan.bits // 8}
        tiling = plan.segments[0].tiling
        assert isinstance(tiling, InPatches | ByChannelInPatches)
        values[f"{name}_tiles"] = tiling.count
    return values


def resolutions(_models: Path | None) -> Values:
    """For each resolution, the peak of MobileNet-v2 for two classes by ordinary execution, and the least peak of all
    plans with exact sums.
    """
    return {
        f"r{resolution}_{mode}": value
        for resolution in (80, 96, 112, 128, 144, 160, 176)
        for mode, value in peaks(mobilenet_v2(resolution, 2), ordinary="ordinary", auto="auto").items()
    }


def squeezenets(_models: Path | None) -> Values:
    """The peaks of SqueezeNet 1.0 and 1.1 in megabytes, by ordinary execution in floats and by every plan in 8 bits."""
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
    """The peaks of Gural and Murmann's network with activations of 4 bits, in bytes."""
    modes = {"replace": "replace", "single": "single-transpose", "herringbone": "herringbone"}
    streamed = {"ordinary": "ordinary", "rows": "rows", "pixels": "pixels"}
    return peaks(gural_murmann(14, 4), **modes, **streamed)


def small_cifars(_models: Path | None) -> Values:
    """The bytes of Gural and Murmann's two networks for CIFAR-10 at 4 bits, from the shapes in table 2.

    `weights`, `weights_bytes`: the number and the bytes of the weights of the network whose weights and activations
        together must fit 2 KB.

    The other keys are the peaks of the network whose activations alone are limited. Its residual unit is interpreted as
    two convolutions in parallel with the image, and its last convolution as depthwise and pointwise.
    """
    whole = GraphBuilder(32, 32, 3, 4)
    whole.pool((2, 2))
    for channels in (7, 12):
        whole.window((3, 3), channels=channels, same=False)
    whole.pool((2, 2))
    weights = 9 * 3 * 7 + 9 * 7 * 12 + prod(whole.tensors[whole.last][:3]) * 10
    activations = GraphBuilder(32, 32, 3, 4)
    image = activations.window((2, 2), (2, 2), 12, same=False)
    activations.window((3, 3), channels=12)
    activations.sum(image, activations.window((3, 3), channels=12))
    activations.pool((2, 2))
    activations.window((3, 3))
    activations.window((1, 1), channels=80)
    activations.dense(10)
    modes = {name: name for name in ("ordinary", "rows", "pixels")}
    return {"weights": weights, "weights_bytes": weights / 2, **peaks(activations.graph(), **modes)}


def small_keywords(_models: Path | None) -> Values:
    """The bytes of Gural and Murmann's network for Google-12 at 4 bits, from the shapes in table 2.

    A residual unit is interpreted as two convolutions in parallel with the image, or with a projection of the image if
    the number of channels increases.
    """
    net = GraphBuilder(24, 96, 1, 4)
    net.window((1, 4), (1, 4), 6, same=False)
    net.window((3, 3), (2, 2), 24, same=False)
    net.window((3, 3), channels=28, same=False)
    for channels in (28, 40):
        image = net.last
        net.window((3, 3), channels=channels)
        last = net.window((3, 3), channels=channels)
        grown = net.tensors[image].channels < channels
        net.sum(net.window((1, 1), channels=channels, operand=image) if grown else image, last)
    net.dense(12)
    return peaks(net.graph(), **{name: name for name in ("ordinary", "rows", "pixels")})


BATCH = 500


def accuracy(models: Path | None) -> Values:
    """The percentage of right labels on the 10,000 images of `cnn-gural-mnist10-4bit/test.npz`."""
    data = np.load(model_path("cnn-gural-mnist10-4bit", models) / "test.npz")
    raws, labels = trained.images(data["x"]), data["y"]
    program, right = trained.program(), 0
    for first in range(0, len(raws), BATCH):
        scores = evaluate(program, raws[first : first + BATCH]).scores
        assert scores is not None
        right += int((np.asarray(scores).reshape(-1, 10).argmax(1) == labels[first : first + BATCH]).sum())
    return {"accuracy": round(100 * right / len(raws), 4), "images": len(raws)}
