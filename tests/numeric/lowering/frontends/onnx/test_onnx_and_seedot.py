"""ProtoNN, FastGRNN and Bonsai from ONNX, compared with the same models in SeeDot's language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from oracles.onnx_models import FLOAT, Array, imported, model, node, number
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.seedot.importer import import_seedot
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate

RANDOM = np.random.default_rng(42)


def reals(*shape: int, random: np.random.Generator = RANDOM) -> Array:
    return random.normal(size=shape).astype(np.float32)


def of_seedot(text: str, parameters: Mapping[str, Array], folder: Path) -> ModuleOp:
    for name, array in parameters.items():
        np.save(folder / f"{name}.npy", array)
    return import_seedot(text, str(folder / "program.sd"))


def outputs(module: ModuleOp, inputs: Array, val: Path, format: str, width: int) -> Outputs:
    """The outputs of a program in a format whose scales are chosen on a validation set."""
    options = {"data": str(val), "format": format, "width": width}
    pipelines.run(module, context(), pipelines.flatten("reals-to-formats", options))
    return evaluate(module, encode_inputs(module, inputs))


def protonn() -> tuple[str, dict[str, Array], onnx.ModelProto]:
    w = reals(4, 6)
    w[:, :2] = 0
    return protonn_of(w, RANDOM)


def protonn_without_zeros() -> tuple[str, dict[str, Array], onnx.ModelProto]:
    """A ProtoNN in SeeDot's language and in ONNX, with its parameters. Its projection contains no zeros but is declared
    sparse.

    With a dense projection, small weights would be rounded to zero.
    """
    random = np.random.default_rng(11)
    return protonn_of(reals(4, 6, random=random) * np.array([1, 1, 1, 1, 0.02, 0.02], np.float32), random)


def protonn_of(w: Array, random: np.random.Generator) -> tuple[str, dict[str, Array], onnx.ModelProto]:
    b, z = reals(9, 4, 1, random=random), reals(9, 3, 1, random=random)
    text = """
        let X = (6, 1) in RANGE in
        let W = (4, 6) in [-9.0, 9.0] in
        let B = (9, 4, 1) in [-9.0, 9.0] in
        let Z = (9, 3, 1) in [-9.0, 9.0] in
        let WX = W |*| X in
        let res = $(i = [0:9]) (let del = WX - B[i] in Z[i] * exp(-0.3 * (del^T * del))) in
        argmax(res)"""
    nodes = [
        node("MatMul", "x w", "p"),
        node("Unsqueeze", "p two", "u"),
        node("Sub", "u b", "d"),
        node("Pow", "d square", "s"),
        node("ReduceSum", "s one", "t", keepdims=0),
        node("Mul", "t g", "m"),
        node("Exp", "m", "e"),
        node("MatMul", "e z"),
    ]
    constants = {"w": w.T.copy(), "b": b.reshape(1, 9, 4).transpose(0, 2, 1).copy(), "g": number(-0.3)}
    constants |= {"z": z[:, :, 0].copy(), "one": np.array([1]), "two": np.array([2]), "square": number(2)}
    return text, {"W": w, "B": b, "Z": z}, model(nodes, ["N", 6], constants)


def fastgrnn() -> tuple[str, dict[str, Array], onnx.ModelProto]:
    parameters = {"W": reals(3, 5), "U": 0.4 * reals(5, 5), "G": reals(1, 5), "H": reals(1, 5), "F": reals(5, 4)}
    parameters["B"] = reals(1, 4)
    text = """
        let W = (3, 5) in [-9.0, 9.0] in
        let U = (5, 5) in [-9.0, 9.0] in
        let G = (1, 5) in [-9.0, 9.0] in
        let H = (1, 5) in [-9.0, 9.0] in
        let F = (5, 4) in [-9.0, 9.0] in
        let B = (1, 4) in [-9.0, 9.0] in
        let X = (18, 1) in RANGE in
        let XX = reshape(X, (6, 1, 3), (1, 2)) in
        let S = init([1, 5], 0.0) in
        let res = loop(i = [0:6], S) (
            let c = (XX[i] * W) + (S * U) in
            let g = sigmoid(c + G) in
            let S = (g <*> S) + ((0.75 * (1.0 - g)) + 0.125) <*> tanh(c + H) in S
        ) in
        argmax((res * F) + B)"""
    nodes = [
        node("MatMul", "x_t W", "a"),
        node("MatMul", "s_in U", "b"),
        node("Add", "a b", "c"),
        node("Add", "c G", "cg"),
        node("Sigmoid", "cg", "g"),
        node("Add", "c H", "ch"),
        node("Tanh", "ch", "h"),
        node("Mul", "g s_in", "kept"),
        node("Sub", "one g", "rest"),
        node("Mul", "zeta rest", "z"),
        node("Add", "z nu", "share"),
        node("Mul", "share h", "new"),
        node("Add", "kept new", "s_out"),
    ]
    inputs = [helper.make_tensor_value_info(name, FLOAT, None) for name in ("s_in", "x_t")]
    body = helper.make_graph(nodes, "body", inputs, [helper.make_tensor_value_info("s_out", FLOAT, None)])
    outer = [
        node("Scan", "s0 x", "res", body=body, num_scan_inputs=1, scan_input_axes=[1]),
        node("MatMul", "res F", "f"),
        node("Add", "f B"),
    ]
    more = {"zeta": number(0.75), "one": number(1), "nu": number(0.125), "s0": np.zeros((1, 5), np.float32)}
    return text, parameters, model(outer, ["N", 6, 3], parameters | more)


@pytest.mark.long
@pytest.mark.parametrize("width", [16, 8])
@pytest.mark.parametrize("make", [protonn, protonn_without_zeros, fastgrnn])
def test_the_same_bits(make: Callable[[], tuple[str, dict[str, Array], onnx.ModelProto]], width: int, tmp_path: Path):
    text, parameters, graph = make()
    data = reals(60, 18 if make is fastgrnn else 6)
    # ONNX has no declared ranges: those of the data count.
    text = text.replace("RANGE", f"[{data[:40].min()}, {data[:40].max()}]")
    seedot, mine = of_seedot(text, parameters, tmp_path), imported(graph)
    np.savez(tmp_path / "val.npz", x=data[:40])
    theirs = outputs(seedot, data, tmp_path / "val.npz", "fixed", width)
    ours = outputs(mine, data, tmp_path / "val.npz", "fixed", width)
    assert theirs.scores is not None
    np.testing.assert_array_equal(ours.scores, theirs.scores)
    np.testing.assert_array_equal(ours.labels, theirs.labels)


def test_bonsai_gives_the_same_labels(tmp_path: Path):
    """Both programs of a Bonsai return the same labels, although the ONNX model computes all nodes of the tree and
    SeeDot's program only one path.
    """
    z, w, v, t = reals(3, 5), reals(3, 4, 3), reals(3, 4, 3), reals(1, 1, 3)
    text = """
        let X = (5, 1) in [-5.0, 5.0] in
        let Z = (3, 5) in [-9.0, 9.0] in
        let W = (3, 4, 3) in [-9.0, 9.0] in
        let V = (3, 4, 3) in [-9.0, 9.0] in
        let T = (1, 1, 3) in [-9.0, 9.0] in
        let P = Z * X in
        let first = (W[0] * P) <*> tanh(V[0] * P) in
        let n = (T[0] * P) >= 0 ? 1 : 2 in
        argmax(first + ((W[n] * P) <*> tanh(V[n] * P)))"""
    nodes = [node("MatMul", "x z", "p"), node("MatMul", "p t", "b"), node("Greater", "b zero", "a")]
    nodes += [node("Cast", "a", "right", to=FLOAT), node("Sub", "one right", "left")]
    for number_of, chosen in ((0, None), (1, "right"), (2, "left")):
        nodes += [
            node("MatMul", f"p w{number_of}", f"pw{number_of}"),
            node("MatMul", f"p v{number_of}", f"pv{number_of}"),
            node("Tanh", f"pv{number_of}", f"t{number_of}"),
            node("Mul", f"pw{number_of} t{number_of}", f"m{number_of}"),
        ]
        if chosen is not None:
            nodes += [node("Gather", f"{chosen} first", f"g{number_of}", axis=1)]
            nodes += [node("Mul", f"m{number_of} g{number_of}", f"k{number_of}")]
    nodes += [node("Add", "m0 k1", "s"), node("Add", "s k2")]
    constants = {"z": z.T.copy(), "t": t[0].T.copy(), "zero": number(0), "one": number(1), "first": np.array([0])}
    constants |= {f"{name}{i}": each[i].T.copy() for name, each in (("w", w), ("v", v)) for i in range(3)}
    seedot = of_seedot(text, {"Z": z, "W": w, "V": v, "T": t}, tmp_path)
    data = reals(60, 5).clip(-5, 5)
    np.savez(tmp_path / "val.npz", x=data[:40])
    mine = imported(model(nodes, ["N", 5], constants))
    labels = [outputs(each, data, tmp_path / "val.npz", "fixed", 16).labels for each in (mine, seedot)]
    np.testing.assert_array_equal(labels[0], labels[1])
