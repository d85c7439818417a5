"""Write a transformer block as four frameworks export it, with equal weights, and its data.

    python make.py OUT onnx|pytorch|keras|jax

The block has 16 rows of 64 numbers, a norm before each layer, attention with 4 heads of 16 numbers, an MLP with 128
hidden units and GELU, a last norm, the mean of the rows and 10 classes. The weights are random. `onnx` writes products
of stacks of matrices as exporters do. It also writes val.npz and test.npz, which contain Gaussian inputs and the
classes that the block in float64 computes for them. The other arguments require PyTorch, Keras with TensorFlow, or JAX.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

ROWS, WIDTH, HEADS, HEAD, HIDDEN, CLASSES = 16, 64, 4, 16, 128, 10
EPSILON = 1e-5
VAL, TEST = 64, 100
Weights = dict[str, Any]


def weights() -> Weights:
    """The float32 weights by name. A name is a letter and the name of a layer or a norm.

    The letters are w for matrices of shape (inputs, outputs), b for biases, and g and h for the factors and addends of
    norms.
    """
    random, w = np.random.default_rng(1), dict[str, Any]()
    shapes = {
        **dict.fromkeys("qkvo", (WIDTH, WIDTH)),
        "1": (WIDTH, HIDDEN),
        "2": (HIDDEN, WIDTH),
        "c": (WIDTH, CLASSES),
    }
    for name, shape in shapes.items():
        w["w" + name] = random.normal(size=shape) / np.sqrt(shape[0])
        w["b" + name] = 0.1 * random.normal(size=shape[1])
    for norm in "xyz":
        w["g" + norm], w["h" + norm] = 1 + 0.1 * random.normal(size=WIDTH), 0.1 * random.normal(size=WIDTH)
    return {name: value.astype(np.float32) for name, value in w.items()}


def as_onnx(w: Weights, out: Path) -> None:
    """Write the block as an ONNX model in which each step of attention is a node of its own."""
    onnx: Any = import_module("onnx")
    helper, element = onnx.helper, onnx.TensorProto.FLOAT
    nodes, constants = list[Any](), dict(w)

    def node(op: str, inputs: list[str], output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def constant(name: str, value: Any) -> str:
        constants[name] = np.asarray(value)
        return name

    def dense(x: str, name: str, output: str) -> str:
        return node("Add", [node("MatMul", [x, "w" + name], f"{output}_product"), "b" + name], output)

    def norm(x: str, name: str) -> str:
        return node("LayerNormalization", [x, "g" + name, "h" + name], f"norm_{name}", axis=-1, epsilon=EPSILON)

    def heads(name: str, order: list[int]) -> str:
        parted = node("Reshape", [dense(rows, name, name), "parts"], f"{name}_parts")
        return node("Transpose", [parted], f"{name}_heads", perm=order)

    rows = norm("x", "x")
    constant("parts", np.array([1, ROWS, HEADS, HEAD]))
    scores = node("MatMul", [heads("q", [0, 2, 1, 3]), heads("k", [0, 2, 3, 1])], "products")
    scores = node("Mul", [scores, constant("scale", np.float32(HEAD**-0.5))], "scores")
    mixed = node("MatMul", [node("Softmax", [scores], "shares", axis=-1), heads("v", [0, 2, 1, 3])], "mixed")
    joined = node("Transpose", [mixed], "together", perm=[0, 2, 1, 3])
    joined = node("Reshape", [joined, constant("rows", np.array([1, ROWS, WIDTH]))], "joined")
    first = node("Add", ["x", dense(joined, "o", "projected")], "first")
    hidden = node("Gelu", [dense(norm(first, "y"), "1", "hidden")], "gelu")
    second = node("Add", [first, dense(hidden, "2", "back")], "second")
    mean = node("ReduceMean", [norm(second, "z"), constant("axes", np.array([1]))], "mean", keepdims=0)
    node("Gemm", [mean, "wc", "bc"], "y")
    graph = helper.make_graph(
        nodes,
        "block",
        [helper.make_tensor_value_info("x", element, [1, ROWS, WIDTH])],
        [helper.make_tensor_value_info("y", element, [1, CLASSES])],
        [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.checker.check_model(model)
    onnx.save(model, out / "block.onnx")


def as_pytorch(w: Weights, out: Path) -> None:
    """Write the block as `nn.TransformerEncoderLayer`, exported by `torch.onnx.export`."""
    torch: Any = import_module("torch")
    nn: Any = torch.nn
    layer = nn.TransformerEncoderLayer(
        WIDTH, HEADS, HIDDEN, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    )
    norm, last = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, CLASSES)
    attention = layer.self_attn
    given = {
        attention.in_proj_weight: np.concatenate([w["w" + name].T for name in "qkv"]),
        attention.in_proj_bias: np.concatenate([w["b" + name] for name in "qkv"]),
        **{
            parameter: w[kind + name].T
            for name, module in (("o", attention.out_proj), ("1", layer.linear1), ("2", layer.linear2), ("c", last))
            for kind, parameter in (("w", module.weight), ("b", module.bias))
        },
        **{
            parameter: w[kind + name]
            for name, module in (("x", layer.norm1), ("y", layer.norm2), ("z", norm))
            for kind, parameter in (("g", module.weight), ("h", module.bias))
        },
    }
    with torch.no_grad():
        for parameter, value in given.items():
            parameter.copy_(torch.tensor(value))

    class Mean(nn.Module):
        def forward(self, x: Any) -> Any:
            return x.mean(1)

    network = nn.Sequential(layer, norm, Mean(), last).eval()
    torch.backends.mha.set_fastpath_enabled(False)
    torch.onnx.export(network, (torch.zeros(1, ROWS, WIDTH),), str(out / "block-pytorch.onnx"), dynamo=False)


def as_keras(w: Weights, out: Path) -> None:
    """Write the block in layers of Keras, converted to a .tflite file in floating point."""
    keras: Any = import_module("keras")
    tf: Any = import_module("tensorflow")
    layers = keras.layers
    x = keras.Input((ROWS, WIDTH), batch_size=1)
    attention = layers.MultiHeadAttention(HEADS, HEAD)
    named = {name: layers.LayerNormalization(epsilon=EPSILON) for name in "xyz"}
    named |= {"1": layers.Dense(HIDDEN, activation="gelu"), "2": layers.Dense(WIDTH), "c": layers.Dense(CLASSES)}
    rows = named["x"](x)
    first = layers.Add()([x, attention(rows, rows)])
    second = layers.Add()([first, named["2"](named["1"](named["y"](first)))])
    y = named["c"](layers.GlobalAveragePooling1D()(named["z"](second)))
    model = keras.Model(x, y)
    for name, layer in named.items():
        kinds = "gh" if name in "xyz" else "wb"
        layer.set_weights([w[kind + name] for kind in kinds])
    parted = [
        value
        for name in "qkv"
        for value in (w["w" + name].reshape(WIDTH, HEADS, HEAD), w["b" + name].reshape(HEADS, HEAD))
    ]
    attention.set_weights([*parted, w["wo"].reshape(HEADS, HEAD, WIDTH), w["bo"]])
    content = tf.lite.TFLiteConverter.from_keras_model(model).convert()
    (out / "block-keras.tflite").write_bytes(content)


def as_jax(w: Weights, out: Path) -> None:
    """Write the block as a function of JAX with `jax.nn.dot_product_attention`, in StableHLO's generic text."""
    jax: Any = import_module("jax")
    jnp: Any = import_module("jax.numpy")

    def norm(x: Any, name: str) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        return centred * jax.lax.rsqrt(x.var(-1, keepdims=True) + EPSILON) * w["g" + name] + w["h" + name]

    def dense(x: Any, name: str) -> Any:
        return x @ w["w" + name] + w["b" + name]

    def block(x: Any) -> Any:
        rows = norm(x, "x")
        q, k, v = (dense(rows, name).reshape(1, ROWS, HEADS, HEAD) for name in "qkv")
        first = x + dense(jax.nn.dot_product_attention(q, k, v).reshape(1, ROWS, WIDTH), "o")
        second = first + dense(jax.nn.gelu(dense(norm(first, "y"), "1"), approximate=False), "2")
        return dense(norm(second, "z").mean(1), "c")

    lowered = jax.jit(block).lower(jnp.zeros((1, ROWS, WIDTH), jnp.float32))
    module = lowered.compiler_ir("stablehlo").operation
    text = module.get_asm(print_generic_op_form=True, large_elements_limit=None)
    (out / "block-jax.mlir").write_text(text, encoding="utf-8")


