"""The numbers of iterations of loops, and the values that indices may have."""

from itertools import product

import numpy as np
from programs.formatted import parse
from xdsl.dialects import arith, scf

from tinyml.dialects.functions import defined_functions
from tinyml.dialects.loops import INDEX_FUNCTIONS, index_value, iterations_of, trips_from_zero

LOOPS = """
func.func @f(%n : index) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %seven = arith.constant 7 : index
  scf.for %i = %zero to %seven step %two {
    %a = arith.addi %i, %seven : index
    %b = arith.muli %a, %n : index
  }
  scf.for %i = %seven to %zero step %two { }
  scf.for %i = %zero to %seven step %zero { }
  scf.for %i = %zero to %n step %two { }
  %one = arith.constant 1 : index
  scf.for %i = %zero to %seven step %one { }
  func.return
}
"""


def test_iterations_are_known_by_constants():
    loops = [op for op in parse(LOOPS).walk() if isinstance(op, scf.ForOp)]
    assert [iterations_of(loop) for loop in loops] == [range(0, 7, 2), range(7, 0, 2), None, None, range(7)]
    assert [trips_from_zero(loop) for loop in loops] == [None, None, None, None, 7]


def test_an_index_follows_from_others():
    loop = next(op for op in parse(LOOPS).walk() if isinstance(op, scf.ForOp))
    by_seven, by_data = [op.results[0] for op in loop.body.block.ops if op.results]
    index = loop.body.block.args[0]
    assert index_value(by_seven, {index: 4}) == 11
    assert list(index_value(by_seven, {index: np.array([0, 2])})) == [7, 9]
    assert index_value(by_seven, {}) is None
    assert index_value(by_data, {index: 4}) is None


SELECTIONS = """
func.func @f(%i : index) {
  %three = arith.constant 3 : index
  %below = arith.cmpi slt, %i, %three : index
  %least = arith.select %below, %i, %three : index
  func.return
}
"""


def test_an_index_may_be_selected():
    [function] = defined_functions(parse(SELECTIONS))
    [index], [select] = function.args, [op for op in function.walk() if isinstance(op, arith.SelectOp)]
    assert list(index_value(select.result, {index: np.arange(6)})) == [0, 1, 2, 3, 3, 3]
    assert index_value(select.result, {index: 5}) == 3
    assert index_value(select.result, {}) is None


def test_comparisons_without_a_sign_read_negative_indices_as_great_ones():
    [function] = defined_functions(parse(SELECTIONS.replace("slt", "ult")))
    [index], [select] = function.args, [op for op in function.walk() if isinstance(op, arith.SelectOp)]
    assert list(index_value(select.result, {index: np.array([-1, 2, 4])})) == [3, 2, 3]
    assert index_value(select.result, {index: -1}) == 3


def test_quotients_are_rounded_towards_zero():
    quotient, rest = INDEX_FUNCTIONS[arith.DivSIOp], INDEX_FUNCTIONS[arith.RemSIOp]
    pairs = [(a, b) for a, b in product(range(-7, 8), (-3, -1, 2, 5))]
    expected = [(int(a / b), a - b * int(a / b)) for a, b in pairs]
    assert [(quotient(a, b), rest(a, b)) for a, b in pairs] == expected
    every = np.array(pairs).T
    assert [*zip(quotient(*every), rest(*every), strict=True)] == expected
