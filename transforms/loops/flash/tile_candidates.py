"""Kernels for tiles that are faster, and need more flash, than the kernels that `select-kernels` would choose: the time
that they save and the bytes that they add (L3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tinyml.dialects import num
from tinyml.dialects.functions import defined_functions
from tinyml.targets.board import Timing
from tinyml.targets.composer.instructions import cycles_of_runs
from tinyml.targets.registry import board
from tinyml.transforms.ir.indices import mean_iterations
from tinyml.transforms.loops.flash.candidates import Candidate, Group, RowsCandidate, Taken, TileCandidate, TimeSaving
from tinyml.transforms.loops.kernels.tiles import TileCall, call_of_tile, calls_of_tile


class Tiles:
    """The tiles of a module for which a board has kernels.

    usual: for each tile, the call of the kernel that `select-kernels` would choose.
    called: kernels that the module already calls.
    """

    def __init__(self, module: ModuleOp, target: str) -> None:
        self.timing = board(target).timing
        self.target = target
        walked = [op for function in defined_functions(module) for op in function.walk()]
        calls = [(op, call_of_tile(op, target)) for op in walked if isinstance(op, num.ContractOp)]
        self.usual = {op: call for op, call in calls if call is not None}
        self.called: set[num.KernelAttr] = {
            op.kernel for op in walked if isinstance(op, num.CallOp) and isinstance(op.kernel, num.TileKernelAttr)
        }

    def groups(self, room: float) -> Sequence[Group]:
        """The candidates for all tiles. The members of a group read the same weight stream or use the same kernel,
        which flash contains once.

        room: the bytes of stack that a kernel may use.
        """
        groups: dict[bytes | num.KernelAttr, dict[Operation, Candidate]] = {}
        for op, usual in self.usual.items():
            for call in calls_of_tile(op, self.target, large=True):
                if call.kernel.stack <= room:
                    candidate = TileCandidate(op, call, self._saving(op, usual, call))
                    groups.setdefault(call.content or call.kernel.attribute, {})[op] = candidate
        return list(groups.values())

    def _saving(self, op: num.ContractOp, usual: TileCall, call: TileCall) -> TimeSaving:
        units = usual.time - call.time
        cycles = _cycles(usual, self.timing) - _cycles(call, self.timing) if self.timing is not None else units
        times = _times(op)
        return TimeSaving(times * units, times * cycles)

    def added(self, taken: Taken) -> int:
        """The bytes of flash that candidates need in addition to the calls of the usual kernels. Tiles whose
        rows become code need no bytes.

        taken: the chosen candidates.
        """
        tiles = {op: call for op, call in self.usual.items() if not isinstance(taken.get(op), RowsCandidate)}
        chosen = {op: each.call for op, each in taken.items() if isinstance(each, TileCandidate)}
        return _bytes({**tiles, **chosen}.values(), self.called) - _bytes(tiles.values(), self.called)


def _bytes(calls: Iterable[TileCall], called: AbstractSet[num.KernelAttr]) -> int:
    """The bytes of flash that calls need for their kernels and for the weight streams that these read. Each kernel and
    each stream counts once.

    called: kernels that do not count, because the module already contains them.
    """
    content: dict[bytes | num.KernelAttr, int] = dict.fromkeys(called, 0)
    for call in calls:
        content[call.content] = len(call.content)
        content.setdefault(call.kernel.attribute, call.kernel.code)
    return sum(content.values())


_known: dict[tuple[str, str], float] = {}


def _cycles(call: TileCall, timing: Timing) -> float:
    """The cycles of all executions of a call. For the part of a kernel's time that its instructions do not
    determine, one unit of time counts as one cycle.
    """
    kernel, times = call.kernel, call.times
    key = kernel.symbol, timing.source
    if key not in _known:
        runs = () if kernel.composed is None else kernel.composed.runs
        executed = sum(run.time for run in runs)
        _known[key] = call.time / times - executed + cycles_of_runs(timing, runs)
    return times * _known[key]


def _times(op: num.ContractOp) -> float:
    loop, times = op.parent_op(), 1.0
    while loop is not None:
        if isinstance(loop, scf.ForOp):
            times *= mean_iterations(loop) or 0.0
        loop = loop.parent_op()
    return times
