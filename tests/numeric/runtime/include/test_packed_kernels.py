"""Kernels for packed weights, and functions that read single packed elements, are exact on every device."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.devices import DEVICES, SMALL, roomy
from programs.kernel_calls import ELEMENTS, Case, build, run
from programs.runtime_functions import run_cases
from programs.spread import examples, spread

from tinyml.dialects.layouts.packed_bits import WIDTHS, group_bytes, group_length, pack_bits
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.dialects.scratch.types import OFFSETS
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Build, Runner, runner_for
from tinyml.runtime.model.headers import definition_of
from tinyml.tools.calibration.avr import PACKED, KernelSignature

LENGTHS = (
    *range(18),
    *range(31, 41),
    63,
    64,
    65,
    251,
    252,
    253,
    255,
    256,
    257,
    300,
    505,
    999,
    1001,
    1015,
    1016,
    1017,
    2001,
    2064,
)
LONG = (4, 6, 11, 12)
"""Widths with rows that are longer than what a kernel takes at once; all arrays fit one that an AVR can have."""


def count_of(width: int, missing: int) -> int:
    """The number of elements of an array: 40 if its last group is incomplete, otherwise 264, or 2,064 for the widths in
    `LONG`.

    missing: the number of elements that the last group lacks.
    """
    return 40 if missing else 2064 if width in LONG else 264


def most(width: int) -> int:
    return (1 << (width - 1)) - 1


def extremes(width: int, count: int) -> list[NDArray[Any]]:
    """Four vectors of `count` signed integers of `width` bits: the least integer only, the greatest only, the sequence
    least, greatest, 0, -1 repeated, and random integers.
    """
    random = np.random.default_rng(width)
    low, high = -most(width) - 1, most(width)
    flat = [np.full(count, value) for value in (low, high)]
    return [*flat, np.resize([low, high, 0, -1], count), random.integers(low, high, count, endpoint=True)]


def weights_of(width: int, missing: int) -> NDArray[np.int64]:
    """Two arrays of weights, one that contains only the least value, and a random one. The last `missing` elements of
    each, which its last group lacks, are 0.
    """
    low, *_, random = extremes(width, count_of(width, missing))
    both = np.array([low, random])
    both[:, both.shape[1] - missing :] = 0
    return both


WEIGHTS = {
    (width, missing): weights_of(width, missing)
    for width in sorted({kernel.weights for kernel in PACKED})
    for missing in range(group_length(width))
}
STREAMS = {key: pack_bits(arrays, key[0]).tobytes() for key, arrays in WEIGHTS.items()}
STARTS = dict(zip(STREAMS, np.cumsum([0, *map(len, STREAMS.values())]).tolist(), strict=False))
FLASH = b"".join(STREAMS.values())


def start_of(width: int, which: int, length: int) -> int:
    """The byte offset in flash of the last row of `length` elements of array `which`."""
    group = group_length(width)
    missing = -length % group
    last = (which + 1) * count_of(width, missing) - -(-length // group) * group
    return STARTS[width, missing] + last // group * group_bytes(width)


def products(case: Case) -> NDArray[np.int64]:
    width = case.kernel.weights
    key = width, -case.length % group_length(width)
    first = (case.start - STARTS[key]) // group_bytes(width) * group_length(width)
    weights = WEIGHTS[key].reshape(-1)[first : first + case.length]
    return weights * case.vector[: case.length].astype(np.int64)


def is_provable(case: Case) -> bool:
    return abs(case.sum) + int(np.abs(products(case)).sum()) <= most(case.kernel.sum)


def limited(case: Case) -> Case:
    """A copy of the case whose vector is halved until it meets the kernel's precondition."""
    vector = case.vector
    while not is_provable(case):
        vector = vector >> 1 if vector.min() < -1 else vector & 0
        case = Case(case.kernel, vector, case.start, case.length, case.sum)
    return case


class Device:
    def __init__(self, runner: Runner, folder: Path, optimize: str):
        self.runner = runner
        self.built: Build = build(runner, folder, FLASH, optimize, PACKED)

    def check(self, cases: list[Case]) -> None:
        scores = run(self.runner, self.built, cases, PACKED).scores
        assert scores is not None
        for case, (value, *_) in zip(cases, scores.tolist(), strict=True):
            assert value == case.sum + int(products(case).sum()), case


