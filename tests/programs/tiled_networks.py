"""The networks of dense layers, and of a convolution before a depthwise one, in the tests of moiopt, the tool of fused
depthwise tiling (Stahl, Mueller-Gritschneder and Schlichtmann 2023). Activations are omitted.
"""

from __future__ import annotations

from programs.graphs import GraphBuilder
from tinyml.transforms.schedules.plans.graph import Graph


def _dense(*widths: int) -> Graph:
    """The graph of dense layers.

    widths: the number of inputs, followed by the number of results of each layer.
    """
    net = GraphBuilder(1, 1, widths[0])
    for width in widths[1:]:
        net.dense(width)
    return net.graph()


def _depthwise(same: bool) -> Graph:
    """The graph of a convolution of 32x32x3 to 32 channels and a depthwise one with strides of 2.

    same: True if the depthwise convolution is padded.
    """
    net = GraphBuilder(32, 32, 3)
    net.window((3, 3), channels=32)
    net.window((3, 3), (2, 2), same=same)
    return net.graph()


NETWORKS = {
    "dense 100-200-100": _dense(100, 200, 100),
    "dense 4-19391-1": _dense(4, 19391, 1),
    "dense 4-20-1": _dense(4, 20, 1),
    "dense 3-5-20-1": _dense(3, 5, 20, 1),
    "dense 3-10-1-1": _dense(3, 10, 1, 1),
    "dense 3-5-20-5-1": _dense(3, 5, 20, 5, 1),
    "dense 10-40-20-1": _dense(10, 40, 20, 1),
    "convolutions": _depthwise(same=False),
    "convolutions, padded": _depthwise(same=True),
}
"""The networks by the widths of their dense layers, or by the padding of the depthwise convolution."""
