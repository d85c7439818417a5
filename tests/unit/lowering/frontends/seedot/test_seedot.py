"""The SeeDot frontend: its grammar and its messages."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.paths import ROOT

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.layers.model_builder import function_name
from tinyml.lowering.frontends.seedot.ast import Expression, Integer, Name, children
from tinyml.lowering.frontends.seedot.importer import import_seedot
from tinyml.lowering.frontends.seedot.syntax import parse_seedot

X = "let X = (3, 1) in [-1.0, 1.0] in\n"
"""The first line of most programs below: what follows stands in line 2."""


def spelled(node: Expression) -> str:
    """The syntax tree as text, with parentheses around every node that has children."""
    match node:
        case Name(name=name):
            return name
        case Integer(value=value):
            return str(value)
        case _:
            operator = getattr(node, "operator", type(node).__name__)
            return f"({operator} {' '.join(spelled(child) for child in children(node))})"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a - b - c", "(- (- a b) c)"),
        ("a + b * c", "(+ a (* b c))"),
        ("a <+> b * c |*| d", "(|*| (* (<+> a b) c) d)"),
        ("-a * b", "(* (Negate a) b)"),
        ("a * -b + c", "(+ (* a (Negate b)) c)"),
        ("-a^T[0]", "(Negate (Index (Transpose a) 0))"),
        ("a * b^T", "(* a (Transpose b))"),
        ("a-1", "(- a 1)"),
        ("a[0:+1][b:+2][c]", "(Index (Splice a 0 b) c)"),
        ("(a[0:+1])[b:+2]", "(Splice (Splice a 0) b)"),
        ("a[i][j:+2]", "(Splice (Index a i) j)"),
        ("$(i = [0:3]) a + b >= 0 ? c : d", "(Conditional (Sum (+ a b)) c d)"),
        ("a * $(i = [0:3]) b + c", "(* a (Sum (+ b c)))"),
        ("a + let x = b in x + c >= 0 ? d : e", "(+ a (Let b (Conditional (+ x c) d e)))"),
        ("a >= 0 ? b : c >= 1 ? d : e", "(Conditional (Conditional a b c) d e)"),
        ("a >= 0 ? b >= 1 ? c : d : let x = e in x", "(Conditional a (Conditional b c d) (Let e x))"),
        ("loop(i = [0:3], h) -h * a", "(LoopExpression h (* (Negate h) a))"),
        ("relu6(relu(a))", "(Call (Call a))"),
        ("maxpool(a, {k2 2}, {p 0 0 0 0}, {s2 2})", "(Maxpool a)"),
        ("conv2d(a, b, {s 1 1}, {p1 1 1 1}, {d 1 1}, {g1})", "(Conv2d a b)"),
        ("let inner = (2) in // [1, 2]\n inner", "(Let 2 inner)"),
        ("let v = (2) in // a range:\n [-.5, 1e-3] in v", "(Let (Declaration ) v)"),
        ("let a[i:+1][0:+2] = b in a", "(Let i 0 b a)"),
    ],
)
def test_precedence_and_forms(text: str, tree: str):
    assert spelled(parse_seedot(text)) == tree


def test_the_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture):
    """lark's log reports no conflict; lark itself resolves conflicts silently."""
    from lark import Lark, logger

    grammar = ROOT / "lowering" / "frontends" / "seedot" / "grammar.lark"
    with caplog.at_level(logging.DEBUG, logger.name):
        Lark(grammar.read_text(), parser="lalr", lexer="basic", debug=True)
    assert "conflict" not in caplog.text.lower()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "1:1: expected an expression, but the program ends"),
        ("let x = 1 in\n", "2:1: expected an expression, but the program ends"),
        ("let x = 1 x", "1:11: expected an operator or 'in', found 'x'"),
        ("let exp = 1 in 2", "1:5: expected a name, found 'exp'"),
        ("a +\n  # b", "2:3: unexpected character '#'"),
        ("init([1 2], 0.0)", "1:9: expected ',' or ']', found '2'"),
        ("init([1], x)", "1:11: expected a number, found 'x'"),
        ("a[0:+n]", "1:6: expected an integer, found 'n'"),
        ("(a, 2)", "1:2: a shape is made of integers, such as (16, 1)"),
        ("12345678901", "1:1: integers go up to 2147483647"),
    ],
)
def test_syntax_errors(text: str, complaint: str):
    with pytest.raises(InputError) as error:
        import_seedot(text, "f.sd")
    assert str(error.value) == f"f.sd:{complaint}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Y", "2:1: unknown name 'Y'"),
        ("foo(X, X)", "2:1: unknown function 'foo'"),
        ("let X = 1 in X", "2:5: 'X' is already defined in line 1"),
        ("let a = X in\nlet a = X in a", "3:5: 'a' is already defined in line 2"),
        ("$(i = [0:2]) $(i = [0:2]) X", "2:14: 'i' is already defined in line 2"),
        ("let n = 1 in $(i = [0:2]) X[n] + (let n = 2 in X[n])", "2:39: 'n' is already defined in line 2"),
        ("(let a = X in a) + a", "2:20: unknown name 'a'"),
        ("X * X", "2:3: inner dimensions differ: 3x1 times 3x1"),
        ("X + X^T", "2:3: '+' of different shapes (3, 1) and (1, 3); '<+>' and '<->' repeat a vector"),
        ("X <*> X^T", "2:3: '<*>' of different shapes (3, 1) and (1, 3)"),
        ("X <+> X", "2:3: '<+>' takes a vector as long as the last axis, got (3, 1) and (3, 1)"),
        ("1 - X", "2:3: '-' of an integer and a tensor (reals have a point, 2.0)"),
        ("exp(1)", "2:5: expected a tensor, got an integer (reals have a point, 2.0)"),
        ("X[0.5]", "2:3: expected an integer, got a tensor"),
        ("X |*| X", "2:3: the left operand of '|*|' must be a parameter, the only thing that is stored sparsely"),
        ("X[0]^T", "2:1: '^T' needs a matrix, got shape (1)"),
        ("X >= 0 ? 1 : 2", "2:3: expects a single element, got shape 3x1"),
        ("X[0] >= 0 ? X : X^T", "2:6: branches have shapes 3x1 and 1x3"),
        ("X[0] >= 0 ? X : 2", "2:6: one branch is an integer, the other a tensor (reals have a point, 2.0)"),
        ("reshape(X, (2, 2), (1, 2))", "2:1: cannot reshape 3x1 to 2x2: the number of elements differs"),
        ("reshape(X, (1, 3), (1, 3))", "2:1: the order (1, 3) does not name each of the 2 axes once"),
        ("X[3]", "2:1: index 3 does not fit in an axis of 3"),
        ("$(i = [0:3]) X[i - 1]", "2:14: index -1 to 1 does not fit in an axis of 3"),
        ("$(i = [0:2]) $(j = [0:3]) X[i + j]", "2:27: index 0 to 3 does not fit in an axis of 3"),
        ("$(i = [0:3]) X[i * 2]", "2:14: index 0 to 4 does not fit in an axis of 3"),
        ("$(i = [0:3]) $(j = [0:2]) X[(i - 1) * (j + 1)]", "2:27: index -2 to 2 does not fit in an axis of 3"),
        ("X[X[0] >= 0 ? 1 : 3]", "2:1: index 1 to 3 does not fit in an axis of 3"),
        ("X[1:+3][0:+1]", "2:1: a slice of 3 elements from 1 on does not fit in an axis of 3"),
        ("X[1:+2]", "2:1: 1 splices on a tensor with 2 axes, shape (3, 1)"),
        ("$(i = [2:2]) X", "2:1: the range [2:2] is empty"),
        ("loop(i = [0:2], X) X", "2:17: a loop cannot change 'X', only a tensor that the program computes"),
        ("let X[0:+1][0:+1] = 1.0 in X", "2:5: 'X' is declared as input or parameter and cannot be changed"),
        (
            "let h = X + X in loop(i = [0:2], h) let h = X^T in h",
            "2:41: 'h' has shape (3, 1) and cannot become (1, 3) in a loop",
        ),
        (
            "let h = X + X in 1 >= 0 ? (let h[0:+1][0:+1] = 1.0 in h) : X",
            "2:32: a branch of '? :' cannot change 'h': both branches are computed",
        ),
        ("X + (2, 1)", "2:5: a declaration stands right behind 'let NAME ='"),
        ("1e39", "2:1: 1e+39 is beyond the range of 32-bit floats"),
        ("65536 * 65536", "2:7: the integer can reach 4294967296: more than 32 bits"),
        (
            "init([20000, 20000], 0.0)",
            "2:1: a tensor of shape (20000, 20000) is too large: more than 50000000 elements",
        ),
        ("let W = (100000, 100000) in W", "2:9: a tensor of shape (100000, 100000) is too large"),
        ("let W = (0, 1) in W", "2:9: every axis has at least one element, got (0, 1)"),
    ],
)
def test_errors_of_meaning(text: str, complaint: str):
    with pytest.raises(InputError) as error:
        import_seedot(X + text, "f.sd")
    assert str(error.value).startswith(f"f.sd:{complaint}")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1", "f.sd: the program does not declare its input, let X = (..) in [.., ..] in"),
        ("let X = (1, 1) in [1.0, 0.5] in X", "f.sd:1:9: the range [1.0, 0.5] is empty"),
        ("(let X = (1, 1) in X) + let X = (1, 1) in X", "f.sd:1:33: the input X is declared twice"),
    ],
)
def test_the_input_is_declared_once(text: str, complaint: str):
    with pytest.raises(InputError) as error:
        import_seedot(text, "f.sd")
    assert str(error.value) == complaint