@pytest.fixture(
    scope="module",
    params=["uno -O3", "host -O2", "cortex-m3 -O2", *(f"{name} -Os" for name in SMALL)],
)
def device(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Device:
    # One function enters every kernel at every place, which does not fit an ATmega328P.
    name, optimize = request.param.split()
    runner = HostRunner(sanitize=True) if name == "host" else runner_for(roomy(name))
    return Device(runner, tmp_path_factory.mktemp("packed"), optimize)


@cache
def extreme_cases(kernel: KernelSignature) -> list[Case]:
    """Calls of a kernel with extreme operands. The calls are the same for all devices."""
    cases: list[Case] = []
    capacity = ELEMENTS * 16 // kernel.vector
    for length in LENGTHS:
        for turn, vector in enumerate(extremes(kernel.vector, capacity)):
            if length <= min(capacity, count_of(kernel.weights, -length % group_length(kernel.weights))):
                first = [0, -1, most(kernel.sum) // 3, -most(kernel.sum) // 3][(turn + length) % 4]
                typed = vector.astype(f"<i{kernel.vector // 8}")
                start = start_of(kernel.weights, (turn + length // 4) % 2, length)
                cases.append(limited(Case(kernel, typed, start, length, first)))
    assert sum(case.vector.any() and case.length > 0 for case in cases) > 80
    return cases


@pytest.mark.long
@pytest.mark.parametrize("kernel", spread(PACKED, len(PACKED) // 8), ids=lambda kernel: kernel.name)
def test_extremes(device: Device, kernel: KernelSignature):
    """Kernels are exact for extreme operands. Elements beyond the end of the vector are multiplied by zeros only."""
    device.check(extreme_cases(kernel))


@st.composite
def drawn_case(draw: st.DrawFn) -> Case:
    kernel = draw(st.sampled_from(PACKED))
    length = draw(st.integers(0, 40))
    values = st.integers(-most(kernel.vector) - 1, most(kernel.vector))
    vector = np.array(draw(st.lists(values, min_size=length, max_size=length)), f"<i{kernel.vector // 8}")
    start = start_of(kernel.weights, draw(st.integers(0, 1)), length)
    padded = np.resize(np.append(vector, [0]).astype(vector.dtype), ELEMENTS * 16 // kernel.vector)
    return limited(
        Case(kernel, padded, start, length, draw(st.integers(-most(kernel.sum) // 2, most(kernel.sum) // 2)))
    )


@pytest.mark.long
@settings(max_examples=examples(4, 80))
@given(cases=st.lists(drawn_case(), max_size=20))
def test_any_call(device: Device, cases: list[Case]):
    device.check(cases)


READ = 64
KINDS = [*((width, 0) for width in WIDTHS), *OFFSETS.items()]
"""Widths, and what is subtracted from elements before they are packed."""
MEMORY = f"""\
static int8_t memory[2 * {READ}];
static int16_t whole[{READ}];"""
KIND = """\
static void kind_{number}(const int16_t *X)
{{
    int{element}_t *const to = (int{element}_t *)whole;
    for (uint8_t i = {count}; i > 0; i--)
        tm_pack_s{width}(memory, i - 1, tm_packed_s{width}(packed_{number}, X[i - 1]));
    for (uint8_t i = 0; i < {count}; i++)
        out[i] = tm_packed_s{width}_ram(memory, i);
    tm_unpack_{sign}{width}(to, memory, {count} / {group});
    for (uint8_t i = 0; i < {count}; i++)
        out[{count} + i] = to[i] - {offset};
}}
"""


def elements_of(width: int) -> NDArray[np.int64]:
    """Numbers of `width` bits at every position of a group: all numbers of up to 7 bits, or 128 evenly spaced wider
    ones with both extremes.
    """
    values = np.tile(np.arange(-1 << width - 1, 1 << width - 1, 1 << max(0, width - 7)), 8)
    values[:2] = -1 << width - 1, (1 << width - 1) - 1
    return np.random.default_rng(width).permutation(np.resize(values, READ * -(-values.size // READ)))


@pytest.mark.long
@pytest.mark.parametrize("name", spread(DEVICES, 4))
def test_single_elements(name: str, tmp_path: Path):
    """Elements that are copied from flash to packed memory one by one equal the originals, whether they are read one by
    one or all at once, with or without the offset that makes them unsigned.

    Writing an element must not change its neighbours, whatever the memory contains.
    """
    elements = [elements_of(width) for width, _ in KINDS]
    streams = [pack_bits(values, width).view(np.int8) for values, (width, _) in zip(elements, KINDS, strict=True)]
    symbols = [
        (f"tm_packed_s{w}", f"tm_packed_s{w}_ram", f"tm_pack_s{w}", f"tm_unpack_{'u' if offset else 's'}{w}")
        for w, offset in KINDS
    ]
    texts = dict(text for names in symbols for symbol in names for text in definition_of(symbol, name))
    kinds = [
        KIND.format(
            number=number,
            width=width,
            count=READ,
            element=8 if width < 8 else 16,
            group=group_length(width),
            sign="u" if offset else "s",
            offset=offset,
        )
        for number, (width, offset) in enumerate(KINDS)
    ]
    constants = [
        f"static const int8_t packed_{number}[] FLASH = {{{', '.join(map(str, stream))}}};"
        for number, stream in enumerate(streams)
    ]
    cases = [
        (f"kind_{kind}(X);", np.arange(values.size, dtype=np.int16).reshape(-1, READ))
        for kind, values in enumerate(elements)
    ]
    definitions = "\n".join([*texts.values(), *constants, MEMORY, *kinds])
    scores = run_cases(cases, definitions, ("int16_t", 2 * READ), roomy(name), tmp_path)
    np.testing.assert_array_equal(np.concatenate(scores), np.tile(np.concatenate(elements).reshape(-1, READ), 2))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_evaluator_reads_the_same(width: int):
    values = elements_of(width)
    stream = pack_bits(values, width).view(np.int8)
    for where in ("", "_ram"):
        reference = RUNTIME_FUNCTIONS[f"tm_packed_s{width}{where}"].reference
        np.testing.assert_array_equal(reference(stream, np.arange(values.size, dtype=np.int16)), values)
