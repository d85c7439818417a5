"""Advice for smaller models: fewer parts, such as trees or hidden units, or shorter frames of a signal.

Training determines the number of parts. Each remedy reduces one memory. Parts occupy flash; they also occupy RAM if a
buffer has an element for each part. Frames occupy RAM.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, prod
from typing import TYPE_CHECKING

from tinyml.dialects import tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.targets.chip import PUSH
from tinyml.targets.registry import chip_of
from tinyml.tools.reports.memory_report import fullest
from tinyml.transforms.buffers.liveness.live_ranges import arena_views, memory_map

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.targets.board import Board
    from tinyml.tools.driver.limits import Needs
    from tinyml.tools.driver.request import Request

FILLED_SHARE = 0.9
"""The share of the memory that the advised number of parts or the advised frame length may fill."""


def smaller_models(program: ModuleOp, request: Request, board: Board, needs: Needs) -> Iterator[str]:
    """Yield phrases that describe smaller models: the current number of parts, the number that fits, and how to train
    with it. For a model with a front end that needs too much RAM, also yield advice on its frames.

    program: the program on reals.
    """
    flash, ram = request.flash or board.flash or inf, request.ram or board.ram or inf
    alive = [] if needs.buffers is None else _alive_at_peak(needs.buffers)
    stored = tdsl.read_interface(program).stored
    if stored is not None:
        shares: list[float] = []
        if needs.flash > flash:
            shares.append(_share(needs.flash, needs.constants or needs.flash, FILLED_SHARE * flash))
        if needs.ram > ram:
            part = needs.ram if needs.buffers is None or chip_of(board.name).constants_in_ram else 0
            part = part or sum(size for elements, size in alive if elements == stored.number)
            shares += [_share(needs.ram, part, FILLED_SHARE * ram)] if part else []
        if shares or (needs.flash <= flash and needs.ram <= ram):
            fitting = int(stored.number * min(shares, default=0))
            about = f", about {fitting:,} would fit" if fitting else ""
            yield f"the model has {stored.number:,} {stored.what}{about}: {stored.advice(fitting)}"
    if (frames := tdsl.read_input(program).frames) is not None and needs.ram > ram:
        yield from _shorter_frames(frames, alive, request, needs.ram, ram)


def _share(needed: float, part: float, limit: float) -> float:
    """The fraction of the parts that fits; 0 if no part fits.

    needed: the bytes that the program needs.
    part: the bytes of all parts, which `needed` includes.
    limit: the available bytes.
    """
    return max(limit - (needed - part), 0) / part


def _shorter_frames(
    frames: tdsl.SignalFrames, alive: list[tuple[int, int]], request: Request, needed: float, limit: float
) -> Iterator[str]:
    """Yield the frame length for which the buffers of a front end fit, with proportionally shorter hops if that helps.
    For an input that is not pushed, yield the advice to push the input instead. Yield nothing if no length fits.

    Shorter hops create more rows of features, all of which are stored.

    alive: as `_alive_at_peak` returns it.
    needed, limit: the required and the available bytes of RAM.
    """
    if request.input != PUSH:
        yield f"--input {PUSH} keeps a frame of {frames.frame:,} numbers of the signal in place of all"
        return
    # Spectra have half as many elements as a frame.
    of_frames = [each for each in alive if 2 * each[0] >= frames.frame and each[0] != frames.rows]
    part = sum(size for _, size in of_frames)
    if not part:
        return
    rows = sum(size for elements, size in alive if elements == frames.rows)
    element = max(size / elements for elements, size in of_frames)

    def fits(frame: int, hop: int) -> bool:
        # The caller stores the samples between frames.
        taken = part * frame / frames.frame + rows * frames.hop / hop + (element * hop if hop > frame else 0)
        return needed - part - rows + taken <= FILLED_SHARE * limit

    usual = [(frame, frames.hop_beside(frame)) for frame in frames.shorter()]
    apart = [(frame, hop) for frame, least in usual for hop in range(least, frames.hop + 1, frames.grain or 1)]
    found = next((each for each in (*usual, *apart) if fits(*each)), None)
    if found is None:
        return
    left_out = ", which leaves out numbers between frames" if found[1] > found[0] and frames.hop <= frames.frame else ""
    yield (
        f"buffers of a frame of {frames.frame:,} numbers take {part:,} bytes of RAM: a shorter one fits, such as "
        f"frame={found[0]}, hop={found[1]}{left_out}"
    )


def _alive_at_peak(buffers: ModuleOp) -> list[tuple[int, int]]:
    [function] = defined_functions(buffers)
    views, boxes = arena_views(function), memory_map(function)
    peak = fullest(boxes)
    return [
        (prod(tdsl.shape_of(view.result)), box.size)
        for view, box in zip(views, boxes, strict=True)
        if box.first <= peak <= box.last
    ]
