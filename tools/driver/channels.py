"""The import of a model's network with its channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xdsl.context import Context

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.tools.driver.channels_request import ChannelRequest
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.formats.lift_to_reals import LiftToRealsPass
from tinyml.transforms.reals.channels.channel_groups import ChannelGroups
from tinyml.transforms.reals.channels.importance import Importance, importance
from tinyml.transforms.reals.channels.pruning import Channels
from tinyml.transforms.schedules.plans.network import network_of
from tinyml.transforms.schedules.table import schedule_named

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


class LoadedNetwork(NamedTuple):
    """A program on reals with its channels and their importance."""

    module: ModuleOp
    channels: Channels
    importance: Importance


def load_network(request: ChannelRequest) -> LoadedNetwork:
    """Import the network of a request. A quantised network is converted to reals. Unless the request specifies a width,
    all elements of such a network have the width of a raw of its input.

    Raises `InputError` for a program that has no plan or computes nothing, and for an importance that does not apply.
    """
    module = load_program(request.model, context())
    bits = request.bits
    if tdsl.has_formats(module):
        argument = predict_function(module).body.block.args[0]
        bits = bits or 8 * tdsl.format_of(argument).dtype.itemsize
        LiftToRealsPass().apply(Context(), module)
    channels = channels_of(module, request.mode, bits)
    if not channels.network.graph.nodes:
        raise InputError("the program has no operations")
    file = None if request.importance is None else str(request.importance)
    return LoadedNetwork(module, channels, importance(channels.grouping, file))


def channels_of(module: ModuleOp, mode: str, bits: int | None) -> Channels:
    """The channels of a program at L0.

    bits: the width of an element, by default the width of its format.
    mode: the name of the schedule that plans the program.
    """
    function = predict_function(module)
    return Channels(network_of(function, bits), ChannelGroups(function), schedule_named(mode))
