"""The computed orders of tasks have the least peak of all orders."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyml.transforms.buffers.liveness import least_peak_order
from tinyml.transforms.buffers.liveness.least_peak_order import (
    OpOrder,
    OrderingProblem,
    Task,
    improved_order,
    least_peak,
)


@st.composite
def problems(draw: st.DrawFn, tasks: int) -> OrderingProblem:
    """Random ordering problems. A task computes a buffer from buffers of earlier tasks, or it only accesses a given
    buffer. A computed buffer may be permitted to overwrite the read buffers of equal size.
    """
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 8]), min_size=tasks, max_size=tasks))
    made: list[Task] = []
    for i in range(tasks):
        used = draw(st.frozensets(st.integers(0, i - 1), max_size=3)) if i else frozenset[int]()
        over = frozenset(j for j in used if sizes[j] == sizes[i]) if draw(st.booleans()) else frozenset[int]()
        barriers = frozenset(draw(st.lists(st.integers(0, i - 1), max_size=1))) if i else frozenset[int]()
        made.append(Task(used | {i}, used | barriers, draw(st.sampled_from([0, 0, 5])), i, over))
    kept = draw(st.frozensets(st.integers(0, tasks - 1), max_size=2))
    # Something that a task makes may as well have been there before.
    given = draw(st.frozensets(st.integers(0, tasks - 1), max_size=2))
    made = [replace(task, makes=None) if task.makes in given else task for task in made]
    return OrderingProblem(sizes, made, kept, given)


def is_order(problem: OrderingProblem, order: tuple[int, ...]) -> bool:
    place = {task: i for i, task in enumerate(order)}
    return all(place[before] < place[i] for i, task in enumerate(problem.tasks) for before in task.after)


@given(problems(6))
def test_no_order_needs_less(problem: OrderingProblem):
    found = least_peak(problem, 1000)
    assert is_order(problem, found.tasks)
    assert found.proven
    assert found.peak == problem.peak(found.tasks)
    orders = (order for order in permutations(range(len(problem.tasks))) if is_order(problem, order))
    assert found.peak == min(map(problem.peak, orders))


@given(problems(12), st.integers(1, 6))
def test_a_small_budget_gives_an_order_and_a_bound(problem: OrderingProblem, budget: int):
    found, best = least_peak(problem, budget), least_peak(problem, 10000)
    assert best.proven
    assert is_order(problem, found.tasks)
    assert found.bound <= best.peak <= found.peak == problem.peak(found.tasks)


@given(problems(9), st.integers(0, 1))
def test_the_rest_of_an_order_needs_least_at_each_step(problem: OrderingProblem, backwards: int):
    """`greedy_order` chooses at each step a task that needs the fewest bytes, as a comparison of the needs of all tasks
    does. The implementation updates needs in a heap only where they change.
    """
    everything = (1 << len(problem.tasks)) - 1
    done = everything if backwards else 0
    alive, order = problem.alive(done), list[int]()
    while choices := problem.choices(done, bool(backwards)):
        steps = {i: problem.step(done, i, alive) for i in choices}
        order.append(min(choices, key=lambda i: steps[i][1:]))
        done, _, alive = steps[order[-1]]
    assert [*least_peak_order.greedy_order(problem, everything if backwards else 0, bool(backwards))] == order


def test_sets_take_little_memory(monkeypatch: pytest.MonkeyPatch):
    """For many parallel branches, whose sets of tasks are too many to store, the search returns a valid order and the
    peak of this order.
    """
    count = 30
    tasks = [Task(frozenset({i, count + i})) for i in range(count)]
    problem = OrderingProblem(
        [*range(1, count + 1), *(1 for _ in range(count))], tasks, frozenset(range(count, 2 * count))
    )
    monkeypatch.setattr(least_peak_order, "MAX_BITS", count * count)
    found = least_peak_order.search_order(problem, 10000, backwards=False)
    assert is_order(problem, found.tasks)
    assert found.peak == problem.peak(found.tasks)


def test_finish_one_branch_before_the_next_begins():
    """Four branches each expand the input and then reduce it, before a sum. The order computes them one after another,
    with a peak of 107 instead of 404.
    """
    much, little = range(1, 5), range(5, 9)
    sizes = [4, *(100 for _ in much), *(1 for _ in little), 1]
    tasks = [Task(frozenset({0}))]
    tasks += [Task(frozenset({0, buffer}), frozenset({0})) for buffer in much]
    tasks += [Task(frozenset({buffer - 4, buffer}), frozenset({buffer - 4})) for buffer in little]
    tasks += [Task(frozenset({*little, 9}), frozenset(little))]
    problem = OrderingProblem(sizes, tasks, frozenset({9}))
    assert problem.peak(range(10)) == 404
    found = least_peak(problem, 1000)
    assert (found.peak, found.bound) == (107, 107)


def test_a_bound_is_what_a_task_touches_without_what_it_may_reuse():
    last = Task(frozenset({0, 1}), frozenset({0}), own=5, makes=1)
    assert OrderingProblem([4, 4], [Task(frozenset({0})), last]).bound == 4 + 4 + 5
    assert OrderingProblem([4, 4], [Task(frozenset({0})), replace(last, over=frozenset({0}))]).bound == 4 + 5


@given(problems(8), st.integers(2, 6))
def test_the_order_depends_on_the_ratios_of_sizes_alone(problem: OrderingProblem, unit: int):
    tasks = [replace(task, own=unit * task.own) for task in problem.tasks]
    scaled = replace(problem, sizes=[unit * size for size in problem.sizes], tasks=tasks)
    found, order = least_peak(problem, 1000), least_peak(scaled, 1000)
    assert order == OpOrder(found.tasks, unit * found.peak, unit * found.bound)


def test_what_is_given_goes_first():
    """Of two branches, the one that frees a buffer that is live at the start is computed first."""
    tasks = [Task(frozenset({0, 1})), Task(frozenset({2, 3}))]
    problem = OrderingProblem([10, 1, 5, 1], tasks, frozenset({1, 3}), frozenset({2}))
    assert [problem.peak(order) for order in ((0, 1), (1, 0))] == [16, 12]
    assert least_peak(problem, 10) == OpOrder((1, 0), 12, 12)


def test_chains_need_no_budget():
    tasks = [Task(frozenset({i, i + 1}), frozenset({i - 1} - {-1})) for i in range(300)]
    assert least_peak(OrderingProblem([1] * 301, tasks), 301) == OpOrder(tuple(range(300)), 2, 2)


@pytest.mark.long
def test_forty_branches_are_exact():
    """The order of forty ops in twenty parallel pairs of different sizes, between one input and one sum, is proved
    optimal.
    """
    count = 20
    sizes = [1, *(7 * i % 23 + 1 for i in range(count)), *(5 * i % 11 + 1 for i in range(count)), 1]
    tasks = [Task(frozenset({0}))]
    tasks += [Task(frozenset({0, 1 + i}), frozenset({0})) for i in range(count)]
    tasks += [Task(frozenset({1 + i, 1 + count + i}), frozenset({1 + i})) for i in range(count)]
    tasks += [Task(frozenset(range(1 + count, 2 + 2 * count)), frozenset(range(1 + count, 1 + 2 * count)))]
    assert least_peak(OrderingProblem(sizes, tasks), 10000).proven


def test_the_bound_of_a_long_chain_takes_few_unions(monkeypatch: pytest.MonkeyPatch):
    """For a chain of tasks, the number of set unions in the computation of the bound grows linearly with the number of
    tasks.
    """
    united = 0
    union = least_peak_order._union  # pyright: ignore[reportPrivateUsage]

    def counted(sets: Sequence[int], members: Iterable[int]) -> int:
        nonlocal united
        members = list(members)
        united += len(members)
        return union(sets, members)

    monkeypatch.setattr(least_peak_order, "_union", counted)
    tasks = [Task(frozenset({i, i + 1}), frozenset({i - 1} - {-1})) for i in range(500)]
    assert OrderingProblem([1] * 501, tasks).bound == 2
    assert united < 10 * 500


@pytest.mark.parametrize(
    ("after", "ends"),
    [
        ([()], [1]),
        ([(), ()], [2]),
        ([(), (0,)], [1, 2]),
        ([(), (0,), (1,)], [1, 2, 3]),
        # Two branches between the first task and the last one.
        ([(), (0,), (0,), (1, 2)], [1, 3, 4]),
        # The last task depends on no other one; the third does not depend on the first.
        ([(), (), (0, 1), (2,), ()], [5]),
        ([(), (), (1,), (0, 2)], [3, 4]),
    ],
)
def test_a_section_ends_where_all_later_tasks_depend_on_all_earlier_tasks(
    after: list[tuple[int, ...]], ends: list[int]
):
    tasks = [Task(frozenset({i}), frozenset(before)) for i, before in enumerate(after)]
    sections = OrderingProblem([1] * len(tasks), tasks, frozenset()).sections
    assert sections == [range(first, end) for first, end in zip([0, *ends[:-1]], ends, strict=True)]


@given(problems(9))
def test_sections_together_need_what_the_whole_order_needs(problem: OrderingProblem):
    """Buffers that are live across a section without being touched by it count in its peak and bound."""
    found = improved_order(problem, 1000)
    assert is_order(problem, found.tasks)
    assert found.peak == problem.peak(found.tasks) == found.bound
    assert found.peak == least_peak(problem, 10000).peak