def computed(w: Weights, x: Any) -> Any:
    """The scores of the block for inputs x of shape (n, rows, width), in the precision of the weights."""
    from math import erf

    def norm(x: Any, name: str) -> Any:
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * w["g" + name] + w[
            "h" + name
        ]

    def dense(x: Any, name: str) -> Any:
        return x @ w["w" + name] + w["b" + name]

    rows = norm(x, "x")
    q, k, v = (dense(rows, name).reshape(-1, ROWS, HEADS, HEAD).transpose(0, 2, 1, 3) for name in "qkv")
    scores = q @ k.transpose(0, 1, 3, 2) * HEAD**-0.5
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = shares / shares.sum(-1, keepdims=True) @ v
    first = x + dense(mixed.transpose(0, 2, 1, 3).reshape(-1, ROWS, WIDTH), "o")
    hidden = dense(norm(first, "y"), "1")
    hidden = hidden * (1 + np.vectorize(erf)(hidden / 2**0.5)) / 2
    return dense(norm(first + dense(hidden, "2"), "z").mean(1), "c")


def data(w: Weights, out: Path) -> None:
    """Write val.npz and test.npz: inputs, which are multiples of 1/16, and their classes.

    Each row of an input is the sum of a random row that all rows share and random noise.
    """
    random = np.random.default_rng(2)
    x = random.normal(size=(VAL + TEST, ROWS, WIDTH)) + random.normal(size=(VAL + TEST, 1, WIDTH))
    x = np.round(16 * x) / 16
    y = computed({name: value.astype(np.float64) for name, value in w.items()}, x).argmax(1)
    x = x.reshape(len(x), -1).astype(np.float32)
    for name, part in (("val", slice(VAL)), ("test", slice(VAL, None))):
        np.savez_compressed(out / f"{name}.npz", x=x[part], y=y[part])


def main() -> None:
    folder, kind = Path(sys.argv[1]), sys.argv[2]
    folder.mkdir(parents=True, exist_ok=True)
    {"onnx": as_onnx, "pytorch": as_pytorch, "keras": as_keras, "jax": as_jax}[kind](weights(), folder)
    if kind == "onnx":
        data(weights(), folder)


if __name__ == "__main__":
    main()
