"""The evaluator on tensors, compared with numpy in double precision, with reals, floats and fixed point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.fixed.type import FIXED, FixedType
from tinyml.dialects.tdsl import TDSL
from tinyml.runtime.evaluator import evaluator
from tinyml.runtime.evaluator.evaluator import CHUNK, Outputs, encode_inputs, evaluate, evaluate_reals

Array: TypeAlias = "NDArray[Any]"

FIXED_TYPE = "!fixed.q<16, 10>"
PLACE = 2.0**-10
RANDOM = np.random.default_rng(0)
X = np.round(RANDOM.uniform(-2, 2, (7, 12)) / PLACE) * PLACE
W = np.round(RANDOM.uniform(-1, 1, (3, 4)) / PLACE) * PLACE


def parse(text: str) -> ModuleOp:
    context = Context()
    for dialect in (Builtin, func.Func, scf.Scf, arith.Arith, FIXED, TDSL):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def program(element: str, body: str, results: str, returned: str) -> ModuleOp:
    """A program on the input X of 12 elements.

    element: the element type, which replaces `E` in the other arguments.
    body: the text of ops, which may use the 3x4 constant %W.
    results, returned: the types and the names of the returned values.
    """
    values = ", ".join("[" + ", ".join(map(repr, row)) + "]" for row in W.tolist())
    storage = "f32"
    if element != "f32":
        storage, scaled = "i16", np.ldexp(W, 10).astype(int).tolist()
        values = ", ".join(map(str, scaled))
    text = f"""
    func.func @f(%X: tensor<12xE>) -> ({results}) {{
      %W = tdsl.const dense<[{values}]> : tensor<3x4x{storage}> -> tensor<3x4xE>
      %M = tdsl.reshape %X : tensor<12xE> -> tensor<3x4xE>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %x0 = tdsl.index %X[%c0] : tensor<12xE> -> tensor<E>
      %x1 = tdsl.index %X[%c1] : tensor<12xE> -> tensor<E>
      %row = tdsl.index %M[%c1] : tensor<3x4xE> -> tensor<4xE>
      %column = tdsl.slice %X[%c2] : tensor<12xE> -> tensor<4xE>
      %v = tdsl.reshape %column : tensor<4xE> -> tensor<4x1xE>
      {body}
      func.return {returned} : {results}
    }}"""
    return parse(text.replace("xE>", f"x{element}>").replace("<E>", f"<{element}>"))


def m(x: Array) -> Array:
    return x.reshape(-1, 3, 4)


def per_sample(x: Array) -> Array:
    """For each sample, the index 1 if its second element is greater than zero, otherwise 0."""
    return (x[:, 1] > 0).astype(int)


T34, T4 = "tensor<3x4xE>", "tensor<4xE>"
INDEX = "%k = tdsl.sign %x1 : tensor<E>\n"

# Name: body that defines %y, type of %y, and what it is in numpy.
OPS: dict[str, tuple[str, str, Callable[[Array], Array]]] = {
    "const": ("%y = tdsl.neg %W : tensor<3x4xE> -> tensor<3x4xE>", T34, lambda x: -W[None]),
    "fill": ("%y = tdsl.fill {value = 0.75 : f64} -> tensor<4xE>", T4, lambda x: np.full((1, 4), 0.75)),
    "add": (f"%y = tdsl.add %M, %row : {T34}, {T4} -> {T34}", T34, lambda x: m(x) + m(x)[:, 1:2]),
    "sub": (f"%y = tdsl.sub %x0, %M : tensor<E>, {T34} -> {T34}", T34, lambda x: x[:, :1, None] - m(x)),
    "mul": (f"%y = tdsl.mul %M, %W : {T34}, {T34} -> {T34}", T34, lambda x: m(x) * W),
    "neg": (f"%y = tdsl.neg %M : {T34} -> {T34}", T34, lambda x: -m(x)),
    "exp": (f"%y = tdsl.exp %M : {T34} -> {T34}", T34, lambda x: np.exp(m(x))),
    "tanh": (f"%y = tdsl.tanh %M : {T34} -> {T34}", T34, lambda x: np.tanh(m(x))),
    "sigmoid": (f"%y = tdsl.sigmoid %M : {T34} -> {T34}", T34, lambda x: 1 / (1 + np.exp(-m(x)))),
    "relu": (f"%y = tdsl.relu %M : {T34} -> {T34}", T34, lambda x: np.maximum(m(x), 0)),
    "relu6": (
        f"%s = tdsl.add %M, %x0 : {T34}, tensor<E> -> {T34}\n%t = tdsl.exp %s : {T34} -> {T34}\n"
        f"%y = tdsl.relu6 %t : {T34} -> {T34}",
        T34,
        lambda x: np.minimum(np.exp(m(x) + x[:, :1, None]), 6),
    ),
    "cast": (
        f"%s = tdsl.cast %M : {T34} -> tensor<3x4xf32>\n%y = tdsl.cast %s : tensor<3x4xf32> -> {T34}",
        T34,
        lambda x: m(x),
    ),
    "select": (
        f"%c = tdsl.at_least %x0 {{threshold = 0.5 : f64}} : tensor<E>\n"
        f"%y = tdsl.select %c, %M, %W : {T34}, {T34} -> {T34}",
        T34,
        lambda x: np.where(x[:, :1, None] >= 0.5, m(x), W),
    ),
    "matmul": (
        f"%y = tdsl.matmul %W, %v : {T34}, tensor<4x1xE> -> tensor<3x1xE>",
        "tensor<3x1xE>",
        lambda x: W @ x[:, 2:6, None],
    ),
    "sum of products": (
        f"%b = tdsl.slice %W[%c0, %c1] : {T34} -> tensor<3x1xE>\n"
        f"%y = tdsl.matmul_sum %W, %v, %M, %v from %b : tensor<3x1xE> : {T34}, tensor<4x1xE>, {T34}, tensor<4x1xE>"
        " -> tensor<3x1xE>",
        "tensor<3x1xE>",
        lambda x: W[:, 1:2] + (W + m(x)) @ x[:, 2:6, None],
    ),
    "matmul of two inputs": (
        f"%t = tdsl.transpose %M {{permutation = array<i64: 1, 0>}} : {T34} -> tensor<4x3xE>\n"
        f"%y = tdsl.matmul %M, %t : {T34}, tensor<4x3xE> -> tensor<3x3xE>",
        "tensor<3x3xE>",
        lambda x: m(x) @ m(x).transpose(0, 2, 1),
    ),
    "vector times constant": (
        f"%t = tdsl.transpose %W {{permutation = array<i64: 1, 0>}} : {T34} -> tensor<4x3xE>\n"
        f"%h = tdsl.reshape %v : tensor<4x1xE> -> tensor<1x4xE>\n"
        "%y = tdsl.matmul %h, %t : tensor<1x4xE>, tensor<4x3xE> -> tensor<1x3xE>",
        "tensor<1x3xE>",
        lambda x: x[:, None, 2:6] @ W.T,
    ),
    "transpose": (
        f"%y = tdsl.transpose %M {{permutation = array<i64: 1, 0>}} : {T34} -> tensor<4x3xE>",
        "tensor<4x3xE>",
        lambda x: m(x).transpose(0, 2, 1),
    ),
    "reverse": (f"%y = tdsl.reverse %M {{axis = 1 : i64}} : {T34} -> {T34}", T34, lambda x: m(x)[:, :, ::-1]),
    "slice": (
        f"%y = tdsl.slice %M[%c1, %c2] : {T34} -> tensor<2x2xE>",
        "tensor<2x2xE>",
        lambda x: m(x)[:, 1:3, 2:4],
    ),
    "index per sample": (
        f"{INDEX}%y = tdsl.index %M[%k] : {T34} -> {T4}",
        T4,
        lambda x: m(x)[np.arange(len(x)), per_sample(x)],
    ),
    "index of a constant per sample": (
        f"{INDEX}%y = tdsl.index %W[%k] : {T34} -> {T4}",
        T4,
        lambda x: W[per_sample(x)],
    ),
    "slice per sample": (
        f"{INDEX}%y = tdsl.slice %M[%k, %c1] : {T34} -> tensor<2x2xE>",
        "tensor<2x2xE>",
        lambda x: np.stack([m(x)[i, k : k + 2, 1:3] for i, k in enumerate(per_sample(x))]),
    ),
    "slice of a constant per sample": (
        f"{INDEX}%y = tdsl.slice %W[%k, %k] : {T34} -> tensor<2x2xE>",
        "tensor<2x2xE>",
        lambda x: np.stack([W[k : k + 2, k : k + 2] for k in per_sample(x)]),
    ),
    "insert": (
        f"%p = tdsl.slice %M[%c0, %c0] : {T34} -> tensor<1x2xE>\n"
        f"%y = tdsl.insert_slice %p, %W[%c2, %c1] : tensor<1x2xE>, {T34} -> {T34}",
        T34,
        lambda x: inserted(np.broadcast_to(W, (len(x), 3, 4)), m(x)[:, :1, :2], np.full(len(x), 2)),
    ),
    "insert per sample": (
        f"{INDEX}%p = tdsl.slice %W[%c0, %c0] : {T34} -> tensor<1x2xE>\n"
        f"%y = tdsl.insert_slice %p, %M[%k, %c1] : tensor<1x2xE>, {T34} -> {T34}",
        T34,
        lambda x: inserted(m(x), np.broadcast_to(W[:1, :2], (len(x), 1, 2)), per_sample(x)),
    ),
    "computed offsets": (
        f"{INDEX}%d = arith.muli %k, %c2 : index\n%o = arith.subi %c2, %d : index\n%q = arith.addi %o, %c1 : index\n"
        "%less = arith.cmpi slt, %q, %c2 : index\n%r = arith.select %less, %c0, %q : index\n"
        "%y = tdsl.slice %X[%r] : tensor<12xE> -> tensor<4xE>",
        T4,
        lambda x: np.stack([x[i, 0 if k else 3 :][:4] for i, k in enumerate(per_sample(x))]),
    ),
    "loop": (
        f"%y = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %row) -> ({T4}) {{\n"
        f"%r = tdsl.index %M[%i] : {T34} -> {T4}\n%n = tdsl.add %sum, %r : {T4}, {T4} -> {T4}\n"
        f"scf.yield %n : {T4}\n}}",
        T4,
        lambda x: m(x)[:, 1] + m(x).sum(1),
    ),
    "loop that never runs": (
        f"%y = scf.for %i = %c3 to %c1 step %c1 iter_args(%sum = %row) -> ({T4}) {{\nscf.yield %sum : {T4}\n}}",
        T4,
        lambda x: m(x)[:, 1],
    ),
    "loop that starts with a constant": (
        f"%zero = tdsl.fill {{value = 0.0 : f64}} -> {T4}\n"
        f"%y = scf.for %i = %c0 to %c3 step %c2 iter_args(%sum = %zero) -> ({T4}) {{\n"
        f"%r = tdsl.index %M[%i] : {T34} -> {T4}\n%n = tdsl.add %sum, %r : {T4}, {T4} -> {T4}\n"
        f"scf.yield %n : {T4}\n}}",
        T4,
        lambda x: m(x)[:, 0] + m(x)[:, 2],
    ),
}


def inserted(whole: Array, part: Array, rows: Array) -> Array:
    whole = whole.copy()
    for i, row in enumerate(rows):
        whole[i, row, 1:3] = part[i, 0]
    return whole


@pytest.mark.long
@pytest.mark.parametrize("name", OPS)
def test_ops(name: str):
    body, type, expect = OPS[name]
    expected = np.broadcast_to(expect(X), (len(X), *expect(X).shape[1:])).reshape(len(X), -1)

    real = evaluate_reals(program("f32", body, type, "%y"), X.astype(np.float32)).scores
    assert real is not None
    np.testing.assert_allclose(real, expected, rtol=1e-6 if name in ("const", "mul", "cast") else 1e-12)

    single = evaluate(program("f32", body, type, "%y"), X.astype(np.float32)).scores
    assert single is not None
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, rtol=1e-5, atol=1e-6)

    module = program(FIXED_TYPE, body, type, "%y")
    raws = evaluate(module, encode_inputs(module, X)).scores
    assert raws is not None
    assert raws.dtype == np.int16
    # Two places for each op that rounds, and the tables of exp.
    np.testing.assert_allclose(FixedType(16, 10).decode(raws), expected, rtol=3e-3, atol=3 * PLACE)


def test_sparse_product():
    module = parse("""
    func.func @f(%X: tensor<3x1xf32>) -> tensor<2x1xf32> {
      %W = tdsl.const dense<[[0.0, 2.0, 0.0], [-1.0, 0.0, 0.5]]> : tensor<2x3xf32> -> tensor<2x3xf32, #tdsl.csr>
      %y = tdsl.spmv %W, %X : tensor<2x3xf32, #tdsl.csr>, tensor<3x1xf32> -> tensor<2x1xf32>
      func.return %y : tensor<2x1xf32>
    }""")
    scores = evaluate(module, np.array([[1, 2, 3], [4, 5, 6]], np.float32)).scores
    np.testing.assert_array_equal(scores, [[4.0, 0.5], [10.0, -1.0]])


def check_labels(outputs: Outputs, expected: Array):
    assert outputs.labels is not None
    assert outputs.labels.dtype == np.int64
    np.testing.assert_array_equal(outputs.labels, expected)
    np.testing.assert_array_equal(outputs.classes, expected)


@pytest.mark.parametrize("element", ["f32", FIXED_TYPE])
def test_labels_and_scores(element: str):
    module = program(element, "%l = tdsl.argmax %row : tensor<4xE>", "index, tensor<4xE>", "%l, %row")
    inputs = encode_inputs(module, X)
    outputs = evaluate(module, inputs)
    check_labels(outputs, X[:, 4:8].argmax(1))
    np.testing.assert_array_equal(outputs.scores, inputs[:, 4:8])


def test_the_first_of_equal_scores_wins():
    module = program("f32", "%l = tdsl.argmax %M : tensor<3x4xE>", "index", "%l")
    inputs = np.zeros((2, 12), np.float32)
    inputs[1, [5, 9]] = 1
    outputs = evaluate(module, inputs)
    check_labels(outputs, np.array([0, 5]))
    assert outputs.scores is None


@pytest.mark.parametrize("element", ["f32", FIXED_TYPE])
def test_the_sign_of_zero_is_class_0(element: str):
    module = program(element, "%l = tdsl.sign %x0 : tensor<E>", "index", "%l")
    inputs = np.zeros((3, 12))
    inputs[:, 0] = -PLACE, 0, PLACE
    check_labels(evaluate(module, encode_inputs(module, inputs)), np.array([0, 0, 1]))


def test_scores_without_a_label_give_the_class():
    module = program("f32", "%y = tdsl.neg %row : tensor<4xE> -> tensor<4xE>", "tensor<4xE>", "%y")
    outputs = evaluate(module, X.astype(np.float32))
    assert outputs.labels is None
    np.testing.assert_array_equal(outputs.classes, X[:, 4:8].argmin(1))


def test_a_label_that_does_not_depend_on_the_input():
    module = program("f32", "%l = tdsl.argmax %W : tensor<3x4xE>", "index", "%l")
    check_labels(evaluate(module, X.astype(np.float32)), np.full(len(X), W.argmax()))


def test_many_samples_in_chunks():
    """For 2 * CHUNK + 5 samples, all outputs are right, and the observer receives the values of two full chunks and of
    the remaining 5 samples.
    """
    module = program("f32", "%l = tdsl.argmax %M : tensor<3x4xE>", "index, tensor<3x4xE>", "%l, %M")
    inputs = RANDOM.normal(size=(2 * CHUNK + 5, 12)).astype(np.float32)
    seen: list[int] = []
    argument = module.body.block.first_op
    assert isinstance(argument, func.FuncOp)

    def observe(value: object, array: Array) -> None:
        if value is argument.body.block.args[0]:
            seen.append(len(array))

    outputs = evaluate(module, inputs, observe=observe)
    assert seen == [CHUNK, CHUNK, 5]
    check_labels(outputs, inputs.argmax(1))
    np.testing.assert_array_equal(outputs.scores, inputs)


@pytest.mark.parametrize("element", ["f32", FIXED_TYPE])
@pytest.mark.parametrize("op", ["matmul", "tanh", "loop"])
def test_raws_of_small_samples_are_computed_in_large_blocks(op: str, element: str, monkeypatch: pytest.MonkeyPatch):
    body, type, _ = OPS[op]
    module = program(element, body, type, "%y")
    inputs = encode_inputs(module, RANDOM.uniform(-2, 2, size=(3 * CHUNK + 5, 12)))
    blocks: list[int] = []
    outputs_of = Outputs.of

    def of(returned: Any, results: Any, samples: int) -> Outputs:
        blocks.append(samples)
        return outputs_of(returned, results, samples)

    monkeypatch.setattr(Outputs, "of", of)
    whole = evaluate(module, inputs).scores
    assert blocks == [len(inputs)]
    monkeypatch.setattr(evaluator, "LIVE_BYTES", 0)
    np.testing.assert_array_equal(evaluate(module, inputs).scores, whole)
    assert blocks[1:] == [CHUNK, CHUNK, CHUNK, 5]


def test_every_iteration_is_observed():
    body, type, _ = OPS["loop"]
    module = program("f32", body, type, "%y")
    sums: list[Array] = []

    def observe(value: Any, array: Array) -> None:
        if value.name_hint == "n":
            sums.append(array)

    evaluate_reals(module, X, observe)
    assert len(sums) == 3
    np.testing.assert_allclose(sums[0], m(X)[:, 1] + m(X)[:, 0])


@pytest.mark.parametrize("shape", [(7, 11), (7, 13), (12,), (7, 3, 4)])
def test_wrong_shape_of_inputs(shape: tuple[int, ...]):
    module = program("f32", "", "tensor<12xE>", "%X")
    with pytest.raises(InputError, match=r"data have shape \(.*\), the program expects 12 values per sample"):
        evaluate(module, np.zeros(shape, np.float32))


def test_a_module_with_several_functions():
    module = parse("func.func @f(%x: tensor<1xf32>) { func.return }\nfunc.func @g(%x: tensor<1xf32>) { func.return }")
    with pytest.raises(InputError, match="expected one function with one input in the module"):
        evaluate(module, np.zeros((1, 1), np.float32))


def test_an_index_that_does_not_depend_on_the_input():
    body = """%w = tdsl.slice %W[%c0, %c0] : tensor<3x4xE> -> tensor<1x3xE>
      %k = tdsl.argmax %w : tensor<1x3xE>
      %y = tdsl.index %M[%k] : tensor<3x4xE> -> tensor<4xE>"""
    scores = evaluate_reals(program("f32", body, "tensor<4xE>", "%y"), X).scores
    np.testing.assert_array_equal(scores, m(X)[:, W[0, :3].argmax()])


@pytest.mark.parametrize(
    "body",
    [
        """%w = tdsl.const dense<0> : tensor<3x4xi16> -> tensor<3x4xE>
        %y = tdsl.matmul %w, %v {bound = array<i64: 0, 0>} : tensor<3x4xE>, tensor<4x1xE> -> tensor<3x1xE>""",
        """%fine = tdsl.cast %v : tensor<4x1xE> -> tensor<4x1x!fixed.q<8, 40>>
        %s = tdsl.slice %fine[%c0, %c0] : tensor<4x1x!fixed.q<8, 40>> -> tensor<3x1x!fixed.q<8, 40>>
        %t = tdsl.cast %s : tensor<3x1x!fixed.q<8, 40>> -> tensor<3x1xE>
        %y = tdsl.add %t, %t : tensor<3x1xE>, tensor<3x1xE> -> tensor<3x1xE>""",
    ],
    ids=["product with zeros", "cast to a scale far away"],
)
def test_results_that_are_proven_to_be_constant(body: str):
    module = program(FIXED_TYPE, body, "tensor<3x1xE>", "%y")
    np.testing.assert_array_equal(evaluate(module, encode_inputs(module, X)).scores, np.zeros((len(X), 3)))


def test_max_pool():
    body = """%image = tdsl.reshape %row : tensor<4xE> -> tensor<1x2x2x1xE>
        %y = tdsl.max_pool %image
            {kernel = array<i64: 2, 2>, padding = array<i64: 1, 0, 0, 1>, strides = array<i64: 1, 2>}
            : tensor<1x2x2x1xE> -> tensor<1x2x1x1xE>"""
    module = program("f32", body, "tensor<1x2x1x1xE>", "%y")
    row = X.astype(np.float32)[:, 4:8]
    expected = np.stack([row[:, :2].max(1), row.max(1)], 1)
    np.testing.assert_array_equal(evaluate(module, X.astype(np.float32)).scores, expected)
    np.testing.assert_array_equal(evaluate_reals(module, X.astype(np.float32)).scores, expected)


def test_sums_start_from_zeros_of_a_coarse_format():
    """A sum may start from zeros in a format so coarse that none of its other numbers fits the accumulator."""
    text = """
    func.func @p(%x: tensor<2x1x!fixed.q<8, 7>>) -> tensor<3x1x!fixed.q<8, 3>> {
      %b = tdsl.const dense<0> : tensor<3x1xi8> -> tensor<3x1x!fixed.q<2, -23>>
      %w = tdsl.const dense<64> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 7>>
      %y = tdsl.matmul_sum %w, %x from %b : tensor<3x1x!fixed.q<2, -23>> {acc = !fixed.acc<32, 14>} :
        tensor<3x2x!fixed.q<8, 7>>, tensor<2x1x!fixed.q<8, 7>> -> tensor<3x1x!fixed.q<8, 3>>
      func.return %y : tensor<3x1x!fixed.q<8, 3>>
    }"""
    scores = evaluate(parse(text), np.array([[127, 127], [64, 0]], np.int8)).scores
    np.testing.assert_array_equal(scores, [[8, 8, 8], [2, 2, 2]])
