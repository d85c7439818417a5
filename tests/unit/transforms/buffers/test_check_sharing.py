"""The judges of a shared arena detect errors without the help of the validator."""

from __future__ import annotations

import pytest
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.transforms.buffers import check_sharing
from tinyml.transforms.buffers.check_sharing import CheckSharingPass

ONE_BYTE = """
builtin.module attributes {{scratch.shared =
    {{bytes = {bound} : i64, alignment = 1 : i64, lower_bound = {bound} : i64, proof = "exact-cover"}}}} {{
  func.func @one(%X: memref<1x!fixed.q<8, 7>>) -> index {{
    %arena = scratch.arena {{alignment = 1 : i64}} : memref<{bound}xi8>
    %y = scratch.view %arena[{at} : i64] {{live = [0 : i64, 1 : i64]}} : memref<{bound}xi8> to memref<1x!fixed.q<8, 7>>
    tdsl.neg %X : memref<1x!fixed.q<8, 7>> into %y : memref<1x!fixed.q<8, 7>>
    %l = tdsl.argmax %y : memref<1x!fixed.q<8, 7>>
    func.return %l : index
  }}
  func.func @two(%X: index) -> index {{
    func.return %X : index
  }}
}}
"""


def checked(bound: int) -> str:
    """The text, after `check-sharing`, of a module whose only buffer has one byte and whose stated lower bound is
    `bound` bytes.
    """
    module = Parser(context(), ONE_BYTE.format(bound=bound, at=bound - 1)).parse_module()
    CheckSharingPass().apply(context(), module)
    return str(module)


def no_complaints(*_: object) -> tuple[str, ...]:
    return ()


def test_a_judge_refutes_what_the_validator_misses(monkeypatch: pytest.MonkeyPatch):
    """Without the validator, a judge refutes a lower bound of 2 bytes for a buffer of 1 byte, and confirms a bound of 1
    byte.
    """
    monkeypatch.setattr(check_sharing, "complaints", no_complaints)
    assert 'checked = ["exact-cover", "branch-and-bound"]' in checked(1)
    with pytest.raises(InputError, match="the lower bound of the shared arena is 2 bytes, exact-cover needs fewer"):
        checked(2)
