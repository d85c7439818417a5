"""Runs of a streaming program on a whole recording, part by part, without a reset.

The length of a part is the distance between answers. The first answer is due after a whole window. The length of the
window need not be a multiple of the length of a part. The first part is therefore padded at its start with rows that
the harness skips.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.plugins import expected
from tinyml.runtime.devices.registry import RunResult, runner_for
from tinyml.runtime.evaluator.evaluator import Outputs
from tinyml.runtime.model.temporary_folder import temporary_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.runtime.model.interface import Interface


@dataclass(frozen=True, eq=False)
class AnswersOverTime:
    """The answers of a program to a recording.

    * outputs: one answer per row, as raws in the form that `evaluate` returns.
    * ends: for each answer, the number of samples of the recording before it.
    * longest: the maximum time from one part of the input to the next, in the board's unit; 0 if the board has no
      counter.
    """

    outputs: Outputs
    ends: NDArray[np.int64]
    longest: int


def answers_to(
    source_dir: Path, interface: Interface, raws: NDArray[np.generic], *, target: str, optimize: str
) -> AnswersOverTime:
    """The answers of a streaming program to a recording.

    The C code of the program is built for the board `target` and run.

    source_dir, interface, optimize: as for `Runner.build`.
    raws: the raws of the recording, of shape (samples,).

    Raises `InputError` for a recording that ends before the first answer.
    """
    pushes = interface.pushes
    assert pushes is not None
    window, part = pushes.length, pushes.stride * pushes.hop
    if len(raws) < window:
        raise InputError(f"the recording has {len(raws)} samples, but the first answer needs {window}")
    count = 1 + (len(raws) - window) // part
    used = window + (count - 1) * part
    front = -used % part
    row = gcd(pushes.frame, pushes.hop)
    parts = np.concatenate([np.zeros(front, raws.dtype), raws[:used]]).reshape(-1, part)
    continued = replace(interface, input_length=part, row_elements=row, skipped_rows=front // row)
    runner = runner_for(target)
    with temporary_folder() as workdir:
        build = runner.build(source_dir, continued, workdir, optimize)
        result = expected(runner.run(build, continued, parts), RunResult, type(runner))
    labels, scores, *more = (
        None if each is None else each[-count:] for each in (result.labels, result.scores, *result.more)
    )
    outputs = Outputs(labels, scores, tuple(each for each in more if each is not None))
    longest = 0 if result.longest is None else int(result.longest.max(initial=0))
    return AnswersOverTime(outputs, window + part * np.arange(count), longest)
