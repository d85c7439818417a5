"""Norms that a graph writes as elementary nodes become one node, for the exponent 2 only."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from oracles.onnx_models import model, node

from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.reader import read_model
from tinyml.lowering.frontends.onnx.written_out import with_normalisations

AXES = {"a": np.array([1])}


def last_node(nodes: list[onnx.NodeProto], **constants: np.ndarray) -> OnnxNode:
    graph = read_model(model(nodes, [1, 4], {**AXES, **constants}).SerializeToString(), "m.onnx")
    return with_normalisations(graph).nodes[-1]


def written_norm(reduction: str, exponent: float) -> OnnxNode:
    """The last node of x divided by the square root of reduced powers of x."""
    nodes = [
        node("Pow", "x p", "powers"),
        node(reduction, "powers a", "reduced", keepdims=1),
        node("Sqrt", "reduced", "root"),
        node("Div", "x root"),
    ]
    return last_node(nodes, p=np.array(exponent, np.float32))


@pytest.mark.parametrize(("reduction", "total"), [("ReduceSum", 1), ("ReduceMean", 0)])
def test_a_root_of_squares_is_a_normalisation(reduction: str, total: int):
    norm = written_norm(reduction, 2.0)
    assert (norm.op, norm.inputs[0]) == ("RMSNormalization", "x")
    assert norm.attributes == {"axes": (1,), "epsilon": 0.0, "total": total}


@pytest.mark.parametrize("exponent", [1.0, 3.0])
def test_a_root_of_other_powers_is_not(exponent: float):
    assert written_norm("ReduceSum", exponent).op == "Div"


def test_a_division_by_the_l2_norm_is_a_normalisation():
    norm = last_node([node("ReduceL2", "x a", "norm", keepdims=1), node("Div", "x norm")])
    assert (norm.op, norm.attributes["total"]) == ("RMSNormalization", 1)


def test_a_division_by_the_l1_norm_is_not():
    assert last_node([node("ReduceL1", "x a", "norm", keepdims=1), node("Div", "x norm")]).op == "Div"
