"""Small modules in which ops occur in unusual forms that no exporter writes, compared with numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.mlir.importer import read_tensors
from tinyml.runtime.evaluator.evaluator import evaluate_reals


def text_of(arguments: dict[str, str], body: str, returned: str, type: str) -> str:
    """The text of a module with the function `main`.

    arguments: the types of the arguments by name.
    body: the text of its ops.
    returned, type: the name and the type of the returned value.
    """
    types = ", ".join(arguments.values())
    block = ", ".join(f"%{name}: {each}" for name, each in arguments.items())
    return f""""builtin.module"() ({{
  "func.func"() <{{function_type = ({types}) -> {type}, sym_name = "main"}}> ({{
  ^bb0({block}):
{body}
    "func.return"(%{returned}) : ({type}) -> ()
  }}) : () -> ()
}}) : () -> ()"""


def computed(arguments: dict[str, str], body: str, returned: str, type: str, *rows: np.ndarray) -> np.ndarray:
    """The result of the imported function `main` of `text_of` for the input `rows`, flattened."""
    row = np.concatenate([each.ravel() for each in rows])[None]
    outputs = evaluate_reals(read_tensors(text_of(arguments, body, returned, type), "m.mlir"), row)
    found = outputs.labels if outputs.scores is None else outputs.scores
    assert found is not None
    return found.ravel()


def reducer(kind: str) -> str:
    return f"""({{
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = "stablehlo.{kind}"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }})"""


def test_a_maximum_along_another_axis_stays_in_a_softmax():
    body = f"""%l = "stablehlo.constant"() <{{value = dense<0xFF800000> : tensor<f32>}}> : () -> tensor<f32>
    %z = "stablehlo.constant"() <{{value = dense<0.0> : tensor<f32>}}> : () -> tensor<f32>
    %m = "stablehlo.reduce"(%x, %l) <{{dimensions = array<i64: 0>}}> {reducer("maximum")}
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    %mb = "stablehlo.broadcast_in_dim"(%m) <{{broadcast_dimensions = array<i64: 1>}}>
      : (tensor<3xf32>) -> tensor<2x3xf32>
    %d = "stablehlo.subtract"(%x, %mb) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %e = "stablehlo.exponential"(%d) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %t = "stablehlo.reduce"(%e, %z) <{{dimensions = array<i64: 1>}}> {reducer("add")}
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %tb = "stablehlo.broadcast_in_dim"(%t) <{{broadcast_dimensions = array<i64: 0>}}>
      : (tensor<2xf32>) -> tensor<2x3xf32>
    %r = "stablehlo.divide"(%e, %tb) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>"""
    x = np.random.default_rng(0).normal(size=(2, 3))
    powers = np.exp(x - x.max(0))
    found = computed({"x": "tensor<2x3xf32>"}, body, "r", "tensor<2x3xf32>", x)
    np.testing.assert_allclose(found, (powers / powers.sum(1, keepdims=True)).ravel(), atol=1e-5)


def test_what_softmax_subtracts_from_whole_rows_is_dropped():
    """In the import of a softmax as JAX writes it, the maximum of each row, which JAX also limits from below, is not
    computed and subtracted.
    """
    body = f"""%l = "stablehlo.constant"() <{{value = dense<0xFF800000> : tensor<f32>}}> : () -> tensor<f32>
    %z = "stablehlo.constant"() <{{value = dense<0.0> : tensor<f32>}}> : () -> tensor<f32>
    %m = "stablehlo.reduce"(%x, %l) <{{dimensions = array<i64: 1>}}> {reducer("maximum")}
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %lb = "stablehlo.broadcast_in_dim"(%l) <{{broadcast_dimensions = array<i64>}}> : (tensor<f32>) -> tensor<2xf32>
    %n = "stablehlo.maximum"(%lb, %m) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %nb = "stablehlo.broadcast_in_dim"(%n) <{{broadcast_dimensions = array<i64: 0>}}>
      : (tensor<2xf32>) -> tensor<2x3xf32>
    %d = "stablehlo.subtract"(%x, %nb) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %e = "stablehlo.exponential"(%d) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %t = "stablehlo.reduce"(%e, %z) <{{dimensions = array<i64: 1>}}> {reducer("add")}
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %tb = "stablehlo.broadcast_in_dim"(%t) <{{broadcast_dimensions = array<i64: 0>}}>
      : (tensor<2xf32>) -> tensor<2x3xf32>
    %r = "stablehlo.divide"(%e, %tb) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>"""
    inputs, result = {"x": "tensor<2x3xf32>"}, "tensor<2x3xf32>"
    x = np.random.default_rng(0).normal(size=(2, 3))
    powers = np.exp(x)
    found = computed(inputs, body, "r", result, x)
    np.testing.assert_allclose(found, (powers / powers.sum(1, keepdims=True)).ravel(), atol=1e-5)
    names = {op.name for op in read_tensors(text_of(inputs, body, "r", result), "m.mlir").walk()}
    assert "tdsl.softmax" in names
    assert not names & {"tdsl.sub", "tdsl.max_pool", "tdsl.maximum"}


@pytest.mark.parametrize("op", ["maximum", "minimum"])
def test_an_extreme_of_two_tensors_absorbs_nothing(op: str):
    """Maxima and minima are exact for operands such as -1e9 and 0.5. Differences in single precision would lose the
    small number.
    """
    body = f"""%r = "stablehlo.{op}"(%a, %b) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>"""
    a, b = np.array([-1e9, -2e4, -3e38, 0.25]), np.array([0.5, 1e-3, 3e38, 0.125])
    arguments = {"a": "tensor<1x4xf32>", "b": "tensor<1x4xf32>"}
    found = computed(arguments, body, "r", "tensor<1x4xf32>", a, b)
    np.testing.assert_array_equal(found, getattr(np, op)(a, b))


def test_a_pool_has_the_axes_of_its_result():
    body = """%z = "arith.constant"() <{value = dense<0.0> : tensor<3x4xf32>}> : () -> tensor<3x4xf32>
    %w = "tensor.empty"() : () -> tensor<2xf32>
    %r = "linalg.generic"(%x, %w, %z) <{
      indexing_maps = [
        affine_map<(d0, d1, d2) -> (d0 + d2, d1)>,
        affine_map<(d0, d1, d2) -> (d2)>,
        affine_map<(d0, d1, d2) -> (d1, d0)>],
      iterator_types = [
        #linalg.iterator_type<parallel>,
        #linalg.iterator_type<parallel>,
        #linalg.iterator_type<reduction>],
      operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = "arith.addf"(%c, %a) : (f32, f32) -> f32
      "linalg.yield"(%m) : (f32) -> ()
    }) : (tensor<5x3xf32>, tensor<2xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>"""
    x = np.arange(15.0).reshape(5, 3)
    found = computed({"x": "tensor<5x3xf32>"}, body, "r", "tensor<3x4xf32>", x)
    np.testing.assert_allclose(found, (x[:4] + x[1:]).T.ravel())


def known(values: str, type: str, *ops: str) -> str:
    """The lines of a `linalg.generic` that adds the float %u to each element. The last of `ops` computes %u from the
    constant %k.

    values, type: the value and the type of %k.
    """
    lines = "\n".join(f"      {op}" for op in ops)
    return f"""    %k = "arith.constant"() <{{value = {values} : {type}}}> : () -> {type}
    %e = "tensor.empty"() : () -> tensor<3xf32>
    %r = "linalg.generic"(%x, %e) <{{
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}}> ({{
    ^bb0(%a: f32, %b: f32):
{lines}
      %m = "arith.addf"(%a, %u) : (f32, f32) -> f32
      "linalg.yield"(%m) : (f32) -> ()
    }}) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>"""


KNOWN = {
    "extsi": (known("1", "i1", '%i = "arith.extsi"(%k) : (i1) -> i32', '%u = "arith.sitofp"(%i) : (i32) -> f32'), -1),
    "trunci": (known("2", "i32", '%i = "arith.trunci"(%k) : (i32) -> i1', '%u = "arith.uitofp"(%i) : (i1) -> f32'), 0),
    "extui": (
        known("-1", "i32", '%i = "arith.extui"(%k) : (i32) -> i64', '%u = "arith.sitofp"(%i) : (i64) -> f32'),
        2**32,
    ),
    "uitofp": (known("-1", "i32", '%u = "arith.uitofp"(%k) : (i32) -> f32'), 2**32),
    "cmpi": (
        known(
            "-1",
            "i32",
            '%o = "arith.constant"() <{value = 1 : i32}> : () -> i32',
            '%c = "arith.cmpi"(%k, %o) <{predicate = 6 : i64}> : (i32, i32) -> i1',
            '%u = "arith.uitofp"(%c) : (i1) -> f32',
        ),
        0,
    ),
}


@pytest.mark.parametrize("op", KNOWN)
def test_known_integers_are_of_their_signs_and_widths(op: str):
    body, added = KNOWN[op]
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(computed({"x": "tensor<3xf32>"}, body, "r", "tensor<3xf32>", x), x + added)


def test_tosa_casts_to_the_nearest_even_integer():
    body = """    %c = "tosa.const"() <{values = dense<[1.7, -1.7, 2.5]> : tensor<3xf32>}> : () -> tensor<3xf32>
    %i = "tosa.cast"(%c) : (tensor<3xf32>) -> tensor<3xi32>
    %f = "tosa.cast"(%i) : (tensor<3xi32>) -> tensor<3xf32>
    %r = "tosa.add"(%x, %f) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>"""
    found = computed({"x": "tensor<3xf32>"}, body, "r", "tensor<3xf32>", np.zeros(3))
    np.testing.assert_array_equal(found, [2, -2, 2])


def test_arguments_whose_names_differ_by_a_number():
    body = '    %r = "stablehlo.subtract"(%x_1, %x_2) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>'
    arguments = {"x_1": "tensor<3xf32>", "x_2": "tensor<3xf32>"}
    found = computed(arguments, body, "r", "tensor<3xf32>", np.array([1, 2, 3]), np.array([10, 20, 30]))
    np.testing.assert_array_equal(found, [-9, -18, -27])


def test_a_loop_reads_rows_of_an_argument_with_the_name_of_a_state():
    types = "tensor<i32>, tensor<2xf32>"
    body = f"""    %i0 = "stablehlo.constant"() <{{value = dense<0> : tensor<i32>}}> : () -> tensor<i32>
    %h0 = "stablehlo.constant"() <{{value = dense<0.0> : tensor<2xf32>}}> : () -> tensor<2xf32>
    %r:2 = "stablehlo.while"(%i0, %h0) ({{
    ^bb0(%i: tensor<i32>, %h: tensor<2xf32>):
      %l = "stablehlo.constant"() <{{value = dense<4> : tensor<i32>}}> : () -> tensor<i32>
      %m = "stablehlo.compare"(%i, %l) <{{comparison_direction = #stablehlo<comparison_direction LT>}}>
        : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%m) : (tensor<i1>) -> ()
    }}, {{
    ^bb0(%i: tensor<i32>, %h: tensor<2xf32>):
      %one = "stablehlo.constant"() <{{value = dense<1> : tensor<i32>}}> : () -> tensor<i32>
      %z = "stablehlo.constant"() <{{value = dense<0> : tensor<i32>}}> : () -> tensor<i32>
      %row = "stablehlo.dynamic_slice"(%state, %i, %z) <{{slice_sizes = array<i64: 1, 2>}}>
        : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
      %f = "stablehlo.reshape"(%row) : (tensor<1x2xf32>) -> tensor<2xf32>
      %g = "stablehlo.add"(%h, %f) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %t = "stablehlo.tanh"(%g) : (tensor<2xf32>) -> tensor<2xf32>
      %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%j, %t) : ({types}) -> ()
    }}) : ({types}) -> ({types})"""
    x = np.random.default_rng(1).normal(size=(4, 2))
    state = np.zeros(2)
    for row in x:
        state = np.tanh(state + row)
    np.testing.assert_allclose(
        computed({"state": "tensor<4x2xf32>"}, body, "r#1", "tensor<2xf32>", x), state, atol=1e-5
    )


def test_the_first_of_the_greatest_elements():
    """A reduction as JAX writes it returns the maximum and the index of its first occurrence. It is rejected if its
    index operand counts along another axis.
    """

    def compare(name: str, direction: str, a: str, b: str, type: str) -> str:
        return f"""
      %{name} = "stablehlo.compare"(%{a}, %{b})
        <{{comparison_direction = #stablehlo<comparison_direction {direction}>}}>
        : (tensor<{type}>, tensor<{type}>) -> tensor<i1>"""

    body = f"""    %l = "stablehlo.constant"() <{{value = dense<0xFF800000> : tensor<f32>}}> : () -> tensor<f32>
    %z = "stablehlo.constant"() <{{value = dense<0> : tensor<i32>}}> : () -> tensor<i32>
    %n = "stablehlo.iota"() <{{iota_dimension = 0 : i64}}> : () -> tensor<4xi32>
    %r:2 = "stablehlo.reduce"(%x, %n, %l, %z) <{{dimensions = array<i64: 0>}}> ({{
    ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
      {compare("above", "GT", "a", "b", "f32")}{compare("nan", "NE", "a", "a", "f32")}
      %first = "stablehlo.or"(%above, %nan) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      {compare("same", "EQ", "a", "b", "f32")}{compare("lower", "LT", "i", "j", "i32")}
      %tie = "stablehlo.and"(%same, %lower) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %where = "stablehlo.or"(%first, %tie) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %s = "stablehlo.select"(%first, %a, %b) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %t = "stablehlo.select"(%where, %i, %j) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%s, %t) : (tensor<f32>, tensor<i32>) -> ()
    }}) : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)"""
    x = np.array([1.0, 3.0, 2.0, 3.0])
    for returned, type, expected in (("r#0", "tensor<f32>", 3), ("r#1", "tensor<i32>", 1)):
        np.testing.assert_array_equal(computed({"x": "tensor<4xf32>"}, body, returned, type, x), [expected])
    across = body.replace("tensor<4x", "tensor<4x4x").replace("iota_dimension = 0", "iota_dimension = 1")
    across = across.replace("-> (tensor<f32>, tensor<i32>)", "-> (tensor<4xf32>, tensor<4xi32>)")
    with pytest.raises(InputError, match="reduces two tensors other than to a maximum and its index"):
        computed({"x": "tensor<4x4xf32>"}, across, "r#0", "tensor<4xf32>", np.zeros((4, 4)))


ARGMAX = """    %low = "arith.constant"() <{value = dense<0xFF800000> : tensor<1xf32>}> : () -> tensor<1xf32>
    %first = "arith.constant"() <{value = dense<0> : tensor<1xi64>}> : () -> tensor<1xi64>
    %r:2 = "linalg.generic"(%x, %low, %first) <{
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      operandSegmentSizes = array<i32: 1, 2>}> ({
    ^bb0(%in: f32, %most: f32, %where: i64):
      %i = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %j = "arith.index_cast"(%i) : (index) -> i64
      %m = "arith.maximumf"(%in, %most) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %above = "arith.cmpf"(%in, %most) <{predicate = 2 : i64}> : (f32, f32) -> i1
      %at = "arith.select"(%above, %j, %where) : (i1, i64, i64) -> i64
      "linalg.yield"(%m, %at) : (f32, i64) -> ()
    }) : (tensor<1x4xf32>, tensor<1xf32>, tensor<1xi64>) -> (tensor<1xf32>, tensor<1xi64>)"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "to"),
    [
        ("", ""),
        ("predicate = 2", "predicate = 3"),
        ("predicate = 2", "predicate = 4"),
        ("%j, %where)", "%where, %j)"),
        ("0xFF800000", "0.0"),
        ("dense<0>", "dense<1>"),
        ("dim = 1", "dim = 0"),
        ("(d0, d1) -> (d0)>]", "(d0, d1) -> (d1)>]"),
        ('"arith.maximumf"', '"arith.addf"'),
    ],
)
def test_an_argmax_as_pytorch_writes_it(change: str, to: str):
    """A reduction is imported only if its body, maps and initial values are those of a maximum and its first index.
    Otherwise it is rejected.
    """
    x = np.array([[1.0, 3.0, 2.0, 3.0]])
    body = ARGMAX.replace(change, to)
    if not change:
        np.testing.assert_array_equal(computed({"x": "tensor<1x4xf32>"}, body, "r#0", "tensor<1xf32>", x), [3])
        np.testing.assert_array_equal(computed({"x": "tensor<1x4xf32>"}, body, "r#1", "tensor<1xi64>", x), [1])
        return
    assert body != ARGMAX
    with pytest.raises(InputError, match="reduces to several results other than a maximum and its index"):
        computed({"x": "tensor<1x4xf32>"}, body, "r#0", "tensor<1xf32>", x)


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ('"arith.cmpi"(%t, %f) <{predicate = 2 : i64}>', 1),
        ('"arith.cmpi"(%t, %f) <{predicate = 6 : i64}>', 0),
        ('"arith.maxsi"(%t, %f)', 0),
        ('"arith.minsi"(%t, %f)', 1),
        ('"arith.addi"(%t, %t)', 0),
    ],
)
def test_the_signed_true_is_less_than_the_false(op: str, expected: int):
    body = f"""    %t = "arith.constant"() <{{value = true}}> : () -> i1
    %f = "arith.constant"() <{{value = false}}> : () -> i1
    %b = {op} : (i1, i1) -> i1
    %n = "arith.uitofp"(%b) : (i1) -> f32
    %c = "linalg.fill"(%n, %x) : (f32, tensor<2xf32>) -> tensor<2xf32>
    %r = "stablehlo.add"(%x, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"""
    np.testing.assert_array_equal(
        computed({"x": "tensor<2xf32>"}, body, "r", "tensor<2xf32>", np.zeros(2)), [expected] * 2
    )


