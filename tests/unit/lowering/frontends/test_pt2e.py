"""The import of graphs of PyTorch: refusals without PyTorch, and PT2E's ops where torchao is installed."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.pt2e import check_static, is_graph, is_program


class GraphModule:
    def __init__(self, *targets: str):
        nodes = [SimpleNamespace(op="call_function", target=target) for target in targets]
        self.graph = SimpleNamespace(nodes=[SimpleNamespace(op="placeholder", target="x"), *nodes])


class ExportedProgram(GraphModule):
    pass


class Module:
    pass


def test_graphs_are_known_by_their_classes():
    found = [(is_graph(source), is_program(source)) for source in (GraphModule(), ExportedProgram(), Module())]
    assert found == [(True, False), (True, True), (False, False)]


def test_dynamic_quantisation_is_refused_by_name():
    module = GraphModule("aten.relu.default", "quantized_decomposed.choose_qparams.tensor")
    with pytest.raises(InputError) as error:
        check_static(module, "m")
    op, rule = "quantized_decomposed.choose_qparams.tensor", "only static quantisation is supported"
    assert str(error.value) == f"m: {op} computes scales at run time: {rule}"


def test_static_quantisation_is_accepted():
    check_static(GraphModule("quantized_decomposed.quantize_per_tensor.default"), "m")


@pytest.mark.parametrize("per_channel", [True, False])
@pytest.mark.parametrize("exported", [True, False])
def test_a_converted_module_compiles(per_channel: bool, exported: bool):
    """Only where torchao is installed, as by `make quantised`."""
    torch, converted, x = _converted(per_channel=per_channel)
    source = torch.export.export(converted, (x[:1],)) if exported else converted
    with torch.no_grad():
        classes = converted(x).numpy().argmax(1)
    assert np.mean(tinyml.compile(source, x.numpy(), board="host").predict(x.numpy()) == classes) >= 0.97


def _converted(*, per_channel: bool) -> tuple[Any, Any, Any]:
    torch: Any = pytest.importorskip("torch")
    pytest.importorskip("torchao")
    steps: Any = import_module("torchao.quantization.pt2e.quantize_pt2e")
    quantizers: Any = import_module("torchao.testing.pt2e._xnnpack_quantizer")
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3)).eval()
    x = torch.randn(40, 6)
    graph = torch.export.export(module, (x,), dynamic_shapes=({0: torch.export.Dim("batch", min=1, max=1024)},))
    config = quantizers.get_symmetric_quantization_config(is_per_channel=per_channel)
    prepared = steps.prepare_pt2e(graph.module(), quantizers.XNNPACKQuantizer().set_global(config))
    prepared(x)
    return torch, steps.convert_pt2e(prepared), x
