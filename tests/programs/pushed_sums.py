"""A program that receives its input step by step, and computes running sums of three pairs of numbers."""

from __future__ import annotations

PROGRAM = """
func.func @NAME(%X: tensor<3x2x!fixed.q<8, 7>>) -> RESULTS {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %H = tdsl.fill {value = 0.0 : f64} -> tensor<2x!fixed.q<8, 6>>
  %r = scf.for %i = %zero to %three step %one iter_args(%h = %H) -> (tensor<2x!fixed.q<8, 6>>) {
    %x = tdsl.index %X[%i] : tensor<3x2x!fixed.q<8, 7>> -> tensor<2x!fixed.q<8, 7>>
    %s = tdsl.add %h, %x : tensor<2x!fixed.q<8, 6>>, tensor<2x!fixed.q<8, 7>> -> tensor<2x!fixed.q<8, 6>>
    scf.yield %s : tensor<2x!fixed.q<8, 6>>
  }
RETURN
}
"""
SUMS = "tensor<2x!fixed.q<8, 6>>"


def running_sum(name: str, *, classifies: bool = False) -> str:
    """The text of the program, which returns the sums.

    classifies: whether it also returns the index of the greatest sum.
    """
    results, returned = SUMS, f"  func.return %r : {SUMS}"
    if classifies:
        results = f"(index, {SUMS})"
        returned = f"  %label = tdsl.argmax %r : {SUMS}\n  func.return %label, %r : index, {SUMS}"
    return PROGRAM.replace("NAME", name).replace("RESULTS", results).replace("RETURN", returned)
