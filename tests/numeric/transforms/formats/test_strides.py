"""Streaming programs may return results at intervals shorter than a window."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from programs.network_writer import NetworkWriter
from programs.streamed_networks import answers
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.tools.driver.stages import compile_kept
from tinyml.transforms.formats.receive_input import ReceiveInputPass

ROW, STEPS = 6, 12

CALLER = """
#include <stdio.h>
#include "NAME.h"

int main(void)
{
    int8_t sample;
    while (fread(&sample, 1, 1, stdin) == 1) {
        NAME_push(&sample, 1);
        if (NAME_ready()) {
            NAME_predict();
            fwrite(NAME_scores(), 1, NAME_OUTPUT_LENGTH, stdout);
        }
    }
    return NAME_push(&sample, 0);
}
"""

RUNNING = """
func.func @running(%X: tensor<{t}x6x!fixed.q<8, 7>>) -> tensor<6x!fixed.q<8, 7>> {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %steps = arith.constant {t} : index
  %H = tdsl.fill {{value = 0.25 : f64}} -> tensor<6x!fixed.q<8, 7>>
  %r = scf.for %i = %zero to %steps step %one iter_args(%h = %H) -> (tensor<6x!fixed.q<8, 7>>) {{
    %x = tdsl.index %X[%i] : tensor<{t}x6x!fixed.q<8, 7>> -> tensor<6x!fixed.q<8, 7>>
    %s = tdsl.sub %x, %h : tensor<6x!fixed.q<8, 7>>, tensor<6x!fixed.q<8, 7>> -> tensor<6x!fixed.q<8, 7>>
    scf.yield %s : tensor<6x!fixed.q<8, 7>>
  }}
  func.return %r : tensor<6x!fixed.q<8, 7>>
}}
"""


def running(steps: int) -> ModuleOp:
    return Parser(context(), RUNNING.format(t=steps)).parse_module()


def network(*, padded: bool = False) -> ModuleOp:
    """A program of a convolution and a pool over time, with rings of three and two rows, and the mean of their results.

    padded: whether the convolution is padded by one step at the start.
    """
    net = NetworkWriter((1, STEPS, 3, 2), 3)
    image = net.pool(net.convolution(net.input, 4, 3, padding=(int(padded), 0, 1, 1)))
    return net.module(net.mean(image))


def samples(steps: int) -> np.ndarray:
    return np.random.default_rng(1).integers(-127, 128, (4, ROW * steps)).astype(np.int8)


def on_host(whole: ModuleOp, stride: int, raws: np.ndarray, folder: Path) -> np.ndarray:
    """The scores of all results for one sequence, computed by the C of the streaming program.

    whole: the program of one window.
    stride: the number of steps from one result to the next.
    """
    compiled = compile_kept(whole, context(), PipelineOptions(data="", input="push", stride=stride))
    name = compiled.header.partition("_INPUT_LENGTH")[0].rpartition(" ")[2]
    for file, text in ((f"{name}.c", compiled.source), (f"{name}.h", compiled.header), ("main.c", CALLER)):
        (folder / file).write_text(text.replace("NAME", name) if file == "main.c" else text)
    sources = [str(folder / file) for file in ("main.c", f"{name}.c")]
    subprocess.run(["gcc", "-O1", "-ffp-contract=off", *sources, "-o", str(folder / "main")], check=True)
    said = subprocess.run([folder / "main"], input=raws.tobytes(), capture_output=True, check=True).stdout
    return np.frombuffer(said, np.int8)


def test_states_of_loops_go_on(tmp_path: Path):
    raws, stride = samples(STEPS + 7), 3
    got = answers(running(STEPS), stride, raws)
    expected = [
        evaluate(running(steps), raws[:, : ROW * steps]).tensors[0] for steps in range(STEPS, STEPS + 8, stride)
    ]
    assert len(got) == len(expected) == 3
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one.tensors[0], other)
    scores = on_host(running(STEPS), stride, raws[0], tmp_path).reshape(3, -1)
    np.testing.assert_array_equal(scores, [each[0] for each in expected])


@pytest.mark.long
def test_windows_of_images_move_on(tmp_path: Path):
    """Each result of a streaming network on images is that of the whole program on the latest window. The mean over the
    window is computed anew and not as a running sum.
    """
    raws, stride = samples(STEPS + 20), 6
    got = answers(network(), stride, raws)
    windows = [raws[:, ROW * first : ROW * (first + STEPS)] for first in range(0, 21, stride)]
    expected = [evaluate(network(), window).tensors[0] for window in windows]
    assert len(got) == len(expected) == 4
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one.tensors[0], other)
    scores = on_host(network(), stride, raws[0], tmp_path).reshape(4, -1)
    np.testing.assert_array_equal(scores, [each[0] for each in expected])


GAPS = """
func.func @gaps(%X: tensor<1x14x!fixed.q<8, 7>>) -> tensor<1x4x!fixed.q<8, 7>> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %three = arith.constant 3 : index
  %H = tdsl.fill {value = 0.0 : f64} -> tensor<1x4x!fixed.q<8, 7>>
  %r = scf.for %i = %zero to %three step %one iter_args(%h = %H) -> (tensor<1x4x!fixed.q<8, 7>>) {
    %first = arith.muli %i, %five : index
    %x = tdsl.slice %X[%zero, %first] : tensor<1x14x!fixed.q<8, 7>> -> tensor<1x4x!fixed.q<8, 7>>
    %s = tdsl.sub %x, %h : tensor<1x4x!fixed.q<8, 7>>, tensor<1x4x!fixed.q<8, 7>> -> tensor<1x4x!fixed.q<8, 7>>
    scf.yield %s : tensor<1x4x!fixed.q<8, 7>>
  }
  func.return %r : tensor<1x4x!fixed.q<8, 7>>
}
"""


def test_samples_between_frames_are_dropped(tmp_path: Path):
    """Frames have 4 samples and begin every 5 samples. The sample between two frames is dropped, also between
    windows.
    """
    whole = Parser(context(), GAPS).parse_module()
    raws = samples(5)[:, :29]
    expected = [evaluate(whole, raws[:, first : first + 14]).tensors[0] for first in (0, 15)]
    got = answers(whole, 3, raws)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one.tensors[0], other)
    scores = on_host(whole, 3, raws[0], tmp_path).reshape(2, -1)
    np.testing.assert_array_equal(scores, [each[0] for each in expected])


def test_refusals():
    for whole, stride, reason in (
        (network(), 4, "a multiple of 6 frames apart, .* of 2, 3 frames, begin anew: stride 6 is possible, got 4"),
        (network(padded=True), 6, "convolutions with padding over time see no frames before the first"),
        (network(), 13, "answers are from 1 to 12 frames apart, got 13"),
    ):
        with pytest.raises(InputError, match=reason):
            answers(whole, stride, samples(STEPS))
    with pytest.raises(InputError, match="--stride is for programs that stream, with --input push"):
        ReceiveInputPass(stride=3).apply(context(), network())
