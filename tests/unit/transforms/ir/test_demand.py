"""The demands of a program on a chip, compared with counts by hand, and the estimates that the cost model derives."""

from __future__ import annotations

import pytest
from programs.kernel_tables import tile_families
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.lowering.pipelines import flatten, run
from tinyml.targets.costs import Cost, CostTable, KernelCost, cost_table
from tinyml.targets.registry import boards
from tinyml.targets.tiles import Tile
from tinyml.transforms.ir.cost.demand import UNKNOWN_TRIPS, Demand, demand_of, trip_count
from tinyml.transforms.ir.cost.estimate import estimate, estimate_of, estimate_on

BUFFERS = """
func.func @model(%X: memref<6x1x!fixed.q<16, 12>>) -> memref<3x1x!fixed.q<16, 12>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<6xi8>
  %y = scratch.view %arena[0 : i64] : memref<6xi8> to memref<3x1x!fixed.q<16, 12>>
  %W = scratch.constant dense<5> : tensor<3x6xi16> -> memref<3x6x!fixed.q<16, 12>, #scratch.flash>
  %c = scratch.constant dense<[[1], [2], [3]]> : tensor<3x1xi16> -> memref<3x1x!fixed.q<16, 12>, #scratch.flash>
  %zero = arith.constant 0 : index
  %five = arith.constant 5 : index
  %one = arith.constant 1 : index
  scf.for %t = %zero to %five step %one {
    tdsl.matmul %W, %X {acc = !fixed.acc<32, 24>, bound = array<i64: -983010000, 983010000>} : memref<3x6x!fixed.q<16, 12>, #scratch.flash>, memref<6x1x!fixed.q<16, 12>> into %y : memref<3x1x!fixed.q<16, 12>>
  }
  tdsl.add %y, %c : memref<3x1x!fixed.q<16, 12>>, memref<3x1x!fixed.q<16, 12>, #scratch.flash> into %y : memref<3x1x!fixed.q<16, 12>>
  func.return %y : memref<3x1x!fixed.q<16, 12>>
}
"""  # noqa: E501


@pytest.fixture
def loops() -> ModuleOp:
    module = Parser(context(), BUFFERS).parse_module()
    run(module, context(), flatten("buffers-to-loops", {"target": "uno"}))
    return module


@pytest.fixture
def demand(loops: ModuleOp) -> Demand:
    return demand_of(loops)


def test_memory(demand: Demand) -> None:
    assert (demand.constants, demand.arena, demand.input) == (36 + 6, 6, 12)


def test_steps_run_as_often_as_their_loops(demand: Demand) -> None:
    product = demand.operations["y = matmul(W, X)"]
    assert product.runs["tm_dot_s16_s16_s32"] == 5 * 3
    assert product.runs["tm_dot_s16_s16_s32 element"] == 5 * 3 * 6
    assert product.runs["iteration"] == 5 * 3
    assert product.runs["store 2"] == 5 * 3
    assert product.stands["tm_dot_s16_s16_s32"] == product.stands["store 2"] == 1
    assert demand.operations["for t"].runs == {"loop": 1, "iteration": 5}
    sum = demand.operations["y = add(y, c)"]
    assert (sum.runs["load flash 2"], sum.runs["load ram 2"], sum.runs["store 2"]) == (3, 3, 3)


WINDOW = """
func.func @model(%x: memref<8xi8>, %y: memref<8xi8>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  scf.for %i = %zero to %eight step %one {
    %address = arith.addi %i, %one : index
    %before = arith.subi %i, %one : index
    %twice = arith.muli %before, %eight : index
    %first = arith.maxsi %twice, %zero : index
    scf.for %j = %first to %eight step %one {
      %value = memref.load %x[%address] : memref<8xi8>
      memref.store %value, %y[%address] : memref<8xi8>
    }
    %count = arith.subi %eight, %i : index
    scratch.copy_run %x[%address] to %y[%zero] count %count {most = 8 : i64} : memref<8xi8> to memref<8xi8>
  }
  func.return
}
"""


