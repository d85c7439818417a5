"""Loops over the tiles of a segment's result, in which some ops run channel by channel (PEX, appendix B).

The slice of a channel and the accumulated sums have the size of the part that a tile needs, instead of the whole image.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects import tensor
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.plans.channel_rules import Role
from tinyml.transforms.schedules.plans.graph import Graph, Order
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.rewriting.channel_ops import ChannelOp, channel_ops, unpadded
from tinyml.transforms.schedules.rewriting.channel_slices import ChannelRange
from tinyml.transforms.schedules.rewriting.channel_sums import ExactSums, exact_sums_of
from tinyml.transforms.schedules.rewriting.patch_loops import TileLoops
from tinyml.transforms.schedules.segments import NotTiled
from tinyml.transforms.schedules.slices.bodies import Windows, body_of, kind_of
from tinyml.transforms.schedules.slices.stages import Stage, elementwise_behind, segment_of
from tinyml.transforms.schedules.tiling.convolution_pixels import ConvolutionPixels, applied
from tinyml.transforms.schedules.tiling.stored_image import StoredImage, tensor_like


class ChannelPatches(TileLoops):
    """The nodes 0 to `last` of a network as count x count tiles of the last result. Raises `NotTiled` for segments
    that cannot run this way.

    loops: the first and the last node of each loop over channels inside the tiles, in the order of execution. All
        other nodes compute all channels of the part that the tile needs.
    bits: the width of accumulated sums.
    """

    def __init__(self, network: Network, last: int, count: int, loops: Sequence[tuple[int, int]], bits: int) -> None:
        whole, nodes = network.graph, network.graph.nodes[: last + 1]
        end = nodes[-1].result
        if whole.boundary(0, last).outputs != [end]:
            raise NotTiled(f"results other than {end} are used after the segment")
        for node, (op, *more) in zip(nodes, network.ops[: last + 1], strict=True):
            if any(read.sums for read in node.reads):
                raise NotTiled(f"{node.result} needs all of its operand")
            if node.result != end and elementwise_behind(op, more)[1]:
                raise NotTiled(f"{node.result} is not computed pixel by pixel")
        super().__init__(network, Graph(whole.tensors, whole.inputs, nodes, (end,)), count)
        self.members: list[Stage | ChannelTile] = []
        """The stages and the loops over channels, in order of execution."""
        at = 0
        for first, until in loops:
            self._add_stages(at, first)
            self.members.append(ChannelTile(network, first, until, bits))
            at = until + 1
        self._add_stages(at, last + 1)

    def _add_stages(self, first: int, end: int) -> None:
        if first < end:
            stages = segment_of(self.network, first, end - 1).stages
            for stage in stages:
                kind_of(stage)
            self.members += stages

    @property
    def ops(self) -> list[tdsl.TensorOp]:
        return [op for member in self.members for op in member.ops]

    def parts(self) -> list[Callable[[], None]]:
        return [self._part(member) for member in self.members]

    def _part(self, member: Stage | ChannelTile) -> Callable[[], None]:
        if isinstance(member, Stage):
            return partial(self.staged, member, body_of(member, self.emit))
        member.prepare(self)
        return member.compute


class ChannelTile:
    """The loop over the channels of nodes `first` to `last`, both inclusive, on the parts that a tile needs."""

    def __init__(self, network: Network, first: int, last: int, bits: int) -> None:
        self.network = network
        self.links = channel_ops(network, first, last)
        self.sums: dict[str, ExactSums] = {}
        for link in self.links:
            self._check(link)
            if link.role is Role.ACCUMULATE:
                sums = exact_sums_of(link, bits)
                if sums is None:
                    raise NotTiled(f"the sums of {link.name} need more than {bits} bits")
                self.sums[link.name] = sums
        self.channels = tdsl.shape_of(next(link.op.out for link in self.links if link.name not in self.sums))[3]

    def _check(self, link: ChannelOp) -> None:
        shape = tdsl.shape_of(link.op.out)
        if len(shape) != 4:
            raise NotTiled(f"{link.name} is no single image")
        names, graph = self.network.names, self.network.graph
        images = [names.get(unpadded(value)) for value in link.op.inputs]
        if any(graph.tensors[name].order is not Order.PIXELS for name in (link.name, *filter(None, images))):
            raise NotTiled(f"{link.name} reads or is in another order of axes")
        if link.role is Role.ACCUMULATE:
            constants = [value for step in link.chain for value in step.inputs if value not in names]
            if any(tdsl.shape_of(value) == shape for value in constants):
                raise NotTiled(f"{link.name} is joined with a constant image")
            if len(link.chain) < len(self.network.ops[graph.producer[link.name]]) - 1:
                raise NotTiled(f"{link.name} is followed by an op on the whole image")
        elif not isinstance(link.op, tdsl.Conv2dOp | tdsl.ElementwiseOp):
            kind_of(self._stage(link))

    @property
    def ops(self) -> list[tdsl.TensorOp]:
        return [op for link in self.links for op in (link.op, *link.chain)]

    def _stage(self, link: ChannelOp) -> Stage:
        graph = self.network.graph
        return Stage(link.op, (), graph.nodes[graph.producer[self.network.names[link.op.out]]], kept=False)

    def prepare(self, patches: ChannelPatches) -> None:
        """Emit the values that all tiles use, before the loops over tiles."""
        self.patches = patches
        emit = self.emit = patches.emit
        self.pixels = {
            link.op: ConvolutionPixels(link.op, (), emit, by_row=True)
            for link in self.links
            if isinstance(link.op, tdsl.Conv2dOp) and link.name not in self.sums
        }
        self.windows = {
            link.op: Windows(self._stage(link), emit)
            for link in self.links
            if not isinstance(link.op, tdsl.Conv2dOp | tdsl.ElementwiseOp)
        }
        for name, sums in self.sums.items():
            sums.extents = patches.sizes[name]
            sums.prepare(emit, self.channels, 1)

    def compute(self) -> None:
        """Emit the loop over channels, which computes the parts of all results that are used after the loop."""
        emit, patches = self.emit, self.patches
        kept = [link for link in self.links if link.kept]
        images = {link.name: self._started(link) for link in kept}
        bounds = emit.index(0), emit.index(self.channels)
        starts = [image.value for image in images.values()]

        def iteration(c: SSAValue, held: Sequence[SSAValue]) -> list[SSAValue]:
            now = {name: image.now(value) for (name, image), value in zip(images.items(), held, strict=True)}
            return self._iteration(c, now)

        for link, value in zip(kept, emit.loop(*bounds, starts, iteration), strict=True):
            image = images[link.name].now(value)
            patches.images[link.name] = self._finished(link, image) if link.name in self.sums else image

    def _started(self, link: ChannelOp) -> StoredImage:
        """Emit the initial value of a result, and return it: the sums before the first channel for an op that
        accumulates sums, and an uninitialised tensor for any other op.
        """
        if (sums := self.sums.get(link.name)) is None:
            return self.patches.empty(link.name, link.result)
        return StoredImage(sums.started(self.emit), tdsl.shape_of(link.op.out))

    def _finished(self, link: ChannelOp, sums: StoredImage) -> StoredImage:
        emit, patches, finish = self.emit, self.patches, self.sums[link.name].result

        def result(part: SSAValue) -> SSAValue:
            whole = finish(part, emit)
            whole.name_hint = link.op.out.name_hint
            return applied(link.chain, link.op.out, whole, lambda _: None, emit)

        if link.name != patches.end:
            return sums.now(result(sums.value))
        target = patches.whole

        def pixel(y: SSAValue, x: SSAValue, held: SSAValue) -> SSAValue:
            now, sum = target.now(held), sums.part(sums.place(y, x, emit), 1, 1, emit)
            return now.inserted(result(sum), now.place(y, x, emit), emit).value

        return target.now(patches.over(link.name, target.value, pixel))

    def _iteration(self, c: SSAValue, held: dict[str, StoredImage]) -> list[SSAValue]:
        """Emit the iteration for channel c, and return the values that it yields.

        held: the carried images before the iteration, by name.
        """
        emit, over = self.emit, self.patches.over
        self.c = c
        self.slices: dict[str, StoredImage] = {}
        """The current channel of each result that ops of the loop read."""
        for link in self.links:
            name = link.name
            if name in self.sums:
                held[name] = self._accumulated(link, held[name])
                continue
            target = held[name] if not link.read else self._slice(link)
            channel = c if not link.read else emit.index(0)
            self.operand = self._operand(link)

            def element(
                y: SSAValue,
                x: SSAValue,
                before: SSAValue,
                link: ChannelOp = link,
                target: StoredImage = target,
                channel: SSAValue = channel,
            ) -> SSAValue:
                now = target.now(before)
                *place, _ = now.place(y, x, emit)
                return now.inserted(self._element(link, y, x), [*place, channel], emit).value

            computed = target.now(over(name, target.value, element))
            if not link.read:
                held[name] = computed
                continue
            self.slices[name] = computed
            if link.kept:
                zero = emit.index(0)
                held[name] = held[name].inserted(computed.value, [zero, zero, zero, c], emit)
        return [image.value for image in held.values()]

    def _accumulated(self, link: ChannelOp, held: StoredImage) -> StoredImage:
        emit, sums, part = self.emit, self.sums[link.name], self._channel(link.operand)
        weights = sums.weights_of(self.c, emit)

        def pixel(y: SSAValue, x: SSAValue, before: SSAValue) -> SSAValue:
            return sums.added_to(y, x, weights, part, held.now(before), emit)

        return held.now(self.patches.over(link.name, held.value, pixel))

    def _slice(self, link: ChannelOp) -> StoredImage:
        _, height, width, _ = tdsl.shape_of(link.result)
        type = tensor_like(link.result, (1, *self.patches.sizes[link.name], 1))
        value = self.emit.insert(tensor.EmptyOp((), type))
        value.name_hint = link.result.name_hint
        return StoredImage(value, (1, height, width, 1))

    def _operand(self, link: ChannelOp) -> StoredImage | None:
        if isinstance(link.op, tdsl.ElementwiseOp):
            return None
        value = self.pixels[link.op].image if isinstance(link.op, tdsl.Conv2dOp) else unpadded(link.operand)
        return self.patches.stored(value) if link.role is Role.GENERATE else self._channel(value)

    def _channel(self, value: SSAValue) -> StoredImage:
        """Emit the current channel of an image, without padding, unless the loop has computed it, and return it."""
        inner = unpadded(value)
        if (slice := self.slices.get(self.network.names.get(inner, ""))) is not None:
            return slice
        image = self.patches.stored(inner)
        part = ChannelRange(self.c, 1).of(image.value, self.emit)
        return StoredImage(part, (*image.shape[:3], 1))

    def _element(self, link: ChannelOp, y: SSAValue, x: SSAValue) -> SSAValue:
        """Emit one element of an op's result, pixel (y, x) of the current channel, of shape 1x1x1x1. Return it."""
        emit, op = self.emit, link.op
        chain, first = link.chain, op.out
        if isinstance(op, tdsl.Conv2dOp):
            assert self.operand is not None
            pixels = self.pixels[op]
            part = pixels.element(self.c, pixels.windows(y, x, self.operand))
            part.name_hint = op.out.name_hint
        elif isinstance(op, tdsl.ElementwiseOp):
            part = self._at(link.operand, link, y, x)
            assert part is not None
            chain, first = [op, *link.chain], link.operand
        else:
            operand = self.operand
            assert operand is not None
            part = self.windows[op].pixel(y, x, lambda _: operand)
        return applied(chain, first, part, lambda value: self._at(value, link, y, x), emit)

    def _at(self, value: SSAValue, link: ChannelOp, y: SSAValue, x: SSAValue) -> SSAValue | None:
        emit, names, shape = self.emit, self.network.names, tdsl.shape_of(link.op.out)
        name = names.get(value, "")
        if (slice := self.slices.get(name)) is not None:
            return slice.part(slice.place(y, x, emit), 1, 1, emit)
        if name and tdsl.shape_of(value) == shape:
            image = self.patches.stored(value)
            *place, _ = image.place(y, x, emit)
            return emit.insert(tdsl.SliceOp(image.value, [*place, self.c], (1, 1, 1, 1)))
        return ChannelRange(self.c, 1).of_operand(value, shape, emit, (y, x))


def runs_in_tiles(network: Network, first: int, last: int, bits: int) -> bool:
    """Whether nodes `first` to `last`, both inclusive, can run as a loop over channels on parts of images.

    bits: the width of accumulated sums.
    """
    try:
        ChannelTile(network, first, last, bits)
    except NotTiled:
        return False
    return True
