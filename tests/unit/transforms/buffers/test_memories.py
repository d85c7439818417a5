"""The assignment of buffers to memories: the search compared with an exhaustive search, its bounds, and its limits on
work and memory.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from programs.spread import spread

from tinyml.transforms.buffers.memories.choice import Choice, Item, Problem
from tinyml.transforms.buffers.memories.exhaustive import check_choice
from tinyml.transforms.buffers.memories.relaxation import Relaxation, rounded_up
from tinyml.transforms.buffers.memories.search import RELAXATION, SEARCH, choose
from tinyml.transforms.buffers.packing import Effort, Overlap, Placement, Rectangle, pack
from tinyml.transforms.buffers.packing.bound_checks import Verdict
from tinyml.transforms.buffers.packing.effort import OutOfTime
from tinyml.transforms.buffers.packing.rectangles import keep_numbers
from tinyml.transforms.buffers.packing.validator import complaints


def packed(rectangles: Sequence[Rectangle], room: int) -> Placement:
    return pack(rectangles, "auto", Effort(capacity=room))


def drawn(seed: int, buffers: int, permanent: int, tightness: float) -> Problem:
    """A random problem with three memories, the last of which has space for all items.

    buffers, permanent: the numbers of items that are live in part of the program and in all of it.
    tightness: the size of each other memory divided by the total size of all items.
    """
    numbers = random.Random(seed)
    rectangles: list[Rectangle] = []
    for i in range(buffers):
        first = numbers.randrange(10)
        overlaps = ()
        if i and rectangles[-1].last == first and numbers.random() < 0.5:
            overlaps = (Overlap(i - 1, 0),)
        rectangles.append(
            Rectangle(f"b{i}", 4 * numbers.randint(1, 12), 4, first, first + numbers.randint(0, 4), overlaps)
        )
    items = [
        Item(shape.name, shape.size, (0, (n := numbers.randint(1, 99)), 3 * n), i) for i, shape in enumerate(rectangles)
    ]
    items += [
        Item(f"c{i}", numbers.randint(1, 40), (0, (n := numbers.randint(1, 99)), 3 * n)) for i in range(permanent)
    ]
    total = sum(item.size for item in items)
    return Problem(items, rectangles, (int(total * tightness), int(total * tightness), None))


def test_less_room_is_packed_again():
    """If less space is left for the buffers than before, the search calls the packer again. The height of an earlier
    packing proves nothing about a smaller space, since a packer may return any packing that fits.
    """

    def lazy(rectangles: Sequence[Rectangle], room: int) -> Placement:
        placement = packed(rectangles, room)
        return replace(placement, height=room) if rectangles else placement

    shape = Rectangle("b", 16, 4, 0, 1)
    # The first choice holds the constant of 40 bytes beside the buffer, the best one both constants of 24 bytes.
    items = [Item("c", 40, (0, 50)), Item("d", 24, (0, 40)), Item("e", 24, (0, 40)), Item("b", 16, (0, None), 0)]
    choice = choose(Problem(items, [shape], (64, None)), lazy)
    assert choice is not None
    assert (choice.memories, choice.cost) == ((1, 0, 0, 0), 50)


def checked(problem: Problem, choice: Choice) -> None:
    """Assert the properties of a choice: its cost, its placements and the free bytes of each memory."""
    assert choice.cost == sum(item.cost(m) for item, m in zip(problem.items, choice.memories, strict=True))
    assert choice.bound <= choice.cost
    for memory, placement in enumerate(choice.placements):
        shapes = keep_numbers(problem.rectangles, problem.buffers_in(memory, choice.memories))
        assert next(complaints(shapes, placement), None) is None
        room = problem.room(memory, choice.memories)
        assert room is None or placement.height <= room


@pytest.mark.long
@pytest.mark.parametrize("seed", spread(range(40), 12))
def test_search_agrees_with_the_exhaustive_judge(seed: int):
    problem = drawn(seed, 5, 2, (0.1, 0.2, 0.35)[seed % 3])
    choice = choose(problem, packed)
    assert choice is not None
    checked(problem, choice)
    assert choice.proof in (RELAXATION, SEARCH)
    assert choice.bound == choice.cost
    assert check_choice(problem, choice) is Verdict.AGREED


@pytest.mark.parametrize("seed", spread(range(12), 4))
def test_judge_refutes_a_bound_that_is_too_high(seed: int):
    problem = drawn(seed, 5, 1, 0.2)
    choice = choose(problem, packed)
    assert choice is not None
    assert check_choice(problem, replace(choice, bound=choice.bound + 1)) is Verdict.REFUTED


def test_judge_takes_no_large_problems():
    problem = drawn(1, 30, 3, 0.2)
    choice = choose(problem, packed, nodes=100)
    assert choice is not None
    assert check_choice(problem, choice) is Verdict.UNDECIDED


def test_relaxation_bounds_every_choice():
    for seed in range(6):
        problem = drawn(seed, 6, 2, 0.15)
        choice = choose(problem, packed)
        assert choice is not None
        assert rounded_up(Relaxation(problem, choice.cost + 100).bound) <= choice.cost


def test_relaxation_alone_proves_what_has_room():
    problem = drawn(3, 6, 2, 2.0)
    choice = choose(problem, packed)
    assert choice is not None
    assert (choice.cost, choice.proof) == (0, RELAXATION)


@pytest.mark.long
def test_few_nodes_leave_a_gap():
    problem = drawn(7, 40, 6, 0.08)
    choice = choose(problem, packed, nodes=60)
    assert choice is not None
    checked(problem, choice)
    assert choice.proof == ""
    assert 0 < choice.bound < choice.cost
    assert choice.gap == choice.cost - choice.bound
    longer = choose(problem, packed, nodes=6000)
    assert longer is not None
    assert choice.bound <= longer.cost <= choice.cost


def one_buffer(size: int, *capacities: int) -> Problem:
    return Problem([Item("b", size, (0, 5), 0)], [Rectangle("b", size, 1, 0, 1)], capacities)


def test_a_buffer_of_the_size_of_a_memory_fits_and_a_larger_one_does_not():
    choice = choose(one_buffer(16, 16, 8), packed)
    assert choice is not None
    assert choice.memories == (0,)
    choice = choose(one_buffer(17, 16, 17), packed)
    assert choice is not None
    assert (choice.memories, choice.cost) == ((1,), 5)
    assert choose(one_buffer(18, 16, 17), packed) is None


def test_constants_and_stack_take_whole_multiples():
    item = Item("c", 9, (0, 7))
    assert item.permanent == 16
    choice = choose(Problem([item], [], (16, None)), packed)
    assert choice is not None
    assert choice.cost == 0
    choice = choose(Problem([item], [], (15, None)), packed)
    assert choice is not None
    assert choice.cost == 7


def test_a_packer_that_fails_without_proof_lowers_the_bound():
    """If the packer separates buffers that are never live at the same time, its failure proves nothing. The bound of
    the costs is then lower, and the choice is not proved.
    """

    def apart(rectangles: Sequence[Rectangle], room: int) -> Placement:
        return pack(rectangles, "none")

    shapes = [Rectangle("a", 8, 1, 0, 0), Rectangle("b", 8, 1, 1, 1)]
    problem = Problem([Item(shape.name, 8, (0, 3), i) for i, shape in enumerate(shapes)], shapes, (8, 64))
    choice = choose(problem, apart)
    assert choice is not None
    assert (choice.cost, choice.bound, choice.proof) == (3, 0, "")
    best = choose(problem, packed)
    assert best is not None
    assert best.cost == 0


def test_no_choice_within_the_nodes_is_no_proof():
    problem = drawn(5, 40, 0, 0.02)
    tight = replace(problem, capacities=(*problem.capacities[:2], problem.capacities[0]))
    with pytest.raises(OutOfTime):
        choose(replace(tight, capacities=(60, 60, 60)), packed, nodes=1)


def test_rounding_errors_raise_no_bound():
    assert [rounded_up(bound) for bound in (-1.0, 240.0, 240.0001, 240.001)] == [0, 240, 240, 241]
