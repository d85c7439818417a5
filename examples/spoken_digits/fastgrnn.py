"""FastGRNN (Kusupati et al., NeurIPS 2018) over the frames of a word; the features are means of its hidden states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from spoken_digits import CLASSES, FRONT_END
from torch import nn

HIDDEN = 32

PROGRAM = """func.func @digits(%X: tensor<1xALLxf32>) -> (index, tensor<1xCLASSESxf32>) {
  %rows = tdsl.reshape %X : tensor<1xALLxf32> -> tensor<FRAMESx1xFEATURESxf32>
CONSTANTS
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %frames = arith.constant FRAMES : index
  %H = tdsl.fill {value = 0.0 : f64} -> tensor<1xHIDDENxf32>
  %last, %sum = scf.for %i = %zero to %frames step %one iter_args(%h = %H, %s = %H) -> (ROW, ROW) {
    %x = tdsl.index %rows[%i] : tensor<FRAMESx1xFEATURESxf32> -> tensor<1xFEATURESxf32>
    %p = tdsl.matmul %x, %W : tensor<1xFEATURESxf32>, tensor<FEATURESxHIDDENxf32> -> ROW
    %q = tdsl.matmul %h, %U : ROW, tensor<HIDDENxHIDDENxf32> -> ROW
    %a = tdsl.add %p, %q : ROW, ROW -> ROW
    %g = tdsl.add %a, %Bg : ROW, ROW -> ROW
    %z = tdsl.sigmoid %g : ROW -> ROW
    %b = tdsl.add %a, %Bh : ROW, ROW -> ROW
    %c = tdsl.tanh %b : ROW -> ROW
    %m = tdsl.mul %z, %zeta : ROW, tensor<1x1xf32> -> ROW
    %n = tdsl.sub %share, %m : tensor<1x1xf32>, ROW -> ROW
    %u = tdsl.mul %n, %c : ROW, ROW -> ROW
    %k = tdsl.mul %z, %h : ROW, ROW -> ROW
    %next = tdsl.add %k, %u : ROW, ROW -> ROW
    %total = tdsl.add %s, %next : ROW, ROW -> ROW
    scf.yield %next, %total : ROW, ROW
  }
  %v = tdsl.matmul %sum, %V : ROW, tensor<HIDDENxCLASSESxf32> -> tensor<1xCLASSESxf32>
  %scores = tdsl.add %v, %B : tensor<1xCLASSESxf32>, tensor<1xCLASSESxf32> -> tensor<1xCLASSESxf32>
  %label = tdsl.argmax %scores : tensor<1xCLASSESxf32>
  func.return %label, %scores : index, tensor<1xCLASSESxf32>
}
"""


class FastGRNN(nn.Module):
    """A FastGRNN and a dense layer, which classifies the mean of the states h over all frames.

    The state follows `z = sigmoid(x W + h U + b_g)`, `h = z h + (zeta (1 - z) + nu) tanh(x W + h U + b_h)`.
    """

    STEPS = 2400
    FORMAT, WIDTH = "fixed", 16

    def __init__(self) -> None:
        super().__init__()
        features = FRONT_END.features
        self.w = nn.Parameter(torch.randn(features, HIDDEN) / features**0.5)
        self.u = nn.Parameter(0.7 * torch.randn(HIDDEN, HIDDEN) / HIDDEN**0.5)
        self.gate, self.bias = nn.Parameter(torch.ones(HIDDEN)), nn.Parameter(torch.zeros(HIDDEN))
        self.zeta, self.nu = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(-4.0))
        self.last = nn.Sequential(nn.Dropout(0.2), nn.Linear(HIDDEN, CLASSES))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        from_input = x.reshape(len(x), FRONT_END.frames, FRONT_END.features) @ self.w
        h, total = torch.zeros(len(x), HIDDEN), torch.zeros(len(x), HIDDEN)
        zeta, nu = torch.sigmoid(self.zeta), torch.sigmoid(self.nu)
        for step in from_input.unbind(1):
            both = step + h @ self.u
            z = torch.sigmoid(both + self.gate)
            h = z * h + (zeta * (1 - z) + nu) * torch.tanh(both + self.bias)
            total = total + h
        return self.last(total / FRONT_END.frames)

    def save(self, stem: Path) -> Path:
        """Write the network as a program of `tdsl` to STEM.mlir."""
        zeta, nu = (float(torch.sigmoid(share.detach())) for share in (self.zeta, self.nu))
        linear = self.last[1]
        assert isinstance(linear, nn.Linear)
        numbers = {"W": self.w, "U": self.u, "Bg": self.gate, "Bh": self.bias, "V": linear.weight.T, "B": linear.bias}
        arrays = {name: np.atleast_2d(value.detach().numpy()) for name, value in numbers.items()}
        arrays["V"] = arrays["V"] / FRONT_END.frames
        arrays |= {"zeta": np.array([[zeta]]), "share": np.array([[zeta + nu]])}
        constants: list[str] = []
        for name, array in arrays.items():
            shape = "x".join(map(str, array.shape))
            dense = np.round(array.astype(np.float64), 7).tolist()
            constants.append(f"  %{name} = tdsl.const dense<{dense}> : tensor<{shape}xf32> -> tensor<{shape}xf32>")
        words = {
            "CONSTANTS": "\n".join(constants),
            "ROW": "tensor<1xHIDDENxf32>",
            "ALL": FRONT_END.frames * FRONT_END.features,
            "FRAMES": FRONT_END.frames,
            "FEATURES": FRONT_END.features,
            "HIDDEN": HIDDEN,
            "CLASSES": CLASSES,
        }
        text = PROGRAM
        for word, value in words.items():
            text = text.replace(word, str(value))
        file = stem.with_suffix(".mlir")
        file.write_text(text, "utf-8")
        return file
