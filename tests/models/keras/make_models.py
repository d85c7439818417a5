"""Create the model files of this folder with Keras and TensorFlow's converter, and store the results of TensorFlow's
interpreter beside them.

`make keras` runs this script in a separate environment.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

os.environ |= {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
# These packages are in no other environment.
keras: Any = import_module("keras")
tensorflow: Any = import_module("tensorflow")
layers: Any = keras.layers

HERE = Path(__file__).parent
STEPS = 24


def sequential(shape: tuple[int, ...], *parts: Any, **more: Any) -> Any:
    return keras.Sequential([keras.Input(shape, **more), *parts])


def images() -> Any:
    """A convolutional network on images with a Flatten layer."""
    return sequential(
        (10, 10, 1),
        layers.Conv2D(16, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.Conv2D(12, 3, use_bias=False),
        layers.MaxPooling2D(2),
        layers.Flatten(),
        layers.Dropout(0.2),
        layers.Dense(3, activation="softmax"),
    )


def mobile() -> Any:
    """A network of depthwise and separable convolutions, a residual sum, a concatenation, and a global average pool."""
    image = keras.Input((8, 8, 3))
    wide = layers.ReLU(6.0)(layers.BatchNormalization()(layers.Conv2D(8, 1)(image)))
    deep = layers.LeakyReLU(negative_slope=0.1)(layers.DepthwiseConv2D(3, padding="same")(wide))
    both = layers.Concatenate()([layers.Add()([wide, deep]), layers.SeparableConv2D(4, 3, padding="same")(image)])
    pooled = layers.AveragePooling2D(2)(layers.ZeroPadding2D(1)(both))
    mean = layers.GlobalAveragePooling2D()(pooled)
    return keras.Model(image, layers.Dense(2, activation="sigmoid")(mean))


def sequence() -> Any:
    """A network of convolutions over time, one of them dilated, and of ops that change shapes."""
    return sequential(
        (16, 3),
        layers.Conv1D(6, 3, padding="causal", dilation_rate=2, activation="relu"),
        layers.Conv1D(4, 3, activation="relu"),
        layers.MaxPooling1D(2),
        layers.Permute((2, 1)),
        layers.Reshape((7, 4)),
        layers.Flatten(),
        layers.Dense(3),
    )


def lstm(**batch: Any) -> Any:
    return sequential((5, 3), layers.LSTM(6, unroll=True), layers.Dense(3, activation="softmax"), **batch)


def gru(**batch: Any) -> Any:
    return sequential(
        (5, 3), layers.GRU(4, unroll=True, return_sequences=True), layers.Flatten(), layers.Dense(2), **batch
    )


def stirred(model: Any) -> Any:
    """Change the weights, biases and batch statistics of a model by random values, and return the model."""
    random = np.random.default_rng(5)
    for weight in model.weights:
        noise: Any = 0.2 * random.normal(size=tuple(weight.shape))
        weight.assign(np.abs(noise) + 0.5 if "variance" in weight.path else weight.numpy() + noise)
    return model


def converted(converter: Any, kind: str, shape: tuple[int, ...], steps: int = 40) -> bytes:
    """The bytes of a .tflite file of a kind.

    kind: `float`, `dynamic` (weights of 8 bits), `int8` or `16x8`. Inputs and outputs of the last two are integers.
    shape: the shape of one input, for calibration.
    steps: the number of random inputs for calibration.
    """
    kinds = tensorflow.lite.OpsSet
    if kind != "float":
        converter.optimizations = [tensorflow.lite.Optimize.DEFAULT]
    if kind in ("int8", "16x8"):
        data = np.random.default_rng(0).normal(size=(steps, 1, *shape)).astype("f")
        converter.representative_dataset = lambda: ([each] for each in data)
        narrow, wide = kinds.TFLITE_BUILTINS_INT8, kinds.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
        converter.target_spec.supported_ops = [wide if kind == "16x8" else narrow]
        converter.inference_input_type = tensorflow.int16 if kind == "16x8" else tensorflow.int8
        converter.inference_output_type = converter.inference_input_type
    return converter.convert()


class Spotter(tensorflow.Module):  # type: ignore[misc]
    """One step of a keyword spotter: two rows of features, and variables with the rows of earlier steps."""

    def __init__(self) -> None:
        tensorflow.Module.__init__(self)
        random = np.random.default_rng(7)
        self.filters = [
            tensorflow.constant(0.5 * random.normal(size=shape).astype("f"))
            for shape in ((5, 1, 6, 8), (4, 1, 8, 1), (1, 1, 8, 6), (18, 2))
        ]
        self.rows = [
            tensorflow.Variable(tensorflow.zeros(shape)) for shape in ((1, 3, 1, 6), (1, 3, 1, 8), (1, 2, 1, 6))
        ]

    def step(self, x: Any) -> Any:
        first, deep, point, last = self.filters

        def joined(position: int, new: Any) -> Any:
            rows = self.rows[position]
            whole = tensorflow.concat([rows, new], 1)
            rows.assign(whole[:, new.shape[1] :])
            return whole

        image = tensorflow.reshape(x, (1, 2, 1, 6))
        row = tensorflow.nn.relu(tensorflow.nn.conv2d(joined(0, image), first, 1, "VALID"))
        row = tensorflow.nn.depthwise_conv2d(joined(1, row), deep, (1, 1, 1, 1), "VALID")
        row = tensorflow.nn.relu(tensorflow.nn.conv2d(row, point, 1, "VALID"))
        return tensorflow.sigmoid(tensorflow.reshape(joined(2, row), (1, 18)) @ last)


def spotter(kind: str) -> bytes:
    """The bytes of a .tflite file of a keyword spotter.

    kind: the number formats; `mixed` stands for 8 bits except for the variables, which converters leave in floating
        point by default.
    """
    module = Spotter()
    signature = tensorflow.TensorSpec((1, 2, 6), tensorflow.float32)
    function = tensorflow.function(module.step).get_concrete_function(signature)
    converter = tensorflow.lite.TFLiteConverter.from_concrete_functions([function], module)
    converter._experimental_variable_quantization = kind == "int8"
    return converted(converter, "float" if kind == "float" else "int8", (2, 6))


def computed(content: bytes) -> tuple[Any, Any]:
    """Random inputs (samples, *shape), and the results of TensorFlow Lite's reference kernels for them. A model with
    state computes the samples in order.
    """
    kernels = tensorflow.lite.experimental.OpResolverType.BUILTIN_REF
    interpreter = tensorflow.lite.Interpreter(model_content=content, experimental_op_resolver_type=kernels)
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


MODELS: dict[str, Callable[[], Any]] = {
    "images": images,
    "mobile": mobile,
    "sequence": sequence,
    "lstm": lstm,
    "gru": gru,
}
"""Models by the names of their files."""

OF_ONE: dict[str, Callable[[], Any]] = {
    "lstm-of-one": lambda: lstm(batch_size=1),
    "gru-of-one": lambda: gru(batch_size=1),
}
"""Models whose number of samples is not left open."""


def main() -> None:
    recorded: dict[str, Any] = {}
    for old in HERE.glob("*.tflite"):
        old.unlink()
    made: list[tuple[str, bytes]] = [(f"spotter-{kind}", spotter(kind)) for kind in ("float", "int8", "mixed")]
    wanted = [*product(MODELS, ("float", "int8", "16x8")), *product(OF_ONE, ("int8", "16x8")), ("images", "dynamic")]
    for name, kind in wanted:
        keras.utils.set_random_seed(0)
        model = stirred({**MODELS, **OF_ONE}[name]())
        converter = tensorflow.lite.TFLiteConverter.from_keras_model(model)
        made.append((f"{name}-{kind}", converted(converter, kind, tuple(model.input_shape[1:]))))
    for name, content in made:
        (HERE / f"{name}.tflite").write_bytes(content)
        recorded[f"{name}_x"], recorded[f"{name}_y"] = computed(content)
    np.savez_compressed(HERE / "expected.npz", **recorded)


if __name__ == "__main__":
    main()