def test_indices_that_decide_what_runs_count_apart() -> None:
    """Indices in limits, bounds and counts are computed; indices in addresses alone become part of these. A loop
    whose bound is computed is of its own kind.
    """
    runs = demand_of(Parser(context(), WINDOW).parse_module()).operations[""].runs
    # %before, %twice and %count; %address is only an address.
    assert (runs["index bound"], runs["index"]) == (3 * 8, 8)
    assert (runs["loop"], runs["iteration"], runs["loop computed"]) == (1, 8, 8)


REQUANTISED = """
builtin.module attributes {tinyml.target = "cortex-m4"} {
func.func @model(%x: i32, %shift: i8) {
  %factor = arith.constant 1073741824 : i32
  %three = arith.constant -3 : i8
  %a = func.call @tm_requantize_s32(%x, %factor, %three) : (i32, i32, i8) -> i32
  %b = func.call @tm_requantize_s32(%x, %factor, %shift) : (i32, i32, i8) -> i32
  %c = func.call @tm_reciprocal_s32(%x) : (i32) -> i32
  func.return
}
}"""


def test_calls_with_a_variable_shift_count_apart() -> None:
    """A function with a constant shift is a few instructions on chips that inline it. Without measurements, a variable
    shift costs what a constant one does.
    """
    runs = demand_of(Parser(context(), REQUANTISED).parse_module()).operations[""].runs
    steps = {step: count for step, count in runs.items() if step.startswith("tm_")}
    assert steps == {"tm_requantize_s32": 1, "tm_requantize_s32 variable": 1, "tm_reciprocal_s32": 1}
    table = CostTable("cycles", Cost(0, 0, 0, 0), {"tm_requantize_s32": Cost(5, 4, 3, 2), "add i32": Cost(1, 1, 1, 1)})
    assert table.generic_cost("tm_requantize_s32 variable") == Cost(5, 4, 3, 2)


SOFTMAX = """
func.func @model(%X: memref<1x5x!fixed.q<16, 10>>) -> memref<1x5x!fixed.q<16, 14>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<10xi8>
  %y = scratch.view %arena[0 : i64] : memref<10xi8> to memref<1x5x!fixed.q<16, 14>>
  tdsl.softmax %X : memref<1x5x!fixed.q<16, 10>> into %y : memref<1x5x!fixed.q<16, 14>>
  func.return %y : memref<1x5x!fixed.q<16, 14>>
}
"""


def test_what_a_loop_leaves_unchanged_counts_once() -> None:
    """The reciprocal of a softmax's sum does not depend on the element, so that the C compiler divides once before the
    loop over the shares. The product of a term with the reciprocal depends on the element.
    """
    module = Parser(context(), SOFTMAX).parse_module()
    run(module, context(), flatten("buffers-to-loops", {"target": "riscv"}))
    softmax = demand_of(module).operations["y = softmax(X)"]
    assert (softmax.runs["divsi i32"], softmax.stands["divsi i32"]) == (1, 1)
    assert softmax.runs["multiply i32 i64"] == 5 + 2
    assert (softmax.runs["store 2"], softmax.stands["store 2"]) == (5, 1)


SKEWED = """
func.func @model(%X: memref<1x5x!zeroskew.q<8, 0.1, 3>>) -> memref<1x5x!zeroskew.q<8, 0.00390625, -128>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<5xi8>
  %y = scratch.view %arena[0 : i64] : memref<5xi8> to memref<1x5x!zeroskew.q<8, 0.00390625, -128>>
  tdsl.softmax %X : memref<1x5x!zeroskew.q<8, 0.1, 3>> into %y : memref<1x5x!zeroskew.q<8, 0.00390625, -128>>
  func.return %y : memref<1x5x!zeroskew.q<8, 0.00390625, -128>>
}
"""


def test_calls_stay_in_loops() -> None:
    """The C compiler does not know that a function of the runtime always returns the same for the same arguments."""
    module = Parser(context(), SKEWED).parse_module()
    run(module, context(), flatten("buffers-to-loops", {"target": "riscv"}))
    softmax = demand_of(module).operations["y = softmax(X)"]
    assert softmax.runs["tm_leading_zeros_s32"] == 5


