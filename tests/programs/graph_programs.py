"""Programs with the shapes of graphs and random weights."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from programs.network_writer import NetworkWriter
from tinyml.transforms.schedules.plans.graph import Graph, Kind


def program_of(graph: Graph) -> ModuleOp:
    """A program with the shapes of a graph: windows, sums of two images, means of all pixels, and dense layers."""
    [name] = graph.inputs
    net = NetworkWriter((1, *graph.tensors[name][:3]))
    values = {name: net.input}
    for node in graph.nodes:
        result, operands = graph.tensors[node.result], [values[read.tensor] for read in node.reads]
        read, image = node.reads[0], graph.tensors[node.reads[0].tensor]
        contracts = node.kind is Kind.CONTRACTION
        if len(operands) == 2:
            value = net.add(*operands)
        elif image.pixels == result.pixels == 1 or (contracts and read.sums):
            value = net.dense(operands[0], result.channels)
        elif read.sums:
            value = net.mean(operands[0])
        else:
            after = [
                (count - 1) * step + size - extent - before
                for count, step, size, extent, before in zip(
                    result[:2], read.strides, read.kernel, image[:2], read.before, strict=True
                )
            ]
            margins = (read.before[0], max(after[0], 0), read.before[1], max(after[1], 0))
            channels = result.channels if contracts else None
            value = net.convolution(operands[0], channels, read.kernel, read.strides, margins)
        values[node.result] = value
    return net.module(values[graph.outputs[0]])
