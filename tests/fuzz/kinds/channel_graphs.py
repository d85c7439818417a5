"""Random networks with branches and joins in loops over channels: checks of their bits and of their plans' memory."""

from __future__ import annotations

from pathlib import Path
from random import Random

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from programs.channel_graphs import MODES, channel_graphs, check_graph
from xdsl.dialects.builtin import ModuleOp

from fuzz.verdicts import ACCEPTED

EXAMPLES = 4
"""Networks for each case, of which hypothesis makes the first as small as possible."""

OPTIONS = settings(
    max_examples=EXAMPLES,
    phases=[Phase.generate],
    deadline=None,
    database=None,
    # Pretty-printing a failing network takes minutes.
    verbosity=Verbosity.quiet,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def in_loops(number: int, random: Random, folder: Path) -> str:
    """Check the bits of random graphs with accumulators of a random width, and the memory of their plans
    (`check_graph`). Returns `ACCEPTED`.
    """

    @seed(number)
    @OPTIONS
    @given(channel_graphs(), st.sampled_from(MODES), st.integers(0, 1000))
    def check(module: ModuleOp, mode: str, more: int) -> None:
        check_graph(module, mode, more)

    check()
    return ACCEPTED
