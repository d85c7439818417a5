"""Groups of channels, programs after their removal, and their selection by the memory of a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from programs.network_writer import NetworkWriter
from programs.paths import ROOT
from programs.spread import examples
from programs.streamed_networks import networks
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.rewriter import Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import evaluate_reals, predict_function
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.formats.lift_to_reals import LiftToRealsPass
from tinyml.transforms.reals.channels.channel_groups import FIXED_GROUP, ChannelGroups
from tinyml.transforms.reals.channels.importance import importance
from tinyml.transforms.reals.channels.pruning import Channels, prune
from tinyml.transforms.reals.channels.removal import remove_channels
from tinyml.transforms.reals.prune_channels import PruneChannelsPass
from tinyml.transforms.schedules.plans.network import graph_of, network_of
from tinyml.transforms.schedules.table import schedule_named


def parse(text: str) -> ModuleOp:
    module = Parser(context(), text).parse_module()
    module.verify()
    return module


def window(name: str, filter: str, image: str, shapes: tuple[str, str, str], groups: int = 1) -> str:
    taps = f"strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = {groups} : i64"
    f, i, o = (f"tensor<{shape}xf32>" for shape in shapes)
    return f"%{name} = tdsl.conv2d %{filter}, %{image} {{{taps}}} : {f}, {i} -> {o}\n"


def weights(name: str, shape: str) -> str:
    return f"%{name} = tdsl.const dense<1.0> : tensor<{shape}xf32> -> tensor<{shape}xf32>\n"


BLOCK = (
    "func.func @block(%X: tensor<1x4x4x2xf32>) -> tensor<3x1xf32> {\n"
    + weights("A", "6x1x1x2")
    + weights("B", "5x1x1x6")
    + weights("C", "6x1x1x5")
    + weights("D", "12x3x3x1")
    + weights("E", "3x48")
    + weights("F", "1x1x1x5")
    + window("a", "A", "X", ("6x1x1x2", "1x4x4x2", "1x4x4x6"))
    + window("b", "B", "a", ("5x1x1x6", "1x4x4x6", "1x4x4x5"))
    + "%scaled = tdsl.mul %b, %F : tensor<1x4x4x5xf32>, tensor<1x1x1x5xf32> -> tensor<1x4x4x5xf32>\n"
    + window("c", "C", "scaled", ("6x1x1x5", "1x4x4x5", "1x4x4x6"))
    + "%sum = tdsl.add %a, %c : tensor<1x4x4x6xf32>, tensor<1x4x4x6xf32> -> tensor<1x4x4x6xf32>\n"
    + window("d", "D", "sum", ("12x3x3x1", "1x4x4x6", "1x2x2x12"), 6)
    + "%flat = tdsl.reshape %d : tensor<1x2x2x12xf32> -> tensor<48x1xf32>\n"
    + "%e = tdsl.matmul %E, %flat : tensor<3x48xf32>, tensor<48x1xf32> -> tensor<3x1xf32>\n"
    + "func.return %e : tensor<3x1xf32>\n}"
)
"""A residual block, a depthwise convolution with two filters a channel, and a dense layer behind a flattened image."""


def test_groups_of_a_residual_block():
    function = predict_function(parse(BLOCK))
    grouping = ChannelGroups(function)
    ops = [op for op in function.body.block.ops if isinstance(op, tdsl.TensorOp)]
    values = {op.out.name_hint: grouping.groups(op.out) for op in ops}
    assert len(set(values["a"])) == 6
    assert FIXED_GROUP not in values["a"]
    np.testing.assert_array_equal(values["a"], values["c"])
    np.testing.assert_array_equal(values["a"], values["sum"])
    np.testing.assert_array_equal(np.repeat(values["a"], 2), values["d"])
    np.testing.assert_array_equal(np.tile(values["d"], 4), values["flat"])
    np.testing.assert_array_equal(values["b"], values["scaled"])
    assert not set(values["b"]) & set(values["a"])
    assert set(values["e"]) == {FIXED_GROUP}


def test_what_belongs_together_goes_together():
    module = parse(BLOCK)
    function = predict_function(module)
    grouping = ChannelGroups(function)
    by_name = {op.out.name_hint: op.out for op in function.body.block.ops if isinstance(op, tdsl.TensorOp)}
    remove_channels(grouping, [int(grouping.groups(by_name["a"])[2]), *map(int, grouping.groups(by_name["b"])[:2])])
    module.verify()
    shapes = {value.name_hint: tdsl.shape_of(value) for op in function.body.block.ops for value in op.results}
    assert [shapes[name] for name in "ABCDEF"] == [
        (5, 1, 1, 2), (3, 1, 1, 5), (5, 1, 1, 3), (10, 3, 3, 1), (3, 40), (1, 1, 1, 3),
    ]  # fmt: skip
    assert [op.group_count for op in function.walk() if isinstance(op, tdsl.Conv2dOp)] == [1, 1, 1, 5]


def zeroed(module: ModuleOp, grouping: ChannelGroups, removed: list[int]) -> None:
    """Set the weights that compute removed channels to 0. In networks without biases these channels are then 0."""
    for op, index in grouping.filters.items():
        constant = cast(tdsl.ConstOp, op.operands[index].owner)
        raws = constant.raws.copy()
        raws[np.isin(grouping.groups(op.out), removed)] = 0
        Rewriter.replace_op(constant, constant.with_raws(raws, tdsl.format_of(constant.result)))


def test_what_loops_read_and_make_stays():
    function = predict_function(load_program(ROOT / "tests/models/pytorch/gru-script.onnx", context()))
    grouping = ChannelGroups(function)
    loops = [op for op in function.body.block.ops if isinstance(op, scf.ForOp)]
    kept = [value for op in loops for value in (*op.results, *op.iter_args) if value in grouping.values]
    assert kept
    assert all((grouping.groups(value) == FIXED_GROUP).all() for value in kept)


@pytest.mark.long
@settings(max_examples=examples(20), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(networks(), st.data())
def test_networks_without_channels_compute_as_if_these_were_zero(text: str, data: st.DataObject):
    module = parse(text)
    LiftToRealsPass().apply(Context(), module)
    function = predict_function(module)
    channels = Channels(network_of(function, 8), ChannelGroups(function), schedule_named("auto"))
    removed: list[int] = []
    for group, counts in channels.counts.items():
        tensors = channels.graph(removed).tensors
        if all(tensors[name].channels > count for name, count in counts.items()) and data.draw(st.booleans()):
            removed.append(group)
    masked = module.clone()
    zeroed(masked, ChannelGroups(predict_function(masked)), removed)
    expected = channels.graph(removed)
    remove_channels(channels.grouping, removed)
    module.verify()
    got = graph_of(function, 8)
    assert got.tensors == expected.tensors
    assert [(node.reads, node.macs) for node in got.nodes] == [(node.reads, node.macs) for node in expected.nodes]
    x = np.random.default_rng(3).normal(size=(2, expected.size(*expected.inputs) // 8))
    scores, reference = (evaluate_reals(each, x).scores for each in (module, masked))
    assert scores is not None
    assert reference is not None
    np.testing.assert_allclose(scores, reference, rtol=1e-9, atol=1e-9)


def pruned(ram: int, mode: str = "rows", importance: Path | None = None) -> ModuleOp:
    module = parse((ROOT / "docs/schedules/lenet.mlir").read_text())
    PruneChannelsPass(ram, None if importance is None else str(importance), mode, 8).apply(Context(), module)
    module.verify()
    return module


def filters(module: ModuleOp) -> list[int]:
    """The numbers of channels of LeNet's two convolutions."""
    return [tdsl.shape_of(op.out)[3] for op in module.walk() if isinstance(op, tdsl.Conv2dOp)]


