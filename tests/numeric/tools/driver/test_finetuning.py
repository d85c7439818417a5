"""Fine-tuning: the outputs in training equal those of the compiled program, derivatives equal finite differences,
limits are kept, and training that increases the loss is refused.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import roomy
from programs.network_writer import NetworkWriter
from programs.on_boards import difference, printed
from programs.spread import spread
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.lowering import pipelines
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.arithmetics import Bits, Reals
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, in_reals, predict_function
from tinyml.runtime.training.training import Labelled, Trainer, cross_entropy
from tinyml.runtime.training.weights import TrainedWeights
from tinyml.tools.driver.channels import channels_of
from tinyml.tools.driver.finetune import QuantisedProgram, finetune, limits_of
from tinyml.tools.driver.finetuning_options import NORMS, REFIT, FinetuneOptions
from tinyml.tools.driver.stages import compile_kept, passes_to_formats
from tinyml.transforms.formats.plan_execution import streamed_segments
from tinyml.transforms.reals.channels.resource_limits import FLASH, MACS, RAM, ResourceLimits


def images(count: int, seed: int) -> Labelled:
    """Images of 8 x 8 pixels with noise and a bright row, column or diagonal, and their classes."""
    random = np.random.default_rng(seed)
    y, x = random.integers(0, 3, count), random.normal(0.0, 0.3, (count, 8, 8))
    for image, kind, at in zip(x, y, random.integers(1, 7, count), strict=True):
        image += [np.arange(8) == at, (np.arange(8) == at)[:, None], np.eye(8)][kind]
    return Labelled(x.reshape(count, -1).clip(-1, 2), y)


TRAIN, VAL, TEST = images(320, 0), images(96, 1), images(200, 2)


def network() -> ModuleOp:
    net = NetworkWriter((1, 8, 8, 1), 0, F32_FORMAT)
    image = net.convolution(net.pool(net.convolution(net.input, 6, 3)), 8, 2)
    return net.module(net.dense(net.relu(net.dense(image, 12)), 3))


def scores(outputs: Outputs) -> NDArray[np.float64]:
    assert outputs.scores is not None
    return outputs.scores


def numbers(folder: Path, **options: Any) -> PipelineOptions:
    np.savez(file := folder / "val.npz", x=VAL.x.astype("f4"), y=VAL.y)
    return PipelineOptions(data=str(file), **options)


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize(
    "options",
    spread(
        [{"width": 8}, {"width": 4, "row_scales": True}, {"format": "affine", "width": 8}, {"plan": "partial-8"}], 2
    ),
)
def test_training_computes_what_the_compiled_program_computes(options: dict[str, Any], tmp_path: Path):
    chosen = FinetuneOptions(epochs=1, quantized_epochs=1, batch=16, rate=0.01)
    train = Labelled(TRAIN.x[:160], TRAIN.y[:160])
    tuned = finetune(network(), train, VAL, chosen, numbers(tmp_path, **options))
    trained = tuned.trainer.logits(tuned.trainer.inputs(TEST.x))
    raws = encode_inputs(tuned.module, TEST.x)
    # As `tinyml compile` takes it: with storage and accumulators chosen again.
    formats = compile_kept(tuned.module, context(), PipelineOptions(data="", target="host")).formats
    assert np.array_equal(scores(in_reals(formats, evaluate(formats, raws))), trained)
    source = printed(tuned.module, "host", tmp_path / "host")
    assert difference(tuned.module, raws, source, runner_for("host"), tmp_path / "build") is None
    if options == {"width": 4, "row_scales": True}:
        source = printed(tuned.module, "uno", tmp_path / "uno")
        assert difference(tuned.module, raws[:5], source, runner_for(roomy("uno")), tmp_path / "avr") is None


@pytest.mark.long(seconds=5)
def test_a_depthwise_network_is_trained_with_rounded_sums(tmp_path: Path):
    """Fine-tuning with the plan `partial-8`, which rounds sums after every channel, computes the bits of the resulting
    program, although it computes whole images and the program runs channel by channel.
    """
    net = NetworkWriter((1, 8, 8, 1), 0, F32_FORMAT)
    image = net.inverted_residual(net.convolution(net.input, 4, 3, 2), 8, 4)
    module = net.module(net.dense(net.mean(image), 3))
    train = Labelled(TRAIN.x[:64], TRAIN.y[:64])
    chosen = FinetuneOptions(epochs=1, quantized_epochs=1, batch=16, rate=0.01)
    tuned = finetune(module, train, VAL, chosen, numbers(tmp_path, plan="partial-8", width=8))
    assert [segment["by"] for segment in streamed_segments(tuned.module)] == ["partial-8, rounded"]
    x = TEST.x[:20]
    trained = tuned.trainer.logits(tuned.trainer.inputs(x))
    found = evaluate(tuned.module, encode_inputs(tuned.module, x))
    assert np.array_equal(scores(in_reals(tuned.module, found)), trained)


def test_derivatives_of_the_loss_on_reals():
    module = network()
    trainer = Trainer(weights := TrainedWeights(module), Reals)
    found = trainer.derivatives(TRAIN.x[:8], TRAIN.y[:8])
    random = np.random.default_rng(0)
    steps = [random.normal(size=variable.shape) for variable in weights.variables]
    start, losses = weights.state(), list[float]()
    for sign in (1, -1):
        for variable, value, step in zip(weights.variables, start, steps, strict=True):
            variable[...] = value + sign * 1e-4 * step
        weights.write()
        losses.append(cross_entropy(trainer.logits(TRAIN.x[:8]), TRAIN.y[:8])[0])
    expected = sum(float((slope * step).sum()) for slope, step in zip(found, steps, strict=True))
    assert (losses[0] - losses[1]) / 2e-4 == pytest.approx(expected, rel=0.01)


def test_derivatives_of_the_loss_by_the_inputs():
    trainer = Trainer(TrainedWeights(network()), Reals)
    x, y = TRAIN.x[:8], TRAIN.y[:8]
    trace = trainer.trace(x, of_inputs=True)
    [found] = [
        slope
        for value, slope in trace.backward(cross_entropy(trace.logits, y)[1]).items()
        if value in trainer.function.args
    ]
    step = np.random.default_rng(0).normal(size=x.shape)
    ends = [cross_entropy(trainer.logits(x + sign * 1e-4 * step), y)[0] for sign in (1, -1)]
    assert (ends[0] - ends[1]) / 2e-4 == pytest.approx(float((found.reshape(x.shape) * step).sum()), rel=0.01)


def test_nothing_passes_a_result_that_its_format_limits(tmp_path: Path):
    program = QuantisedProgram(network(), context(), numbers(tmp_path, width=8))
    trainer = program.trainer(program.reals)
    bias = next(weight for weight in trainer.weights.weights if weight.constant.result.name_hint == "b4")
    slopes: dict[float, NDArray[Any]] = {}
    high = float(bias.high.max())
    for real in (0.0, high):
        # The last layer's results, whose range is that of the profile, are at their greatest with the greatest bias.
        bias.real[...] = real
        trace = trainer.trace(trainer.inputs(VAL.x))
        slopes[real] = trace.backward(-np.ones_like(trace.logits))[bias.constant.result]
    assert (slopes[0.0] == -len(VAL.y)).all()
    format = tdsl.format_of(trace.scores)
    limited = trace.logits == format.decode(format.encode(np.array([np.inf])))
    assert np.array_equal(slopes[high].reshape(-1), limited.sum(0) - len(VAL.y))


@pytest.mark.long(seconds=5)
def test_ranges_are_chosen_by_the_loss(tmp_path: Path):
    """With `learn_ranges`, fine-tuning chooses a narrower range for the input, and the loss is more than 10 % lower
    than without this option. One sample of the profile is four times as large as the others, so that the range of
    the profile wastes two of 4 bits.

    The fine-tuned program computes the scores of the trained network.
    """
    random = np.random.default_rng(0)
    x = random.normal(size=(240, 8)).clip(-2, 2)
    data = Labelled(x, (x[:, :4].sum(1) > x[:, 4:].sum(1)).astype(np.int64))
    np.savez(file := tmp_path / "val.npz", x=np.append(x, np.full((1, 8), 8.0), 0).astype("f4"), y=np.zeros(241, int))
    chosen = FinetuneOptions(epochs=20, quantized_epochs=2, rate=0.01)
    net = NetworkWriter((8, 1), 0, F32_FORMAT)
    program = net.module(net.dense(net.relu(net.dense(net.input, 6)), 2))
    options = PipelineOptions(data=str(file), width=4)
    tuned = [finetune(program, data, data, replace(chosen, learn_ranges=learn), options) for learn in (False, True)]
    assert tuned[1].quantised[0] < 0.9 * tuned[0].quantised[0]
    inputs = [tdsl.format_of(predict_function(each.module).args[0]) for each in tuned]
    assert inputs[1].decode(inputs[1].encode(np.array(np.inf))) < inputs[0].decode(inputs[0].encode(np.array(np.inf)))
    trained = tuned[1].trainer.logits(tuned[1].trainer.inputs(x))
    assert np.array_equal(
        scores(in_reals(tuned[1].module, evaluate(tuned[1].module, encode_inputs(tuned[1].module, x)))), trained
    )


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize(
    ("pruning", "limits"), [(NORMS, {RAM: 200}), (REFIT, {RAM: 200}), (REFIT, {FLASH: 450, MACS: 5000})]
)
def test_limits_are_kept(pruning: str, limits: dict[str, int], tmp_path: Path):
    chosen = FinetuneOptions(
        epochs=4,
        quantized_epochs=1,
        batch=16,
        rate=0.01,
        pruning=pruning,
        ram=limits.get(RAM),
        flash=limits.get(FLASH),
        macs=limits.get(MACS),
    )
    assert limits_of(chosen) == limits
    tuned = finetune(network(), TRAIN, VAL, chosen, numbers(tmp_path, width=8, plan="ordinary"))
    assert tuned.removed > 0
    left = ResourceLimits(channels_of(tuned.reals, "ordinary", 8), limits, 8)
    assert all(left.whole[name] <= limit for name, limit in limits.items())
    assert tuned.quantised[1] > 60


@pytest.mark.long
@pytest.mark.parametrize("options", [{"ram": 20}, {"flash": 10}, {"ram": 500, "flash": 400, "pruning": NORMS}])
def test_limits_that_cannot_be_kept(options: dict[str, Any], tmp_path: Path):
    chosen = FinetuneOptions(epochs=1, quantized_epochs=1, **options)
    with pytest.raises(InputError, match=r"cannot be kept|--pruning norms supports only a limit on RAM"):
        finetune(network(), VAL, VAL, chosen, numbers(tmp_path))


@pytest.mark.long(seconds=5)
def test_the_best_of_several_trainings_and_epochs(tmp_path: Path):
    chosen = FinetuneOptions(epochs=1, quantized_epochs=1, trainings=2, rate=0.01)
    tuned = [
        finetune(network(), TRAIN, VAL, each, numbers(tmp_path))
        for each in (chosen, *(FinetuneOptions(epochs=1, quantized_epochs=1, seed=seed, rate=0.01) for seed in (1, 2)))
    ]
    assert tuned[0].quantised == min((each.quantised for each in tuned[1:]), key=lambda each: each[0])
    assert tuned[0].seed in (1, 2)


def trained(tmp_path: Path) -> ModuleOp:
    """The network after training in floating point."""
    chosen = FinetuneOptions(epochs=12, quantized_epochs=0, rate=0.01)
    return finetune(network(), TRAIN, VAL, chosen, numbers(tmp_path, width=16)).reals


@pytest.mark.long
def test_training_starts_from_the_program_that_is_compiled_without_it(tmp_path: Path):
    """With zero epochs, fine-tuning returns the weights of the compiled program, whose loss is less than that of
    weights rounded to nearest.
    """
    program, options = trained(tmp_path), numbers(tmp_path, width=4)
    tuned = finetune(program, TRAIN, VAL, FinetuneOptions(epochs=0, quantized_epochs=0), options)
    pipelines.run(compiled := program.clone(), context(), passes_to_formats(options, None))
    raws = [
        [op.raws.tolist() for op in module.walk() if isinstance(op, tdsl.ConstOp)]
        for module in (tuned.module, compiled)
    ]
    assert raws[0] == raws[1]
    nearest = QuantisedProgram(program, context(), options).trainer({}, refined=False)
    assert tuned.untrained == tuned.quantised == Trainer(TrainedWeights(compiled), Bits).loss(VAL)
    assert tuned.quantised[0] < nearest.loss(VAL)[0]


@pytest.mark.long(seconds=5)
def test_few_bits_are_trained_by_larger_steps(tmp_path: Path):
    """With 4-bit numbers, ten epochs halve the loss, because the learning rate is greater. At the usual rate, they
    would move a weight by less than one step of its format.
    """
    chosen = FinetuneOptions(epochs=0, quantized_epochs=10)
    tuned = finetune(trained(tmp_path), TRAIN, VAL, chosen, numbers(tmp_path, width=4))
    assert tuned.quantised[0] < 0.5 * tuned.untrained[0]


@pytest.mark.long(seconds=5)
def test_a_program_in_formats_is_trained_again(tmp_path: Path):
    """Fine-tuning of a program in formats starts from its weights and computes in its formats. Its accuracy does not
    decrease.
    """
    chosen = FinetuneOptions(epochs=1, quantized_epochs=1, rate=0.01)
    first = finetune(trained(tmp_path), TRAIN, VAL, chosen, numbers(tmp_path, width=8))
    second = finetune(first.module, TRAIN, VAL, chosen, numbers(tmp_path, width=8))
    assert second.before == first.quantised
    assert second.quantised[1] >= first.quantised[1]


@pytest.mark.long(seconds=5)
def test_what_gets_worse_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def spoilt(program: QuantisedProgram, *_: Any) -> Trainer:
        trainer = program.trainer({})
        trainer.weights.restore([np.zeros_like(each) for each in trainer.weights.variables])
        return trainer

    chosen, program = FinetuneOptions(epochs=0), trained(tmp_path)
    monkeypatch.setattr("tinyml.tools.driver.finetune._train_formats", spoilt)
    with pytest.raises(InputError, match=r"training reduced the accuracy: .* % of the validation samples are right"):
        finetune(program, TRAIN, VAL, chosen, numbers(tmp_path, width=8))
