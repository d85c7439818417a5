"""The SeeDot frontend: its grammar, its meaning, its messages, and what hostile programs do to it."""

import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs.paths import ROOT
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.seedot.ast import Expression, Integer, Name, children
from tinyml.lowering.frontends.seedot.importer import function_name, import_seedot
from tinyml.lowering.frontends.seedot.syntax import NESTING_LIMIT, parse_seedot
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.tools.universe import TINYML

X = "let X = (3, 1) in [-1.0, 1.0] in\n"
"""The first line of most programs below: what follows stands in line 2."""


def spelled(node: Expression) -> str:
    """The tree with a parenthesis around every node that has parts."""
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
        ("loop(i = [0:3], h) -h * a", "(Loop h (* (Negate h) a))"),
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
    """lark settles a conflict silently; only its log tells."""
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
            "2:1: a tensor of shape (20000, 20000) is too large: more than 100000000 elements",
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
    """The complaint about a parameter W of shape (2, 2) whose file has this content."""
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
        (np.array([None]), "is not a readable .npy file"),
        (b"", "is not a readable .npy file"),
        (b"PK\x03\x04 and so on", "is not a readable .npy file"),
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


def run(text: str, inputs: Any, folder: Path = Path()) -> Any:
    """Import, check that the module survives printing and parsing, and compute its value: one row per input."""
    module = import_seedot(text, "f.sd", folder)
    module.verify()
    assert module.is_structurally_equivalent(reparsed(module))
    outputs = evaluate_reals(module, np.asarray(inputs, np.float64).reshape(1, -1))
    return outputs.labels[0] if outputs.scores is None and outputs.labels is not None else outputs.scores


def reparsed(module: ModuleOp) -> ModuleOp:
    context = Context()
    for name, dialect in {**get_all_dialects(), **TINYML.all_dialects}.items():
        context.register_dialect(name, dialect)
    return Parser(context, str(module)).parse_module()


ONE_TO_THREE = np.array([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2.0 * X - X <*> X", [[1.0, 0.0, -3.0]]),
        ("-X * (X^T * X)", [[-14.0, -28.0, -42.0]]),
        ("(X^T * X) * X", [[14.0, 28.0, 42.0]]),
        ("X * X^T", [[1, 2, 3, 2, 4, 6, 3, 6, 9]]),
        ("-2.0 * X + 1.0", [[-1.0, -3.0, -5.0]]),
        ("reshape(X, (3), (1, 2)) <+> reshape(X, (3), (1, 2))", [[2.0, 4.0, 6.0]]),
        ("X^T <-> init([3], 1.0)", [[0.0, 1.0, 2.0]]),
        ("reshape(X * X^T + (X - X + 1.0) * init([1, 3], 0.0), (9), (2, 1))", [[1, 2, 3, 2, 4, 6, 3, 6, 9]]),
        ("reshape(X * (X^T - 1.0), (9), (2, 1))", [[0, 0, 0, 1, 2, 3, 2, 4, 6]]),
        ("reverse(X, 0)", [[3.0, 2.0, 1.0]]),
        ("X[1:+2][0:+1]", [[2.0, 3.0]]),
        ("$(i = [1:3]) X[i] * 2.0", [[10.0]]),
        ("X[2] - 3.5 >= 0 ? X : X + X", [[2.0, 4.0, 6.0]]),
        ("$(i = [0:3]) (i >= 2 ? X : 2.0 * X)", [[5.0, 10.0, 15.0]]),
        ("$(i = [0:3]) X[i - 1 >= 0 ? i - 1 : 0]", [[4.0]]),
        ("relu6(X * 3.0 - 4.0)", [[0.0, 2.0, 5.0]]),
        ("let h = X + X in loop(i = [0:3], h) (let h = h + h in h)", [[16.0, 32.0, 48.0]]),
        ("let h = X + X in let r = loop(i = [0:3], h) (let h = h + X in h) in h + r", [[10.0, 20.0, 30.0]]),
        # The value of a loop is that of its last body, even where it is not the variable.
        ("let h = X + X in loop(i = [0:3], h) (let h = h + X in h[i])", [[15.0]]),
        ("let h = X + X in let r = loop(i = [0:3], h) X in h - r", [[1.0, 2.0, 3.0]]),
        ("let a = X + 0.0 in let b = a in let a[1:+1][0:+1] = 9.0 in a - b", [[0.0, 7.0, 0.0]]),
        (
            "let a = X + 0.0 in let s = $(i = [0:2]) (let a[i:+1][0:+1] = X[2:+1][0:+1] in a) in s - a",
            [[3.0, 2.0, 3.0]],
        ),
    ],
)
def test_values(text: str, value: Any):
    np.testing.assert_array_equal(run(X + text, ONE_TO_THREE), value)