@pytest.mark.parametrize(("mode", "ram"), [("rows", 1000), ("ordinary", 2000), ("pixels", 900), ("partial-32", 1500)])
def test_a_network_fits_after_the_last_channel_only(mode: str, ram: int):
    whole = parse((ROOT / "docs/schedules/lenet.mlir").read_text())
    function = predict_function(whole)
    grouping = ChannelGroups(function)
    channels = Channels(network_of(function, 8), grouping, schedule_named(mode))
    removed = prune(channels, importance(grouping), ram)
    peaks = [channels.plan(channels.graph(removed[:count])).bits / 8 for count in range(len(removed) + 1)]
    assert min(peaks[:-1]) > ram >= peaks[-1]
    graph = graph_of(predict_function(pruned(ram, mode)), 8)
    assert schedule_named(mode).plan(graph).bits == 8 * peaks[-1]


def test_channels_go_where_only_several_save_memory():
    """Channels are removed although the removal of the first one saves no memory: a loop over channels needs as much
    for four channels as for three. If few enough channels remain, ordinary execution fits the limit.
    """
    net = NetworkWriter((1, 4, 1, 1), 0)
    image = net.convolution(net.input, 4, (2, 1))
    image = net.convolution(image, None)
    image = net.convolution(image, 2, (2, 1), strides=(1, 2))
    module = parse(str(net.module(image)))
    LiftToRealsPass().apply(Context(), module)
    function = predict_function(module)
    grouping = ChannelGroups(function)
    channels = Channels(network_of(function, 8), grouping, schedule_named("partial-8"))
    removed = prune(channels, importance(grouping), 8)
    peaks = [channels.plan(channels.graph(removed[:count])).bits // 8 for count in range(len(removed) + 1)]
    assert peaks[0] == peaks[1]
    assert peaks[-1] <= 8 < peaks[-2]


def test_the_file_says_what_channels_are_worth(tmp_path: Path):
    """Channels are removed in the order of the importance in a file. To save 1,000 bytes of LeNet's plan by rows, two
    channels of the first convolution, where the peak is, must be removed.
    """
    order = np.array([3, 1, 6, 2, 5, 4])
    np.savez(tmp_path / "worth.npz", F1=order, F2=np.arange(12.0))
    module = parse((ROOT / "docs/schedules/lenet.mlir").read_text())
    numbered = next(op for op in module.walk() if isinstance(op, tdsl.ConstOp))
    raws = np.broadcast_to(np.arange(6, dtype=np.float32).reshape(6, 1, 1, 1), (6, 5, 5, 1))
    Rewriter.replace_op(numbered, numbered.with_raws(raws, tdsl.format_of(numbered.result)))
    PruneChannelsPass(1000, str(tmp_path / "worth.npz"), "rows", 8).apply(Context(), module)
    left = next(op for op in module.walk() if isinstance(op, tdsl.ConstOp)).raws[:, 0, 0, 0]
    np.testing.assert_array_equal(left, [0, 2, 4, 5])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"F1": np.ones(6)}, "has no array `F2`, the importance of 12 channels"),
        ({"F1": np.ones(5)}, "expected `F1` to contain 6 numbers, one for each channel, got shape (5,) of float64"),
        (
            {"F1": np.array(["a"] * 6)},
            "expected `F1` to contain 6 numbers, one for each channel, got shape (6,) of <U1",
        ),
        ({"F1": np.full(6, np.nan)}, "`F1` contains NaN or infinity"),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, arrays: dict[str, Any], message: str):
    np.savez(tmp_path / "worth.npz", **arrays)
    with pytest.raises(InputError) as raised:
        pruned(1000, importance=tmp_path / "worth.npz")
    assert message in str(raised.value)
    assert "worth.npz" in str(raised.value)


def test_limits_out_of_reach():
    with pytest.raises(InputError, match=r"cannot be pruned to 700 bytes: at \d+ bytes no channel of input, conv1.0"):
        pruned(700)
    with pytest.raises(InputError, match=r"unknown mode 'columns' \(one of ordinary"):
        pruned(1000, "columns")


def test_nothing_goes_from_a_network_that_fits():
    assert filters(pruned(1248)) == [6, 12]
    assert filters(pruned(1247)) == [5, 12]
