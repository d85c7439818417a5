"""The SeeDot frontend: the values of programs, and the limits that reject excessively large programs."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs.paths import MODELS
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.seedot.importer import import_seedot
from tinyml.lowering.frontends.seedot.syntax import LARGEST_PROGRAM, NESTING_LIMIT
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.tools.universe import TINYML

X = "let X = (3, 1) in [-1.0, 1.0] in\n"
"""The first line of the programs below."""


def run(text: str, inputs: Any, folder: Path = Path()) -> Any:
    """Import a program, check that its module can be printed and parsed, and return its results: one row per input."""
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
        ("exp(X - X) + X", [[2.0, 3.0, 4.0]]),
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


def test_fastgrnn_is_the_recurrence_of_shiftry():
    """A FastGRNN in SeeDot's language computes the recurrence of Shiftry's pseudocodes 18 and 19, with trained zeta and
    nu, in 16 steps of 16 pixels.
    """
    folder = MODELS["fastgrnn"].parent
    w, u, bg, bh, fc, bias = (np.load(folder / f"{name}.npy") for name in ("W", "U", "Bg", "Bh", "FC", "FCbias"))
    images = np.load(folder / "test.npz")["x"][:5]
    outputs = evaluate_reals(import_seedot(MODELS["fastgrnn"].read_text(), "fastgrnn.sd", folder), images)
    assert outputs.labels is not None
    assert outputs.scores is not None
    for image, label, scores in zip(images, outputs.labels, outputs.scores, strict=True):
        h = np.zeros((1, 32))
        for step in range(16):
            c = image.astype(np.float64).reshape(16, 1, 16)[step] @ w + h @ u
            g, candidate = 1 / (1 + np.exp(-(c + bg))), np.tanh(c + bh)
            h = g * h + (0.919807017 * (1 - g) + 0.056108400) * candidate
        np.testing.assert_allclose(scores.ravel(), (h @ fc + bias).ravel(), atol=1e-6)
        assert label == (h @ fc + bias).argmax()


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
    interface = "tdsl.interface = #tdsl.interface<input = <range = [-1.0, 1.0]>>"
    assert f"func.func @f(%X: tensor<3x1xf32>) -> {results} attributes {{{interface}}} {{" in str(module)


def test_values_carry_the_names_of_the_program():
    module = str(import_seedot(X + "let a' = X + X in let _ = a' + X in let b2 = _ + X in b2", "f.sd"))
    assert [line.split()[0] for line in module.splitlines() if "tdsl.add" in line] == ["%a_prime", "%0", "%b2"]


@pytest.mark.long
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


@pytest.mark.long
def test_long_programs_are_not_deep():
    lets = "".join(f"let x{i} = X in\n" for i in range(3000))
    np.testing.assert_array_equal(run(X + lets + "x7" + " + x8" * 3000, ONE_TO_THREE), 3001 * ONE_TO_THREE)
    nested = "((" * 3000 + "X" + "))" * 3000
    np.testing.assert_array_equal(run(X + nested, ONE_TO_THREE), ONE_TO_THREE)


@pytest.mark.long
def test_programs_have_a_largest_size():
    with pytest.raises(InputError, match=r"2:\d+: the program has more than 25000 operations"):
        import_seedot(X + "X" + "+X" * (LARGEST_PROGRAM + 1), "f.sd")


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