QUIRE = """
builtin.module attributes {tinyml.target = "cortex-m55"} {
func.func @model(%x: !posit.p<8, 0, -6, 1, 4>) -> !posit.quire<39, 23, 32, 8> {
  %sum = num.start %x : !posit.p<8, 0, -6, 1, 4> -> !posit.quire<39, 23, 32, 8>
  func.return %sum : !posit.quire<39, 23, 32, 8>
}
}"""


def test_loops_of_a_lowered_op_are_counted() -> None:
    """The words of a quire are cleared in a loop."""
    steps = demand_of(Parser(context(), QUIRE).parse_module()).operations[""]
    assert not any(step.startswith("for") for step in steps.runs)
    assert (steps.runs["iteration"], steps.stands["iteration"]) == (5, 1)
    assert (steps.runs["store 4"], steps.stands["store 4"]) == (5 + 1, 2)


ONE = """
func.func @model(%X: memref<6x!fixed.q<8, {frac}>>) -> memref<6xf32> {{
  %arena = scratch.arena {{alignment = 4 : i64}} : memref<24xi8>
  %y = scratch.view %arena[0 : i64] : memref<24xi8> to memref<6xf32>
  tdsl.cast %X : memref<6x!fixed.q<8, {frac}>> into %y : memref<6xf32>
  func.return %y : memref<6xf32>
}}
"""


@pytest.mark.parametrize(("frac", "products"), [(0, 0), (1, 6), (-1, 6)])
def test_a_product_with_one_takes_nothing(frac: int, products: int) -> None:
    module = Parser(context(), ONE.format(frac=frac)).parse_module()
    run(module, context(), flatten("buffers-to-loops", {"target": "uno"}))
    runs = [operation.runs for operation in demand_of(module).operations.values()]
    assert sum(steps.get("mulf f32", 0) for steps in runs) == products


FLOATS = """
func.func @model(%X: memref<6xf32>) -> memref<6xf32>
  attributes {tdsl.interface = #tdsl.interface<input = <zeros = 0.25>>} {
  %arena = scratch.arena {alignment = 4 : i64} : memref<24xi8>
  %y = scratch.view %arena[0 : i64] : memref<24xi8> to memref<6xf32>
  tdsl.mul %X, %X : memref<6xf32>, memref<6xf32> into %y : memref<6xf32>
  tdsl.mul %y, %y : memref<6xf32>, memref<6xf32> into %y : memref<6xf32>
  func.return %y : memref<6xf32>
}
"""


def test_floats_of_an_input_with_zeros_count_apart() -> None:
    module = Parser(context(), FLOATS).parse_module()
    run(module, context(), flatten("buffers-to-loops", {"target": "uno"}))
    operations = demand_of(module).operations
    first, second = operations["y = mul(X, X)"], operations["y = mul(y, y)"]
    assert (first.runs["mulf f32"], first.runs["mulf f32 of zero"], first.stands["mulf f32"]) == (4.5, 1.5, 1)
    assert (second.runs["mulf f32"], "mulf f32 of zero" in second.runs) == (6, False)


def test_what_is_proven_of_operands_counts(demand: Demand) -> None:
    """Only the upper limit of the sum y + c is checked in code: because c is in [1, 3], the sum is never below the
    lower limit.
    """
    stands = demand.operations["y = add(y, c)"].stands
    assert sum(number for step, number in stands.items() if step.startswith("limit ")) == 1


def test_an_estimate_is_costs_times_steps(demand: Demand) -> None:
    kinds = {step for steps in demand.operations.values() for step in steps.runs}
    table = CostTable("cycles", Cost(7, 0, 100, 9), {step: Cost(2, 3, 4, 5) for step in kinds})
    demand.kernels.clear()
    found = estimate_of(demand, table)
    runs = sum(sum(steps.runs.values()) for steps in demand.operations.values())
    stands = sum(sum(steps.stands.values()) for steps in demand.operations.values())
    assert found.time == 7 + 2 * runs
    assert found.code == 3 * stands
    assert found.flash == 42 + 100 + found.code + 4 * len(kinds)
    assert found.stack == 9 + 5 * len(kinds)
    assert found.ram == 6 + 12 + found.stack
    assert found.operations["for t"] == (2 * 6, 3 * 2)
    assert found.guessed == ()


