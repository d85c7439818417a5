"""The judges of a shared arena, without the validator."""

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
    """The module whose one buffer ends at byte `bound`, after `check-sharing`."""
    module = Parser(context(), ONE_BYTE.format(bound=bound, at=bound - 1)).parse_module()
    CheckSharingPass().apply(context(), module)
    return str(module)


def no_complaints(*_: object) -> tuple[str, ...]:
    return ()


def test_a_judge_refutes_what_the_validator_misses(monkeypatch: pytest.MonkeyPatch):
    """The limit on the validator's search may hide a lower packing."""
    monkeypatch.setattr(check_sharing, "complaints", no_complaints)
    assert 'checked = ["exact-cover", "branch-and-bound"]' in checked(1)
    with pytest.raises(InputError, match="the lower bound of the shared arena is 2 bytes, exact-cover needs fewer"):
        checked(2)
