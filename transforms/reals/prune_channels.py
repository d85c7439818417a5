"""`prune-channels`: removes the least important channels at the memory peak of a network's plan, until the plan fits
the limit (L0).

Only a few tensors are live at the peak. Their channels are removed one by one, in the order of the importance of the
channels' filters. A new plan is computed after each removal, because the peak may move to other tensors (PEX, Liberis
and Lane 2023, section 3.5). The result is a smaller network that must be trained further.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.functions import defined_functions
from tinyml.transforms.reals.channels.channel_groups import ChannelGroups
from tinyml.transforms.reals.channels.importance import importance
from tinyml.transforms.reals.channels.pruning import Channels, prune
from tinyml.transforms.reals.channels.removal import remove_channels
from tinyml.transforms.schedules.plans.network import network_of
from tinyml.transforms.schedules.table import schedule_named


@dataclass(frozen=True)
class PruneChannelsPass(ModulePass):
    """Remove channels at L0 from tensors, and from the weights of the ops that compute and read these tensors.

    Channels that are coupled, for instance by residual sums or depthwise convolutions, are removed together. If the
    plan already fits the limit, nothing is removed. The pass must run before `profile`.

    ram: the bytes that may be live at the peak of the plan.
    importance: an .npz file with a number for each channel of each filter, by the name of the filter's weights; without
        it, the importance of a channel is the L1 norm of its weights, divided by that of all remaining channels of the
        filter.
    mode: the schedule of the plan, as in `tinyml plan`.
    bits: the width of an element in memory; by default the width of the program's elements, 32.

    Raises `InputError` if the limit cannot be reached, for an importance file that does not match the program, for an
    unknown mode and for programs that have no plan.
    """

    name = "prune-channels"
    ram: int
    importance: str | None = None
    mode: str = "auto"
    bits: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            network, grouping = network_of(function, self.bits), ChannelGroups(function)
            removed = prune(
                Channels(network, grouping, schedule_named(self.mode)), importance(grouping, self.importance), self.ram
            )
            remove_channels(grouping, removed)