def test_frames_of_composed_kernels_take_turns(demand: Demand) -> None:
    """In the estimated stack, only the largest frame of all composed kernels counts, while the frames of other steps
    add up. The cost of a kernel may be unknown if its frame is known.
    """
    kinds = sorted({step for steps in demand.operations.values() for step in steps.runs})
    demand.kernels = {kinds[0]: KernelCost(Cost(2, 3, 4, 50), 50), kinds[1]: KernelCost(None, 60)}
    table = CostTable("cycles", Cost(7, 0, 100, 9), {step: Cost(2, 3, 4, 5) for step in kinds[1:]})
    known = estimate_of(demand, table)
    assert known.stack == 9 + 60 + 5 * (len(kinds) - 2)
    assert known.deepest == 60


TILES = """
builtin.module attributes {tinyml.target = "uno"} {
func.func @model(%x: memref<400xi8>, %y: memref<64xi8>) {
  %w = scratch.constant dense<1> : tensor<9xi8> -> memref<9xi8, #scratch.flash>
CALLS
  func.return
}
}"""
CALL = (
    "  num.call #num.tiles<9>(%y, %w, %x) by {} : (memref<64xi8>, memref<9xi8, #scratch.flash>, memref<400xi8>) -> ()\n"
)


def test_a_function_that_kernels_share_counts_once() -> None:
    dots, channels = (family for family in tile_families("uno") if not family.shifts)
    kernels = [dots.kernel(Tile(16, 3, 24, 80, 8, 4, 5)), channels.kernel(Tile(8, 3, 24, 112, 8, 12, -128))]
    calls = [CALL.format(kernel.attribute) for kernel in kernels if kernel is not None]
    one, both, none = (
        demand_of(Parser(context(), TILES.replace("CALLS\n", "".join(some))).parse_module())
        for some in (calls[:1], calls, [])
    )
    assert none.shared == {}
    assert one.shared.keys() == both.shared.keys() == {"tm_requantised_s8"}
    assert one.kernels.keys() < both.kernels.keys()


def test_a_step_that_was_never_measured_costs_what_its_relatives_do(loops: ModuleOp) -> None:
    steps = {"store 1": Cost(2, 0, 0, 0), "store 4": Cost(6, 0, 0, 0), "add i8": Cost(90, 0, 0, 0)}
    table = CostTable("cycles", Cost(0, 0, 0, 0), steps)
    assert table.generic_cost("store 2").time == 4
    assert table.generic_cost("never heard of").time == 6
    functions = {"tm_packed_s2": Cost(10, 0, 0, 0), "tm_packed_s2_ram": Cost(30, 0, 0, 0), "tm_expf": Cost(80, 0, 0, 0)}
    table = CostTable("cycles", Cost(0, 0, 0, 0), functions)
    assert table.generic_cost("tm_packed_s1").time == 10
    assert table.generic_cost("tm_sigmoidf").time == 30
    assert "store 2" in estimate(loops, table).guessed


def test_tables_of_devices(loops: ModuleOp) -> None:
    assert {one.name for one in boards() if cost_table(one.name)} == {one.name for one in boards() if one.costs}
    assert cost_table("host") is None
    tables = [table for one in boards() if (table := cost_table(one.name))]
    assert all(table.floats.keys() == tables[0].floats.keys() != set() for table in tables)
    assert estimate_on(loops, "uno", "-O2") is None
    found = estimate_on(loops, "uno", "-Os")
    assert found is not None
    assert found.guessed == ()
    assert 15 * 6 * 30 < found.time < 15 * 6 * 60


@pytest.mark.parametrize(("step", "iterations"), [(2, 2), (1, 4), (0, UNKNOWN_TRIPS), (-1, UNKNOWN_TRIPS)])
def test_iterations_of_a_loop_that_never_ends_are_unknown(step: int, iterations: int) -> None:
    program = f"""
func.func @model(%X: memref<9xi16>) {{
  %zero = arith.constant 0 : index
  %step = arith.constant {step} : index
  %four = arith.constant 4 : index
  scf.for %t = %zero to %four step %step {{
  }}
  func.return
}}"""
    loops = [op for op in Parser(context(), program).parse_module().walk() if isinstance(op, scf.ForOp)]
    assert [trip_count(loop) for loop in loops] == [iterations]


