"""A fixed selection of the cases of `make fuzz`: a few seeded cases of each kind, none of which may do harm."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import pytest

from fuzz.kinds import KINDS
from fuzz.verdicts import HARMLESS, Command, Harm, call
from fuzz.watched import Kind, results, run_case

CASES = {
    "passes": 15,
    "changed IR": 6,
    "attributes": 12,
    "options": 10,
    "models": 10,
    "tflite": 15,
    "onnx": 15,
    "boosted": 20,
    "catboost": 3,
    "keras": 6,
    "stateful": 6,
    "foreign MLIR": 10,
    "quantised": 6,
    "networks": 1,
    "arrays": 15,
    "tables": 15,
    "journals": 5,
    "recordings": 6,
    "folders": 4,
    "outputs": 4,
    "kills": 1,
    "overwriting": 4,
    "plug-ins": 1,
    "arrivals": 2,
    "blobs": 2,
    "devices": 2,
    "raws": 2,
    "names": 3,
    "thresholds": 6,
    "API": 10,
    "programs": 1,
    "channel graphs": 1,
}


def test_every_kind_has_cases():
    assert CASES.keys() == KINDS.keys()


@pytest.mark.long(seconds=10)
@pytest.mark.parametrize("name", KINDS)
def test_no_case_does_harm(name: str):
    cases = [run_case(KINDS[name], number) for number in range(CASES[name])]
    assert [case for case in cases if case.verdict not in HARMLESS] == []


def raises(arguments: Sequence[str]) -> int:
    raise ValueError("deliberately")


def says_two_lines(arguments: Sequence[str]) -> int:
    print("error: first\nerror: second", file=sys.stderr)
    return 1


@pytest.mark.parametrize(("command", "verdict"), [(raises, "traceback"), (says_two_lines, "not one line")])
def test_harm_is_recognised(command: Command, verdict: str):
    with pytest.raises(Harm) as harm:
        call(command)
    assert harm.value.verdict == verdict


def hangs(*_: object) -> str:
    while True:
        pass


def dies(*_: object) -> str:
    os._exit(3)


def hoards(*_: object) -> str:
    return str(len(bytearray(1 << 33)))


@pytest.mark.long
def test_hangs_crashes_and_memory_are_recognised():
    kinds = {kind.name: kind for kind in (Kind("hangs", hangs, 0.5), Kind("dies", dies), Kind("hoards", hoards))}
    verdicts = {(result.kind, result.verdict) for result in results(kinds, 0, 1, 60, cases=1)}
    assert verdicts == {("hangs", "hang"), ("dies", "crash"), ("hoards", "memory")}
