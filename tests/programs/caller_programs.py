"""Programs of one op, one for each format of an input, and a C program that calls their functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from programs.lowered import lowered
from programs.number_formats import extremes, raws_of
from programs.printed import parse, write_module
from programs.runtime_functions import run_figure
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.runtime.devices.registry import Runner

ELEMENTS = 4
"""Elements of each input and of each output."""

SAMPLED = 600
"""Neighbours tried of a format with many numbers."""

Bits = NDArray[np.int32]


@dataclass(frozen=True)
class Caller:
    """A program with an input of four numbers in a format.

    name: the name of the program.
    format: the format of the input.
    interface: fields of the input's interface attribute, as text.
    result: the format of the scores; None for that of the input.
    """

    name: str
    format: NumberFormat
    interface: str = ""
    result: NumberFormat | None = None

    @property
    def text(self) -> str:
        x, y = (f"tensor<{ELEMENTS}x1x{format.type}>" for format in (self.format, self.scored))
        op = "tanh" if self.result is None else "cast"
        given = f"input = <{self.interface}>, " if self.interface else ""
        interface = f" attributes {{tdsl.interface = #tdsl.interface<{given}threshold = 0.0>}}"
        body = f"%y = tdsl.{op} %X : {x} -> {y}\n  func.return %y : {y}"
        return f"func.func @{self.name}(%X: {x}) -> {y}{interface} {{\n  {body}\n}}\n"

    @property
    def scored(self) -> NumberFormat:
        """The format of the scores."""
        return self.result or self.format

    @property
    def module(self) -> ModuleOp:
        """The program at L1."""
        return parse(self.text)[1]

    def write(self, target: str, folder: Path) -> None:
        """Print the C of the program to a folder."""
        ctx, module = parse(self.text)
        lowered(module, ctx, end="loops-to-bits", target=target, packed="never")
        write_module(module, ctx, target, folder)


def reals_near(format: NumberFormat) -> NDArray[np.float32]:
    """Finite reals that are difficult to round to a format: midpoints of adjacent numbers and the floats next to them,
    distant numbers, and random bit patterns.
    """
    random = np.random.default_rng(format.bits)
    reals = np.unique(format.decode(raws_of(format)))
    at = np.arange(len(reals) - 1)
    if len(at) > SAMPLED:
        around_zero = int(np.searchsorted(reals, 0)) + np.arange(-50, 50)
        ends = [0, 1, len(at) - 2, len(at) - 1]
        at = np.unique(np.concatenate([random.choice(at, SAMPLED), around_zero.clip(0, len(at) - 1), ends]))
    with np.errstate(over="ignore"):
        middles = ((reals[at] + reals[at + 1]) / 2).astype(np.float32)
        far = np.outer(extremes(format), [0.999, 1, 1.001, 2, 1e6]).astype(np.float32).ravel()
    far = np.concatenate([far, np.array([3.4e38, -3.4e38, 1e-45, -1e-45, 0.0, -0.0], np.float32)])
    around = [np.nextafter(middles, np.float32(end)) for end in (-np.inf, np.inf)]
    any_bits = random.integers(0, 1 << 32, SAMPLED, np.uint64).astype(np.uint32).view(np.float32)
    found = np.concatenate([middles, *around, reals[at].astype(np.float32), far, any_bits])
    return found[np.isfinite(found)]


_AROUND = """\
#include "figure.h"
{includes}
static int32_t out[{length}];

const int32_t *figure_scores(void)
{{
    return out;
}}

typedef union {{
    int32_t bits;
    float real;
}} either;

static float real_of(int32_t bits)
{{
    either x;
    x.bits = bits;
    return x.real;
}}

static int32_t bits_of(float real)
{{
    either x;
    x.real = real;
    return x.bits;
}}

void figure_predict(const int32_t *X)
{{
    for (int16_t i = 0; i < {length}; i++) {{
        const int16_t at = i % {elements};
        const int32_t x = X[i + 1];
        switch (X[0]) {{
{cases}        }}
    }}
}}
"""
_CASES = """\
        case {set}:
            {name}_set(at, real_of(x));
            out[i] = {read};
            break;
        case {score}:
            (({type} *){name}_scores())[at] = {raw};
            out[i] = bits_of({name}_score(at));
            break;
        case {run}:
            {name}_set(at, real_of(x));
            {name}_run();
            out[i] = bits_of({name}_score(at));
            break;
        case {anomaly}:
            (({type} *){name}_scores())[0] = {raw};
            out[i] = {name}_is_anomaly(real_of(X[i + 2 - 2 * (i % 2)]));
            break;