@pytest.mark.parametrize(
    ("bounds", "iterations"),
    [
        ("%t to %end", 4),
        ("%end to %five", 4 + 3 + 2 + 1 + 1),
        ("%five to %t", 0),
        ("%half to %five", 5 + 5 + 4 + 4 + 3),
    ],
)
def test_bounds_that_depend_on_loops_around_count_on_average(bounds: str, iterations: int) -> None:
    program = f"""
func.func @model(%X: memref<9xi16>) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %five = arith.constant 5 : index
  scf.for %t = %zero to %five step %one {{
    %next = arith.addi %t, %one : index
    %end = arith.minsi %next, %four : index
    %half = arith.divsi %t, %two : index
    scf.for %y = {bounds} step %one {{
      %x = memref.load %X[%y] : memref<9xi16>
      memref.store %x, %X[%zero] : memref<9xi16>
    }}
  }}
  func.return
}}"""
    demand = demand_of(Parser(context(), program).parse_module())
    assert sum(steps.runs["store 2"] for steps in demand.operations.values()) == pytest.approx(iterations)


@pytest.mark.parametrize(("numbers", "loads"), [("[4, 4, 4]", 0), ("[4, 4, 5]", 1)])
def test_elements_that_are_all_the_same_number_are_not_loaded(numbers: str, loads: int) -> None:
    program = f"""
func.func @model(%X: memref<3x!fixed.q<8, 4>>) {{
  %zero = arith.constant 0 : index
  %c = scratch.constant dense<{numbers}> : tensor<3xi8> -> memref<3x!fixed.q<8, 4>, #scratch.flash>
  %element = memref.load %c[%zero] : memref<3x!fixed.q<8, 4>, #scratch.flash>
  %x = memref.load %X[%zero] : memref<3x!fixed.q<8, 4>>
  %sum = num.add %x, %element : !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.q<8, 4>
  memref.store %sum, %X[%zero] : memref<3x!fixed.q<8, 4>>
  func.return
}}"""
    demand = demand_of(Parser(context(), program).parse_module())
    assert sum(steps.runs["load flash 1"] for steps in demand.operations.values()) == loads


def test_entries_of_sparse_rows_that_fill_no_block_count_on_average() -> None:
    program = """
builtin.module attributes {tinyml.target = "riscv"} {
func.func @model(%x: memref<8x!fixed.q<8, 7>>, %scores: memref<2x!fixed.q<8, 5>>) {
  %i = arith.constant 0 : index
  %v = scratch.constant dense<1> : tensor<11xi8> -> memref<11x!fixed.q<8, 7>, #scratch.flash>
  %gaps = scratch.constant dense<1> : tensor<11xi8> -> memref<11xi8, #scratch.flash>
  %lengths = scratch.constant dense<[5, 6]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %zero = num.zero : !fixed.acc<32, 14>
  %sum = num.call #num.sparse_dot(%zero, %v, %gaps, %lengths, %x, %i, %i) by #num.kernel<"tm_rv_dot_sparse_s8_s8_s32"> : (!fixed.acc<32, 14>, memref<11x!fixed.q<8, 7>, #scratch.flash>, memref<11xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8x!fixed.q<8, 7>>, index, index) -> !fixed.acc<32, 14>
  %score = num.finish %sum : !fixed.acc<32, 14> -> !fixed.q<8, 5>
  memref.store %score, %scores[%i] : memref<2x!fixed.q<8, 5>>
  func.return
}
}"""  # noqa: E501
    demand = demand_of(Parser(context(), program).parse_module())
    assert sum(steps.runs["tm_rv_dot_sparse_s8_s8_s32 rest"] for steps in demand.operations.values()) == (1 + 2) / 2


def test_bounds_in_a_column_of_a_table_count_on_average() -> None:
    program = """
func.func @model(%X: memref<9xi16>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %table = scratch.constant dense<[[90, 1], [90, 2], [90, 6]]> : tensor<3x2xi16> -> memref<3x2xi16, #scratch.flash>
  scf.for %t = %zero to %three step %one {
    %count = memref.load %table[%t, %one] : memref<3x2xi16, #scratch.flash>
    %wide = arith.extui %count : i16 to i32
    %end = arith.index_cast %wide : i32 to index
    scf.for %y = %zero to %end step %one {
      %x = memref.load %X[%y] : memref<9xi16>
      memref.store %x, %X[%zero] : memref<9xi16>
    }
  }
  func.return
}"""
    demand = demand_of(Parser(context(), program).parse_module())
    assert sum(steps.runs["store 2"] for steps in demand.operations.values()) == pytest.approx(1 + 2 + 6)


