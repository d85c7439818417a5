"""No name has two meanings in the comprehensions of one function.

CPython inlines comprehensions from 3.12 on. A name that one comprehension binds is then also local in the other
comprehensions of the function, where it may refer to something else. This affects globals such as `type` up to 3.12.3
(python/cpython, issue 118513), and variables of an enclosing function in later versions (issue 156664). Reading the
name then raises `UnboundLocalError`.
"""

from __future__ import annotations

from symtable import SymbolTable, symtable

import pytest

from layout.sources import MODULES

COMPREHENSIONS = ("listcomp", "setcomp", "dictcomp")


def reused_names(scope: SymbolTable) -> list[str]:
    """The names that one comprehension of a function binds and that another comprehension reads from outside the
    function.
    """
    children = scope.get_children()
    found = [name for child in children for name in reused_names(child)]
    if scope.get_type() != "function":
        return found
    inlined = [child for child in children if child.get_name() in COMPREHENSIONS]
    own = {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_local()}
    bound = {symbol.get_name() for child in inlined for symbol in child.get_symbols() if symbol.is_local()} - own
    read = {symbol.get_name() for child in inlined for symbol in child.get_symbols() if not symbol.is_local()}
    return found + [f"{scope.get_name()}, line {scope.get_lineno()}: {name}" for name in sorted(bound & read)]


@pytest.mark.parametrize(
    ("function", "reused"),
    [
        ("def f(): return [type for type in ()], [type(x) for x in ()]", ["f, line 1: type"]),
        ("def f(y): return [y for y in ()], [y for _ in ()]", []),
        ("def f(y):\n def g(): return [y for y in ()], [y for _ in ()]\n return g", ["g, line 2: y"]),
        ("def f(): return [x for x in ()], {x for x in ()}", []),
    ],
)
def test_names_are_found(function: str, reused: list[str]) -> None:
    assert reused_names(symtable(function, "f.py", "exec")) == reused


@pytest.mark.long(seconds=5)
def test_comprehensions_of_a_function_agree_on_names() -> None:
    assert {
        str(path): reused for path in MODULES if (reused := reused_names(symtable(path.read_text("utf-8"), "", "exec")))
    } == {}