"""

KINDS = ("set", "score", "run", "anomaly")
"""The cases of a program."""


@dataclass(frozen=True)
class Called:
    """The results of calls, one array for each program.

    elements: the elements of the input that NAME_set stores.
    scores: the reals that NAME_score returns for raws.
    after_run: the reals that NAME_score returns after an inference.
    anomalies: the results of NAME_is_anomaly for scores and thresholds.
    """

    elements: Sequence[NDArray[Any]]
    scores: Sequence[NDArray[np.float32]]
    after_run: Sequence[NDArray[np.float32]]
    anomalies: Sequence[NDArray[np.int32]]


@dataclass(frozen=True)
class CalledPrograms:
    """Programs in one translation unit that run on one device.

    callers: the programs.
    device: the name of the device, or its runner.
    folder: the folder for the build.
    length: the number of values that one call of the calling program converts.
    """

    callers: Sequence[Caller]
    device: Runner | str
    folder: Path
    length: int = 256

    def _run(self, tasks: Sequence[tuple[int, Bits]]) -> list[Bits]:
        """The results of tasks. A task consists of the number of a case in the calling program and of its input
        words.
        """
        rows: list[Bits] = []
        for case, words in tasks:
            padded = np.resize(words, (-(-len(words) // self.length), self.length))
            rows.append(np.insert(padded, 0, case, axis=1))
        inputs = np.concatenate(rows)
        results = run_figure(self._source, inputs, self.length, self.device, self.folder, output="int32_t")
        parts = np.split(results, np.cumsum([len(row) for row in rows])[:-1])
        return [part.ravel()[: len(words)] for part, (_, words) in zip(parts, tasks, strict=True)]

    @cached_property
    def _source(self) -> str:
        """The C of the program that calls the printed programs in the same folder."""
        models = self.folder / "models"
        target = self.device if isinstance(self.device, str) else self.device.name
        cases = ""
        for number, caller in enumerate(self.callers):
            caller.write(target, models)
            name, is_float = caller.name, caller.scored.dtype.kind == "f"
            type = "float" if is_float else f"{caller.scored.dtype}_t"
            element = f"{name}_input()[at]"
            cases += _CASES.format(
                **{kind: len(KINDS) * number + case for case, kind in enumerate(KINDS)},
                name=name,
                read=f"bits_of({element})" if caller.format.dtype.kind == "f" else element,
                type=type,
                raw="real_of(x)" if is_float else f"({type})x",
            )
        includes = "\n".join(f'#include "{models / caller.name}.c"' for caller in self.callers)
        return _AROUND.format(includes=includes, length=self.length, elements=ELEMENTS, cases=cases)

    def call(
        self,
        reals: Sequence[NDArray[np.float32]],
        raws: Sequence[NDArray[Any]],
        run: NDArray[np.float32],
        thresholds: Sequence[NDArray[np.float32]],
    ) -> Called:
        """Call the functions of all programs and return the results. For inputs of several elements, consecutive
        numbers are stored in consecutive elements.

        reals: for each program, the reals for NAME_set.
        raws: for each program, the raws for NAME_score.
        run: reals for inferences, the same for all programs.
        thresholds: for each program, the thresholds for its raws.
        """
        scored = [raw.view(np.int32) if raw.dtype.kind == "f" else raw.astype(np.int32) for raw in raws]
        compared = [np.stack([x, t.view(np.int32)], 1).ravel() for x, t in zip(scored, thresholds, strict=True)]
        words = [x.view(np.int32) for x in reals], scored, [run.view(np.int32)] * len(reals), compared
        tasks: list[tuple[int, Bits]] = []
        for case, of_programs in enumerate(words):
            tasks += [(len(KINDS) * number + case, each) for number, each in enumerate(of_programs)]
        words = self._run(tasks)
        after_set, scores, after_run, anomalies = (
            words[at : at + len(self.callers)] for at in range(0, len(tasks), len(self.callers))
        )
        are_floats = [caller.format.dtype.kind == "f" for caller in self.callers]
        return Called(
            [one.view(np.float32) if is_float else one for one, is_float in zip(after_set, are_floats, strict=True)],
            [one.view(np.float32) for one in scores],
            [one.view(np.float32) for one in after_run],
            [one[::2] for one in anomalies],
        )
