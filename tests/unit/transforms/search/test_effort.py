"""The work of a search for each candidate, measured as numbers of passes and ops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from programs.kernel_tables import kernels_for, kernels_of
from programs.pass_runs import counted_passes
from programs.searches import costs_anew, costs_of, evaluation_of, profiled, some_data, uniform
from xdsl.context import Context
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tinyml.dialects import num, tdsl
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.tdsl import contraction
from tinyml.dialects.tdsl.values import Arithmetic
from tinyml.runtime.evaluator import recorded_loops, recorded_ops
from tinyml.targets.registry import chips
from tinyml.tools.driver.stages import print_ir
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, with_choice
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.evaluation.candidates import SearchProblem
from tinyml.transforms.ir.pipeline_names import BUFFERS_TO_NESTS, TO_BUFFERS, registered_pass
from tinyml.transforms.programs.kept_facts import kept_in
from tinyml.transforms.search.costs.candidate_costs import FLASH_ABOVE, Platform
from tinyml.transforms.search.engine.evaluation import Evaluation
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.search_pass import with_rounded_sums
from tinyml.transforms.search.engine.workers import Workers


def test_an_estimate_cleans_up_once_on_each_way_to_the_next_rewrites(monkeypatch: pytest.MonkeyPatch):
    """For two estimates of one candidate, `simplify` runs only four times: after the choice of accumulators, after the
    packing of memory, after the lowering to loops, and after the choice of kernels.
    """
    with evaluation_of("protonn") as evaluation:
        costs = costs_of(evaluation)
        runs = counted_passes(monkeypatch)
        for _ in range(2):
            costs.estimated(uniform(evaluation, 8)[0])
    assert runs["simplify"] == 4
    assert runs["choose-accumulators"] == runs["select-kernels"] == 1


def test_a_candidate_is_lowered_once_for_its_memory_and_its_cost(monkeypatch: pytest.MonkeyPatch):
    """If both the memory and the cost of a candidate are requested, formats are refined and memory is packed only
    once.
    """
    with evaluation_of("protonn") as evaluation:
        first, second = uniform(evaluation, 8, 16)
        costs = costs_of(evaluation)
        runs = counted_passes(monkeypatch)
        memory = costs.programs.memory(first)
        costs.estimated(first)
        assert memory == costs.programs.memory(first)
        costs.estimated(second)
        costs.programs.memory(second)
    assert runs["choose-storage"] == runs["pack-scratch"] == 2


def test_equal_programs_are_estimated_once(monkeypatch: pytest.MonkeyPatch):
    """Programs that differ only in the width of differences of distances, which are not stored, count as equal and are
    estimated once.
    """
    with evaluation_of("protonn") as evaluation:
        search = Search(evaluation, FixedType.of_width(16))
        differences = [tensors.name for tensors in search.classes].index("del")
        widths = [FormatChoice(search.prototype_of(width)) for width in (16, 12)]
        candidates = [with_choice(search.uniform(search.prototype), differences, width) for width in widths]
        costs = costs_of(evaluation)
        runs = counted_passes(monkeypatch)
        estimates = {costs.estimated(search.formats(choices)) for choices in candidates}
    assert runs["choose-storage"] == 2
    assert runs["select-kernels"] == len(estimates) == 1


def test_a_program_on_which_no_flash_was_spent_is_built_once(monkeypatch: pytest.MonkeyPatch):
    """If a program exceeds its limit, and none of its kernels needs additional flash, it is built only once, since
    another limit on flash would result in the same program.
    """
    with evaluation_of("protonn") as evaluation:
        costs = costs_anew(evaluation, Platform("uno", flash=1000))
        runs = counted_passes(monkeypatch)
        assert costs.measured(uniform(evaluation, 8)[0]) is not None
    assert runs["spend-flash"] == 1


def test_a_program_is_lowered_to_nests_once_for_all_limits_on_flash(monkeypatch: pytest.MonkeyPatch):
    with evaluation_of("protonn") as evaluation:
        [formats] = uniform(evaluation, 8)
        costs_of(evaluation)
        search = Search(evaluation, FixedType.of_width(8))
        runs = counted_passes(monkeypatch)
        for flash in (None, 4000, 8000):
            search.costs("uno", flash).estimated(formats)
    assert runs["lower-tdsl-to-loops"] == runs["pack-scratch"] == 1


def test_a_second_search_knows_costs_memory_and_losses_of_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    found: list[object] = []
    runs = counted_passes(monkeypatch)
    with kept_in(tmp_path):
        for _ in range(2):
            runs.clear()
            with evaluation_of("protonn") as evaluation:
                [formats] = uniform(evaluation, 8)
                costs = costs_of(evaluation)
                memory = costs.programs.memory(formats)
                found.append((costs.estimated(formats), memory, evaluation.losses([formats]), evaluation.evaluated))
    assert found[0] == found[1]
    assert runs["select-kernels"] == runs["pack-scratch"] == 0


def test_only_the_ops_of_flash_above_are_lowered_by_the_limit_on_flash_before_it_is_spent():
    steps = [step for name in (*TO_BUFFERS, BUFFERS_TO_NESTS) for step in registered_pass(name).steps()]
    limited = {step.name for step in steps if any(field.name == "flash" for field in fields(step))}
    assert limited == {"tile-windows", "code-forests", "decode-constants"}
    assert {op.name for op in FLASH_ABOVE} == {"tdsl.conv2d", "tdsl.forest"}


def test_sums_that_loops_carry_are_recorded(monkeypatch: pytest.MonkeyPatch):
    """The sums that a loop carries are computed in steps that are recorded in the first iteration and repeated by the
    others. The op itself is evaluated only once.
    """
    computed: Counter[Operation] = Counter()
    compute = recorded_ops.compute

    def counting(arithmetic: Arithmetic, op: Operation, arguments: Sequence[Any]) -> Any:
        computed[op] += isinstance(op, tdsl.MatmulSumOp) and op.initial is not None
        return compute(arithmetic, op, arguments)

    data = some_data("protonn")
    program = next(with_rounded_sums(profiled("protonn"), data.x))
    problem = SearchProblem(print_ir(program), data.x, data.y, None)
    with Evaluation(problem, "disagreement", Workers(1)) as evaluation:
        for module in (recorded_ops, recorded_loops):
            monkeypatch.setattr(module, "compute", counting)
        evaluation.losses(uniform(evaluation, 8))
    assert max(computed.values()) == 1


def test_facts_about_products_are_gathered_once(monkeypatch: pytest.MonkeyPatch):
    gathered: Counter[str] = Counter()
    product = contraction._product  # pyright: ignore[reportPrivateUsage]

    def counting(*args: Any) -> Any:
        gathered["products"] += 1
        return product(*args)

    with evaluation_of("protonn") as evaluation:
        module, _ = evaluation.evaluator.candidates.in_formats(uniform(evaluation, 8)[0])
    terms = [term for op in module.walk() if isinstance(op, tdsl.ContractionOp) for term in op.terms]
    monkeypatch.setattr(contraction, "_product", counting)
    step: ModulePass = ChooseAccumulatorsPass()
    step.apply(Context(), module)
    assert gathered["products"] == len(terms) > 0


def test_kernels_are_found_as_if_all_were_tried():
    for board in [board.name for chip in chips() for board in chip.boards]:
        known = kernels_of(board)
        for kernel in known:
            listed = [found for found in kernels_for(board, kernel.wanted) if found in known]
            same = [found for found in known if found.computed == kernel.wanted.computed]
            assert listed == [found for found in same if found.flash in (None, kernel.flash)]


def test_intervals_are_those_of_scalars():
    """The interval of an elementwise op equals that of its scalar op. Proofs request it often, so it is computed
    without building the scalar op.
    """
    with evaluation_of("fastgrnn") as evaluation:
        module = evaluation.evaluator.candidates.in_formats(uniform(evaluation, 8)[0])[0]
    ops = [op for op in module.walk() if isinstance(op, tdsl.BinaryOp | tdsl.FunctionOp)]
    assert any(isinstance(op, tdsl.FunctionOp) for op in ops)
    for op in ops:
        step = op.scalar_body.result.owner
        assert isinstance(step, num.ScalarOp)
        assert op.interval == step.interval