INDEXED = """
      %i = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %j = "arith.index_cast"(%i) : (index) -> i64
      %k = "arith.sitofp"(%j) : (i64) -> f32
      %m = "arith.mulf"(%a, %k) : (f32, f32) -> f32"""


def test_indices_in_the_body_of_a_sum():
    body = f"""    %z = "arith.constant"() <{{value = dense<0.0> : tensor<2xf32>}}> : () -> tensor<2xf32>
    %r = "linalg.reduce"(%x, %z) <{{dimensions = array<i64: 1>}}> ({{
    ^bb0(%a: f32, %b: f32):{INDEXED}
      %n = "arith.addf"(%m, %b) : (f32, f32) -> f32
      "linalg.yield"(%n) : (f32) -> ()
    }}) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2xf32>"""
    x = np.arange(6.0).reshape(2, 3)
    found = computed({"x": "tensor<2x3xf32>"}, body, "r", "tensor<2xf32>", x)
    np.testing.assert_array_equal(found, x @ np.arange(3))


def test_indices_in_the_body_of_a_map():
    body = f"""    %o = "tensor.empty"() : () -> tensor<2x3xf32>
    %r = "linalg.map"(%x, %o) ({{
    ^bb0(%a: f32):{INDEXED}
      "linalg.yield"(%m) : (f32) -> ()
    }}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>"""
    x = np.arange(6.0).reshape(2, 3)
    found = computed({"x": "tensor<2x3xf32>"}, body, "r", "tensor<2x3xf32>", x)
    np.testing.assert_array_equal(found, (x * np.arange(3)).ravel())
    for change, to, message in (
        ("dim = 1", "dim = 2", "linalg.index: there is no index 2"),
        (
            "%r =",
            '%i_1 = "linalg.index"() <{dim = 0 : i64}> : () -> index\n    %r =',
            "linalg.index: expected it in the body of an op of linalg",
        ),
    ):
        with pytest.raises(InputError, match=message):
            computed({"x": "tensor<2x3xf32>"}, body.replace(change, to), "r", "tensor<2x3xf32>", x)