@pytest.mark.parametrize(("place", "first", "step"), [(8, 4, "word"), (6, 4, "byte"), (8, 3, "byte")])
def test_copies_between_aligned_addresses_are_of_words(place: int, first: int, step: str) -> None:
    program = f"""
func.func @model() {{
  %first = arith.constant {first} : index
  %at = arith.constant 0 : index
  %count = arith.constant 8 : index
  %arena = scratch.arena {{alignment = 4 : i64}} : memref<32xi8>
  %from = scratch.view %arena[0] : memref<32xi8> to memref<16xi8>
  %to = scratch.view %arena[{place}] : memref<32xi8> to memref<8xi8>
  scratch.copy_run %from[%first] to %to[%at] count %count {{most = 8 : i64}} : memref<16xi8> to memref<8xi8>
  func.return
}}"""
    demand = demand_of(Parser(context(), program).parse_module())
    runs = {kind: count for steps in demand.operations.values() for kind, count in steps.runs.items()}
    assert runs[f"tm_copy {step}"] == (2 if step == "word" else 8)


def test_a_search_keeps_what_it_has_found() -> None:
    module = Parser(context(), SEARCH).parse_module()
    runs = demand_of(module).operations[""].runs
    assert (runs["keep i8"], runs["keep index"], runs["select i8"]) == (8, 8, 8)
    assert (runs["loop"], runs["entry loop"], runs["entry byte"]) == (1, 1, 1)


SEARCH = """
func.func @model(%X: memref<9xi8>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nine = arith.constant 9 : index
  %least = arith.constant 0 : i8
  %first = memref.load %X[%zero] : memref<9xi8>
  %most, %best = scf.for %i = %one to %nine step %one iter_args(%value = %first, %at = %zero) -> (i8, index) {
    %x = memref.load %X[%i] : memref<9xi8>
    %y = memref.load %X[%zero] : memref<9xi8>
    %below = arith.cmpi slt, %x, %least : i8
    %z = arith.select %below, %x, %y : i8
    %greater = arith.cmpi sgt, %z, %value : i8
    %now = arith.select %greater, %z, %value : i8
    %there = arith.select %greater, %i, %at : index
    scf.yield %now, %there : i8, index
  }
  func.return %best : index
}
"""


@pytest.mark.parametrize("elements", [3, 4, 5])
def test_loops_of_two_iterations_are_short_and_those_of_searches_up_to_three(elements: int) -> None:
    program = SEARCH.replace("constant 9", f"constant {elements}")
    runs = demand_of(Parser(context(), program).parse_module()).operations[""].runs
    short = " short" if elements <= 4 else ""
    assert (runs[f"loop{short}"], runs[f"iteration{short}"]) == (1, elements - 1)
    assert ("loop" in runs) != bool(short)


def test_loops_of_three_iterations_that_search_nothing_are_not_short() -> None:
    program = BUFFERS.replace("constant 5", "constant 3")
    runs = demand_of(Parser(context(), program).parse_module()).operations[""].runs
    assert (runs["loop"], "loop short" in runs) == (1, False)


def test_a_table_without_times_of_entry_includes_them_in_its_program(loops: ModuleOp) -> None:
    table = CostTable("cycles", Cost(70, 0, 0, 0), {"store 1": Cost(2, 0, 0, 0)})
    found = estimate(loops, table)
    assert not [step for step in found.guessed if step.startswith("entry")]
    entry = {step: Cost(5, 0, 0, 0) for step in ("entry loop", "entry byte")}
    with_them = estimate(loops, CostTable("cycles", Cost(70, 0, 0, 0), {**table.steps, **entry}))
    counts = demand_of(loops).operations[""].runs
    assert with_them.operations[""][0] - found.operations[""][0] >= 5 * counts["entry byte"] > 0
