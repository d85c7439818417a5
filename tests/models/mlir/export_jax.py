"""Write the networks of `train.py` as functions of JAX, in StableHLO's generic text.

`make bridges` runs this script in an environment with JAX. Its argument is the folder of the weights.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

# These packages are in no other environment.
jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")

HERE = Path(__file__).parent


def mlp(w: Any) -> Any:
    def function(x: Any) -> Any:
        x = x @ w["0.weight"].T + w["0.bias"]
        centred = x - x.mean(-1, keepdims=True)
        x = centred * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * w["1.weight"] + w["1.bias"]
        return jax.nn.softmax(jax.nn.relu(x) @ w["3.weight"].T + w["3.bias"])

    return function


def cnn(w: Any) -> Any:
    """The convolutional network on NHWC images, as users of JAX write it."""

    def convolution(x: Any, name: str, groups: int = 1, padding: str = "SAME") -> Any:
        filter = w[f"{name}.weight"].transpose(2, 3, 1, 0)
        layout = ("NHWC", "HWIO", "NHWC")
        sums = jax.lax.conv_general_dilated(
            x, filter, (1, 1), padding, dimension_numbers=layout, feature_group_count=groups
        )
        return sums + w[f"{name}.bias"]

    def function(x: Any) -> Any:
        x = convolution(x, "0")
        x = (x - w["1.running_mean"]) / jnp.sqrt(w["1.running_var"] + 1e-5) * w["1.weight"] + w["1.bias"]
        x = jax.nn.relu(x)
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = jax.nn.gelu(convolution(convolution(x, "4", 8), "5"))
        x = jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
        # PyTorch flattens channel by channel.
        return x.transpose(0, 3, 1, 2).reshape(1, -1) @ w["9.weight"].T + w["9.bias"]

    return function


def rnn(w: Any) -> Any:
    """A recurrent network: a scan over the rows of an image, of which only the last state is used."""

    def function(x: Any) -> Any:
        def step(h: Any, row: Any) -> Any:
            sums = row @ w["layer.weight_ih_l0"].T + w["layer.bias_ih_l0"]
            return jnp.tanh(sums + h @ w["layer.weight_hh_l0"].T + w["layer.bias_hh_l0"]), None

        h, _ = jax.lax.scan(step, jnp.zeros(16), x[0])
        return h @ w["out.weight"].T + w["out.bias"]

    return function


def gru(w: Any) -> Any:
    """A function from an image to scores, by a GRU. Its scan over the rows of the image returns all states, as a layer
    that returns sequences does; the last state determines the scores.
    """

    def function(x: Any) -> Any:
        def step(h: Any, row: Any) -> Any:
            enter = row @ w["layer.weight_ih_l0"].T + w["layer.bias_ih_l0"]
            again = h @ w["layer.weight_hh_l0"].T + w["layer.bias_hh_l0"]
            reset, update = (jax.nn.sigmoid(enter[at : at + 16] + again[at : at + 16]) for at in (0, 16))
            new = jnp.tanh(enter[32:] + reset * again[32:])
            h = (1 - update) * new + update * h
            return h, h

        _, states = jax.lax.scan(step, jnp.zeros(16), x[0])
        return states[-1] @ w["out.weight"].T + w["out.bias"]

    return function


NETWORKS = {"mlp": (mlp, (1, 64)), "cnn": (cnn, (1, 8, 8, 1)), "rnn": (rnn, (1, 8, 8)), "gru": (gru, (1, 8, 8))}


def main() -> None:
    expected = np.load(HERE / "expected.npz")
    for name, (make, shape) in NETWORKS.items():
        with np.load(f"{sys.argv[1]}/{name}.npz") as weights:
            function = jax.jit(make({key: weights[key] for key in weights.files}))
        images = expected["images"][: len(expected[name])] / np.float32(16)
        computed = np.concatenate([function(image.reshape(shape)).reshape(1, -1) for image in images])
        print(f"{name}: {np.abs(computed - expected[name]).max():.1e} from PyTorch")
        module = function.lower(jax.ShapeDtypeStruct(shape, jnp.float32)).compiler_ir("stablehlo")
        (HERE / f"{name}-jax.mlir").write_text(module.operation.get_asm(print_generic_op_form=True))


if __name__ == "__main__":
    main()
