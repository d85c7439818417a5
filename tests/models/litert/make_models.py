"""Create the model files of this folder with litert-torch and litert-quantizer, with the results of LiteRT's
interpreter.

`make quantised` runs this script in a separate environment.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

os.environ |= {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
# These packages are in no other environment.
torch: Any = import_module("torch")
litert_torch: Any = import_module("litert_torch")
pt2e: Any = import_module("litert_torch.quantize.pt2e_quantizer")
configurations: Any = import_module("litert_torch.quantize.quant_config")
steps: Any = import_module("torchao.quantization.pt2e.quantize_pt2e")
quantizer: Any = import_module("litert_quantizer.quantizer")
recipes: Any = import_module("litert_quantizer.recipe_manager")
kinds: Any = import_module("litert_quantizer.qtyping")
interpreters: Any = import_module("ai_edge_litert.interpreter")
nn: Any = torch.nn

HERE = Path(__file__).parent
SHAPE, STEPS, CALIBRATED = (1, 8, 8, 1), 24, 30
ALL, DENSE = kinds.TFLOperationName.ALL_SUPPORTED, kinds.TFLOperationName.FULLY_CONNECTED
NARROWED = (kinds.TFLOperationName.CONV_2D, DENSE)
BLOCKS = kinds.QuantGranularity.BLOCKWISE_32


class Network(nn.Module):  # pyright: ignore[reportUntypedBaseClass]
    """A network of a convolution, a residual block with a depthwise and a pointwise convolution, pools, and a dense
    layer.
    """

    def __init__(self) -> None:
        nn.Module.__init__(self)
        self.first, self.point = nn.Conv2d(1, 8, 3, padding=1), nn.Conv2d(8, 8, 1)
        self.deep = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.last = nn.Linear(32, 4)

    def forward(self, image: Any) -> Any:
        x = nn.functional.max_pool2d(torch.relu(self.first(image)), 2)
        x = x + nn.functional.relu6(self.point(self.deep(x)))
        return self.last(nn.functional.avg_pool2d(x, 2).flatten(1))


def network() -> Any:
    torch.manual_seed(0)
    return litert_torch.to_channel_last_io(Network().eval(), args=[0]).eval()


def calibration() -> list[Any]:
    return [*np.random.default_rng(0).normal(size=(CALIBRATED, *SHAPE)).astype("f")]


def exported(module: Any, file: Path, **options: Any) -> bytes:
    litert_torch.convert(module, (torch.zeros(SHAPE),), **options).export(str(file))
    return file.read_bytes()


def of_pt2e(file: Path, *, dynamic: bool) -> bytes:
    """The bytes of a .tflite file of a network that PyTorch quantised with the quantiser of litert-torch.

    file: the path to which the converter writes the file.
    dynamic: true to quantise activations at run time.
    """
    given = pt2e.get_symmetric_quantization_config(is_per_channel=True, is_dynamic=dynamic)
    choice = pt2e.PT2EQuantizer().set_global(given)
    prepared = steps.prepare_pt2e(torch.export.export(network(), (torch.zeros(SHAPE),)).module(), choice)
    for image in calibration():
        prepared(torch.from_numpy(image))
    converted = steps.convert_pt2e(prepared, fold_quantize=False)
    return exported(converted, file, quant_config=configurations.QuantConfig(pt2e_quantizer=choice))


def static(activations: int, weights: int) -> Any:
    recipe = recipes.RecipeManager()
    recipe.add_static_config(".*", ALL, activations, 8)
    for kind in NARROWED if weights < 8 else ():
        recipe.add_static_config(".*", kind, activations, weights)
    return recipe


def dynamic(operation: Any, width: int, **options: Any) -> Any:
    recipe = recipes.RecipeManager()
    recipe.add_dynamic_config(".*", operation, width, **options)
    return recipe


def weights_alone(operation: Any, width: int) -> Any:
    recipe = recipes.RecipeManager()
    recipe.add_weight_only_config(".*", operation, width)
    return recipe


RECIPES: dict[str, Callable[[], Any]] = {
    "int8": lambda: static(8, 8),
    "16x8": lambda: static(16, 8),
    "int8-weights4": lambda: static(8, 4),
    "16x8-weights4": lambda: static(16, 4),
    "dynamic8": lambda: dynamic(ALL, 8),
    "dynamic4": lambda: dynamic(DENSE, 4),
    "dynamic2": lambda: dynamic(DENSE, 2),
    "dynamic-blocks4": lambda: dynamic(DENSE, 4, granularity=BLOCKS),
    "weights8": lambda: weights_alone(ALL, 8),
    "weights4": lambda: weights_alone(DENSE, 4),
}
"""The recipes of litert-quantizer by the names of their files."""


def quantised(source: Path, recipe: Any, file: Path) -> bytes:
    maker = quantizer.Quantizer(str(source))
    maker.load_quantization_recipe(recipe.get_quantization_recipe())
    ranges = None
    if maker.need_calibration:
        signatures = interpreters.Interpreter(model_path=str(source)).get_signature_list()
        [(name, ends)] = signatures.items()
        ranges = maker.calibrate({name: [{ends["inputs"][0]: image} for image in calibration()]})
    maker.quantize(ranges).export_model(str(file), overwrite=True)
    file.chmod(0o644)
    return file.read_bytes()


def computed(content: bytes, blocks: bool) -> tuple[Any, Any]:
    """Random inputs of shape (samples, *shape), and the results of the interpreter, which computes the samples in
    order.

    All models with the same shape and element type of inputs receive the same inputs.

    blocks: True to compute with XNNPACK, because the reference kernels ignore the scales of blocks.
    """
    resolvers = interpreters.OpResolverType
    interpreter = interpreters.Interpreter(
        model_content=content,
        experimental_op_resolver_type=resolvers.AUTO if blocks else resolvers.BUILTIN_REF,
    )
    interpreter.allocate_tensors()
    [entrance], [exit] = interpreter.get_input_details(), interpreter.get_output_details()
    random, dtype = np.random.default_rng(1), np.dtype(entrance["dtype"])
    x = random.normal(size=(STEPS, *entrance["shape"])).astype(dtype)
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        x = random.integers(info.min, info.max, (STEPS, *entrance["shape"]), dtype, endpoint=True)
    y: list[Any] = []
    for sample in x:
        interpreter.set_tensor(entrance["index"], sample)
        interpreter.invoke()
        y.append(interpreter.get_tensor(exit["index"]).ravel())
    return x, np.array(y)


def main() -> None:
    for old in HERE.glob("*.tflite"):
        old.unlink()
    source = HERE / "float.tflite"
    made = {"float": exported(network(), source)}
    for name, is_dynamic in (("pt2e-int8", False), ("pt2e-dynamic8", True)):
        made[name] = of_pt2e(HERE / f"{name}.tflite", dynamic=is_dynamic)
    for name, recipe in RECIPES.items():
        made[name] = quantised(source, recipe(), HERE / f"{name}.tflite")
    recorded: dict[str, Any] = {}
    for name, content in made.items():
        x, recorded[name] = computed(content, "blocks" in name)
        recorded[f"x_{x.dtype}"] = x
    np.savez_compressed(HERE / "expected.npz", **recorded)


if __name__ == "__main__":
    main()
