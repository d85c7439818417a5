"""The import of PyTorch graphs: errors without PyTorch, and PT2E's ops if torchao is installed."""

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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("per_channel", [True, False])
@pytest.mark.parametrize("exported", [True, False])
def test_a_converted_module_compiles(per_channel: bool, exported: bool):
    """A module that `convert_pt2e` returned compiles, directly and after its export. The program returns the module's
    class for at least 97 % of the samples. The test runs only if torchao is installed, as by `make quantised`.
    """
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


RANGES = {"symmetric": (0, -127, 127), "signed": (-5, -128, 127), "unsigned": (100, 0, 255)}
"""The zero point, the least and the greatest raw of activations."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RANGES)
def test_ranges_of_activations(name: str):
    """For activations between PT2E's ops of quantisation, outputs differ from PyTorch's by at most a step, and at least
    97 % of them are equal.
    """
    torch, module, x = _written(*RANGES[name])
    with torch.no_grad():
        expected = module(x).numpy()
    program = tinyml.compile(torch.export.export(module, (x[:1],)), x.numpy(), board="host")
    steps = (program.predict(x.numpy()).reshape(expected.shape) - expected) / 0.05
    assert np.abs(steps).max() < 1.01
    assert np.mean(np.abs(steps) < 0.01) >= 0.97


def _written(zero: int, low: int, high: int) -> tuple[Any, Any, Any]:
    torch: Any = pytest.importorskip("torch")
    import_module("torch.ao.quantization.fx._decomposed")
    ops, dtype = torch.ops.quantized_decomposed, torch.int8 if low < 0 else torch.uint8

    class Product(torch.nn.Module):
        def __init__(self):
            torch.nn.Module.__init__(self)
            self.register_buffer("raws", torch.randint(-127, 128, (1, 6), dtype=torch.int8))
            self.register_buffer("scales", torch.rand(1) / 50 + 0.01)
            self.register_buffer("zeros", torch.zeros(1, dtype=torch.int64))

        def forward(self, x: Any) -> Any:
            x = self.rounded(x, 0.03)
            weights = ops.dequantize_per_channel(self.raws, self.scales, self.zeros, 0, -127, 127, torch.int8)
            return self.rounded(torch.nn.functional.linear(x, weights), 0.05)

        def rounded(self, x: Any, scale: float) -> Any:
            raws = ops.quantize_per_tensor(x, scale, zero, low, high, dtype)
            return ops.dequantize_per_tensor(raws, scale, zero, low, high, dtype)

    torch.manual_seed(0)
    return torch, Product().eval(), torch.randn(200, 6) * 2
