"""Results of ops on constants in a recorder of lanes, simplified ops, and the limits of its registers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import i32
from xdsl.ir import Block

from tinyml.transforms.loops.kernels.lane_recorder import Element, LaneRecorder, NotInLanes

SMALL = range(-2, 3)


@pytest.fixture(name="lane")
def some_lane() -> tuple[LaneRecorder, Block, Element]:
    """A recorder, its block, and a value of 16 bits that is no constant."""
    block = Block(arg_types=[i32])
    return LaneRecorder(block), block, Element(block.args[0], 16)


Lane = tuple[LaneRecorder, Block, Element]


def test_ops_on_constants_are_constants(lane: Lane):
    recorder, block, _ = lane
    for a, b in product(SMALL, repeat=2):
        one, other = Element(a, 8), Element(b, 16)
        for method, expected in (
            (recorder.addi, a + b),
            (recorder.subi, a - b),
            (recorder.muli, a * b),
            (recorder.andi, a & b),
            (recorder.minsi, min(a, b)),
            (recorder.maxsi, max(a, b)),
            (recorder.cmp_sge, a >= b),
            (recorder.cmp_sgt, a > b),
        ):
            assert method(one, other).constant == expected, (method, a, b)
        assert recorder.select(recorder.cmp_sge(one, other), one, other).constant == max(a, b)
        assert recorder.select(recorder.cmp_sgt(other, one), one, other).constant == min(a, b)
    assert not list(block.ops)


@pytest.mark.parametrize(("factor", "shift"), [(-2, None), (0, None), (1, 0), (2, 1), (3, None), (64, 6)])
def test_a_power_of_two_is_a_shift(lane: Lane, factor: int, shift: int | None):
    recorder, block, value = lane
    for factors in ((value, Element(factor, 8)), (Element(factor, 8), value)):
        recorder.muli(*factors)
        made = block.last_op
        assert isinstance(made, arith.MuliOp if shift is None else arith.ShLIOp)
        assert made.operands[0] is value.value
        assert made.operands[1] is recorder.register(Element(factor if shift is None else shift, 8))


def test_a_shift_by_no_places_is_the_value(lane: Lane):
    recorder, block, value = lane
    assert recorder.shli(value, Element(0, 8)) is recorder.shrsi(value, Element(0, 8)) is value
    assert not list(block.ops)
    assert recorder.shli(value, Element(1, 8)) is not value
    for shift in (recorder.shli, recorder.shrsi):
        for operands in ((Element(1, 8), Element(1, 8)), (value, value)):
            with pytest.raises(NotInLanes):
                shift(*operands)


def test_the_first_zero_of_a_sum_is_left_out(lane: Lane):
    recorder, block, value = lane
    assert recorder.addi(Element(0, 8), value) is value
    assert not list(block.ops)
    recorder.addi(Element(1, 8), value)
    assert isinstance(block.last_op, arith.AddiOp)


@pytest.mark.parametrize(
    ("element", "fits"),
    [
        (Element(-(1 << 31), 32), True),
        (Element(-(1 << 31) - 1, 32), False),
        (Element((1 << 31) - 1, 32), True),
        (Element(1 << 31, 32), False),
        (Element(0, 33), False),
    ],
)
def test_a_register_has_32_bits(lane: Lane, element: Element, fits: bool):
    recorder, _, _ = lane
    if fits:
        assert recorder.register(element).type == i32
    else:
        with pytest.raises(NotInLanes, match="more than 32 bits"):
            recorder.register(element)


def test_a_comparison_of_what_is_selected_is_an_extreme(lane: Lane):
    recorder, block, value = lane
    other = recorder.addi(value, value)
    selections: list[tuple[Callable[[Element, Element], Element], type]] = [
        (lambda a, b: recorder.select(recorder.cmp_sge(a, b), a, b), arith.MaxSIOp),
        (lambda a, b: recorder.select(recorder.cmp_sgt(a, b), b, a), arith.MinSIOp),
        (lambda a, b: recorder.select(recorder.cmp_sge(a, b), a, Element(5, 8)), arith.SelectOp),
    ]
    for select, kind in selections:
        select(value, other)
        assert isinstance(block.last_op, kind)
    assert recorder.select(recorder.cmp_sge(value, other), other, other) is other
