"""The schedule `auto`, whose plans combine segments of all exact schedules.

In compiled programs, segments are compared by estimated time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tinyml.transforms.schedules.ordinary import BY_PLANES, channel_by_channel, each
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.protocol import Schedule
from tinyml.transforms.schedules.segments import Segment
from tinyml.transforms.schedules.table import schedules


class Auto(Schedule):
    """The schedule whose plans combine segments of all other exact schedules."""

    name = "auto"
    help = (
        "the least memory of all exact plans: segments of any mode except `partial-16` and `partial-8`, patches and "
        "strips with at most `--extra` more work, and depthwise convolutions and pools channel by channel"
    )
    sliced = False
    takes_ram = True

    def orders(self, graph: Graph) -> Iterator[Sequence[int]]:
        return iter(dict.fromkeys(tuple(order) for schedule in self._exact() for order in schedule.orders(graph)))

    def segments(self, graph: Graph) -> Iterator[Segment]:
        yield from dict.fromkeys(segment for schedule in self._exact() for segment in schedule.segments(graph))
        yield from each(graph, BY_PLANES, channel_by_channel)

    def _exact(self) -> list[Schedule]:
        return [schedule for schedule in schedules() if schedule is not self and not schedule.rounds]

    def program_segments(self, network: Network) -> Iterator[Segment]:
        known = [schedule for schedule in schedules() if schedule.in_auto]
        yield from dict.fromkeys(segment for schedule in known for segment in schedule.program_segments(network))


AUTO = Auto()