@pytest.mark.parametrize("op", ["stablehlo.convert", "tosa.cast", "arith.uitofp"])
@pytest.mark.parametrize("x", [-1.0, 1.0])
def test_a_mask_becomes_a_number(op: str, x: float):
    types = "tensor<1xf32>, tensor<1xf32>"
    body = f"""    %z = "stablehlo.constant"() <{{value = dense<0.5> : tensor<1xf32>}}> : () -> tensor<1xf32>
    %m = "stablehlo.compare"(%x, %z) <{{comparison_direction = #stablehlo<comparison_direction LT>}}>
      : ({types}) -> tensor<1xi1>
    %n = "stablehlo.not"(%m) : (tensor<1xi1>) -> tensor<1xi1>
    %p = "{op}"(%m) : (tensor<1xi1>) -> tensor<1xf32>
    %q = "{op}"(%n) : (tensor<1xi1>) -> tensor<1xf32>
    %r = "stablehlo.concatenate"(%p, %q) <{{dimension = 0 : i64}}> : ({types}) -> tensor<2xf32>"""
    found = computed({"x": "tensor<1xf32>"}, body, "r", "tensor<2xf32>", np.array([x]))
    np.testing.assert_array_equal(found, [x < 0.5, x >= 0.5])


def test_a_result_that_repeats_its_elements():
    body = """    %r = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 1>}>
      : (tensor<1x2xf32>) -> tensor<3x2xf32>"""
    x = np.array([[1.0, -2.0]])
    np.testing.assert_array_equal(computed({"x": "tensor<1x2xf32>"}, body, "r", "tensor<3x2xf32>", x), [1, -2] * 3)


@pytest.mark.parametrize(
    ("op", "message"),
    [
        ('"arith.cmpf"(%x, %x) <{predicate = 20 : i64}>', "arith.cmpf: there is no predicate 20"),
        (
            '"linalg.pooling_nchw_max"(%x, %x, %x) <{strides = dense<1> : tensor<1xi64>}>',
            "linalg.pooling_nchw_max: has fewer operands, results or numbers in its attributes than it needs",
        ),
    ],
)
def test_what_an_op_lacks(op: str, message: str):
    type = "tensor<1x1x2x2xf32>"
    text = f"    %r = {op} : ({', '.join([type] * op.count('%x'))}) -> {type}"
    with pytest.raises(InputError, match=message):
        computed({"x": type}, text, "r", type, np.zeros(4))