def test_nested_loops_carry_what_they_change():
    text = """
        let X = (6, 1) in
        let XX = reshape(X, (2, 3), (1, 2)) in
        let all = init([2, 3], 0.0) in
        let count = init([1, 1], 0.0) in
        let last = init([1], 0.0) in
        let outer = loop(i = [0:2], count) (
            let inner = loop(j = [0:3], last) (
                let all[i:+1][2 - j:+1] = XX[i:+1][j:+1] + count in
                let count = count + 1.0 in
                let last = XX[i][j:+1] in
                last
            ) in
            let count = count + reshape(inner, (1, 1), (1)) in
            count
        ) in
        all + (outer + reshape(last, (1, 1), (1)))
    """
    x = np.arange(1.0, 7.0)
    everything, count, last = np.zeros((2, 3)), 0.0, 0.0
    for i in range(2):
        for j in range(3):
            everything[i, 2 - j] = x[3 * i + j] + count
            count += 1.0
            last = x[3 * i + j]
        count += last
    np.testing.assert_array_equal(run(text, x), (everything + count + last).reshape(1, -1))


def test_parameters_are_read_in_row_major_order_and_sparse_ones_keep_their_dense_use(tmp_path: Path):
    values = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    np.save(tmp_path / "W.npy", np.asfortranarray(values.reshape(3, 2)))
    np.save(tmp_path / "V.npy", values.astype(">f4"))
    text = X + "let W = (2, 3) in let V = (6) in [9.0, 1.0] in W |*| X - W * X + reshape(V, (3, 2), (1))[0:+2][1:+1]"
    np.testing.assert_array_equal(run(text, ONE_TO_THREE, tmp_path), [[0.0, 0.0]])
    module = str(import_seedot(text, "f.sd", tmp_path))
    assert module.count("-> tensor<2x3xf32, #tdsl.csr>") == 1
    assert module.count("-> tensor<2x3xf32>") == 1


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("argmax(X)", "(index, tensor<3x1xf32>)"),
        ("let l = sgn(X[0]) in l", "(index, tensor<1xf32>)"),
        ("argmax(X) + 1", "index"),
        ("2 * 3", "index"),
        ("X[0][0]", "tensor<f32>"),
    ],
)
def test_results(text: str, results: str):
    module = import_seedot(X + text, "f.sd")
    assert f"func.func @f(%X: tensor<3x1xf32> {{tdsl.range = #tdsl.range<-1.0, 1.0>}}) -> {results} {{" in str(module)


def test_values_carry_the_names_of_the_program():
    module = str(import_seedot(X + "let a' = X + X in let _ = a' + X in let b2 = _ + X in b2", "f.sd"))
    assert [line.split()[0] for line in module.splitlines() if "tdsl.add" in line] == ["%a_prime", "%0", "%b2"]


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


@pytest.mark.parametrize(
    "text",
    ["-" * 5000 + "X", "X[0" * 5000, "(let a = " * 300 + "X", "exp(" * 5000 + "X", "1 + let a = " * 5000 + "X"],
)
def test_deep_nesting_is_an_error(text: str):
    closed = text + (")" if "(" in text else "]") * text.count("(" if "(" in text else "[")
    for each in (text, closed):
        with pytest.raises(InputError):
            import_seedot(X + each, "f.sd")


def test_the_deepest_nesting_that_is_allowed():
    loops = "".join(f"loop(i{level} = [0:2], h) " for level in range(NESTING_LIMIT - 5))
    run(X + f"let h = X + X in {loops} let h = h[0:+3][0:+1] in h".replace("[0:2]", "[0:1]"), ONE_TO_THREE)
    signs = "-" * (NESTING_LIMIT - 1)
    np.testing.assert_array_equal(run(X + signs + "X", ONE_TO_THREE), -ONE_TO_THREE)


def test_long_programs_are_not_deep():
    lets = "".join(f"let x{i} = X in\n" for i in range(3000))
    np.testing.assert_array_equal(run(X + lets + "x7" + " + x8" * 3000, ONE_TO_THREE), 3001 * ONE_TO_THREE)
    nested = "((" * 3000 + "X" + "))" * 3000
    np.testing.assert_array_equal(run(X + nested, ONE_TO_THREE), ONE_TO_THREE)


LEAVES = ("X", "a", "b", "i", "0", "2", "0.5", "init([1, 3], 2.0)", "X[0]", "X[i]", "b[i:+2][0:+1]")
FORMS = (
    *(f"({{0}} {operator} {{1}})" for operator in ("+", "-", "*", "|*|", "<*>", "<+>", "<->")),
    *("-{0}", "{0}^T", "{0}[{1}]", "{0}[{1}:+1][i:+1]", "exp({0})", "argmax({0})", "sgn({0})", "reverse({0}, 0)"),
    *("reshape({0}, (3, 1), (2, 1))", "($(i = [0:3]) {0})", "(loop(i = [0:2], b) {0})", "({0} >= 1 ? {1} : {2})"),
    *("(let a = {0} in {1})", "(let b = {0} in {1})", "(let b[{0}:+1][0:+1] = {1} in {2})"),
)


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(str.format, st.sampled_from(FORMS), inner, inner, inner)


@given(st.recursive(st.sampled_from(LEAVES), compound, max_leaves=30))
def test_any_expression_is_a_program_or_an_input_error(text: str):
    with suppress(InputError):
        import_seedot(X + "let b = X + 0.0 in " + text, "f.sd").verify()


@given(st.text("Xab01.+-*|<>()[]{}:=,?^T$/\n' \x00é"))
def test_any_text_is_a_program_or_an_input_error(text: str):
    with suppress(InputError):
        import_seedot(X + text, "f.sd").verify()
