"""No test contains an assertion that always holds, or expects an arbitrary error."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

import pytest
from programs.paths import TESTS


def cannot_fail(node: ast.AST) -> Iterator[int]:
    """Yield the lines of assertions that hold for any tested code, and of `pytest.raises` that accepts every
    exception.
    """
    for inner in ast.walk(node):
        match inner:
            case ast.Assert(test=ast.Tuple() | ast.Constant() | ast.JoinedStr() | ast.List() | ast.Lambda()):
                yield inner.lineno
            case ast.Assert(test=ast.BoolOp(op=ast.Or(), values=values)):
                if any(isinstance(value, ast.Constant) and value.value for value in values):
                    yield inner.lineno
            case ast.Compare(left=left, comparators=comparators):
                sides = [ast.dump(side) for side in (left, *comparators)]
                if any(one == other for one, other in pairwise(sides)):
                    yield inner.lineno
            case ast.Call(func=ast.Attribute(attr="raises"), args=[ast.Name(id="Exception" | "BaseException"), *_]):
                yield inner.lineno
            case ast.Call(func=ast.Attribute(attr="approx"), args=[_, ast.Name() | ast.Call(), *_]):
                # A second number without a name is a relative tolerance.
                yield inner.lineno
            case _:
                pass


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("assert (a == b, 'so')\nassert 1", [1, 2]),
        ("assert a or True", [1]),
        ("assert a.b == a.b", [1]),
        ("assert a < b == b", [1]),
        ("with pytest.raises(Exception):\n    f()", [1]),
        ("assert a == pytest.approx(b, c)", [1]),
        ("assert a == b or c\nassert a == pytest.approx(b, rel=0.1)\nwith pytest.raises(ValueError):\n    f()", []),
    ],
)
def test_what_cannot_fail_is_found(source: str, lines: list[int]):
    assert sorted(cannot_fail(ast.parse(source))) == lines


@pytest.mark.long(seconds=10)
def test_every_assertion_can_fail():
    files = sorted(TESTS.rglob("*.py"))
    assert files
    found = [(path.name, line) for path in files for line in cannot_fail(ast.parse(path.read_text()))]
    assert found == []
