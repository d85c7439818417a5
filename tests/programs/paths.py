"""The folders of the models and inputs that tests use."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
FILECHECK = TESTS / "filecheck"
MODELS = {
    "fastgrnn": ROOT / "examples/fastgrnn-mnist16/fastgrnn_mnist16.sd",
    "protonn": ROOT / "examples/protonn-gesturepod/protonn_gesturepod.sd",
    "bonsai": TESTS / "models/bonsai-mnist16/bonsai_mnist16.sd",
}
"""Programs in SeeDot's language; `val.npz` and `test.npz` lie beside each."""
LENET = ROOT / "examples/lenet/lenet.sd"
NETWORK = TESTS / "models/small-network/small_network.sd"
"""The same with convolutions; inputs of LeNet are those of `examples/pruned-lenet`."""