def load(folder: Path, content: Any) -> str:
    """The error message for a parameter W of shape (2, 2) whose file has this content. If the content is None, there is
    no file.
    """
    path = folder / "W.npy"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        np.save(path, content)
    with pytest.raises(InputError) as error:
        import_seedot(X + "let W = (2, 2) in W", "f.sd", folder)
    complaint = str(error.value)
    assert complaint.startswith("f.sd:2:9: parameter 'W'")
    assert str(path) in complaint
    return complaint


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "does not exist"),
        (np.ones((2, 3)), "is declared as (2, 2), but"),
        (np.ones((2, 2), np.int64), "holds int64, expected float32 or float64"),
        (np.array([1, 2, np.inf, 4]), "contains NaN or infinity"),
        (np.array([1, 2, np.nan, 4], np.float32), "contains NaN or infinity"),
        (np.full(4, 1e39), "exceeds the range of 32-bit floats"),
        (np.array([None]), "not a readable .npy file"),
        (b"", "not a readable .npy file"),
        (b"PK\x03\x04 and so on", "not a readable .npy file"),
    ],
)
def test_bad_parameters(tmp_path: Path, content: Any, complaint: str):
    assert complaint in load(tmp_path, content)


def test_a_file_that_promises_more_than_it_holds(tmp_path: Path):
    np.save(tmp_path / "whole.npy", np.ones(4))
    header = (tmp_path / "whole.npy").read_bytes()[:-32]
    assert "not a readable .npy file" in load(tmp_path, header + b"1234")
    assert "not a readable .npy file" in load(tmp_path, header.replace(b"(4,), }          ", b"(1000000000000,), }"))


def test_the_input_has_no_file(tmp_path: Path):
    np.save(tmp_path / "X.npy", np.ones(3))
    with pytest.raises(InputError, match=r"f\.sd:1:9: X is the program's input: there must not be a file"):
        import_seedot(X + "X", "f.sd", tmp_path)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a/model.sd", "model"),
        ("a/proto-nn.v2.sd", "proto_nn_v2"),
        ("a/2nd.sd", "m_2nd"),
        ("/models/bonsai-x/input.sd", "bonsai_x"),
        ("/models/bonsai-x/seedot/input.sd", "bonsai_x"),
        ("/input.sd", "input"),
        ("ä/é.sd", "_"),
    ],
)
def test_the_function_is_called_after_the_file(file: str, name: str):
    assert function_name(file) == name
