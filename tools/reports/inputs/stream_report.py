"""The part of a report on how a program that streams takes its input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tinyml.dialects import scratch
from tinyml.dialects.functions import defined_functions
from tinyml.transforms.buffers.liveness.live_ranges import arena_views

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.runtime.model.interface import Interface


def stream_report(buffers: ModuleOp, interface: Interface, longest: int | None) -> Mapping[str, Any] | None:
    """The elements of a frame and of a hop, the frames up to an answer, the samples per second if the front end says
    them, and the bytes that stay from hop to hop.

    `longest_hop` is the most time of a hop, the answer included, in the unit of the report. None for a program that
    does not stream. buffers: the packed program at L2. longest: None if nothing was measured.
    """
    if (pushes := interface.pushes) is None:
        return None
    [function] = defined_functions(buffers)
    kept = (view for view in arena_views(function) if view.state is not None)
    state = sum(scratch.bytes_of(view.result) for view in kept)
    return {**pushes._asdict(), "rate": interface.rate, "state_bytes": state, "longest_hop": longest}
