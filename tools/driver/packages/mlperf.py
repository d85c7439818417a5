"""The packaging `mlperf`: firmware for the runner of MLPerf Tiny, for the networks of the benchmark.

Source: the interface of the benchmark, github.com/mlcommons/tiny, benchmark/api (`submitter_implemented.h`), and the
commands that benchmark/runner sends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.tdsl.inputs import Pushes
from tinyml.tools.cli.filled_templates import filled_templates
from tinyml.tools.driver.packages import arduino, cmake
from tinyml.tools.driver.packages.cmake import example_words
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging


@dataclass(frozen=True)
class _Network:
    """A network of the benchmark.

    inputs, outputs: the numbers of inputs and outputs.
    load: the C statements that convert the received bytes to an input.
    bytes: bytes per element.
    error: true if the result is the mean squared error of the outputs, taken as reconstructed inputs.
    weights: the least number of constants, which distinguishes networks of the same sizes.
    """

    inputs: int
    outputs: int
    load: str
    bytes: int = 1
    error: bool = False
    weights: int = 0


_PIXELS = """\
    for (int i = 0; i < {name}_INPUT_LENGTH; i++)
        {name}_input({given})[i] = (int8_t)(mlperf_input[i] - 128);"""

_NETWORKS: Mapping[str, _Network] = {
    "kws01": _Network(490, 12, "    memcpy({name}_input({given}), mlperf_input, sizeof mlperf_input);"),
    "ic01": _Network(3072, 10, _PIXELS),
    "vww01": _Network(27648, 2, _PIXELS),
    "ad01": _Network(
        640,
        640,
        """\
    for (int i = 0; i < {name}_INPUT_LENGTH; i++)
        {name}_set({before}i, feature(i));""",
        bytes=4,
        error=True,
    ),
    "ic02": _Network(3072, 10, _PIXELS, weights=200_000),
}
"""The networks by their names in the runner. Bytes are raws of kws01, pixels of ic01, ic02 and vww01, and floats of
ad01. The networks of ic01 and ic02 have 78 thousand and 476 thousand weights.
"""

STREAM = "sww01"
"""The name of the streaming network in the runner."""

_STREAM_FRONT_END = Pushes(1024, 512, 30, 1)
"""The frames of the benchmark's front end, and those that the streaming network reads."""

_WINDOW = 1200, 3
"""The numbers of inputs and outputs of the streaming network without its front end."""

_FEATURE = """
static float feature(int i)
{
    float number;
    memcpy(&number, mlperf_input + sizeof number * i, sizeof number);
    return number;
}
"""

_SCORES = """\
    for (int i = 0; i < {name}_OUTPUT_LENGTH; i++)
        print_result({name}_score({before}i), i < {name}_OUTPUT_LENGTH - 1 ? "," : "]\\r\\n");"""

_ERROR = """\
    float sum = 0;
    for (int i = 0; i < {name}_OUTPUT_LENGTH; i++) {{
        const float difference = {name}_score({before}i) - feature(i);
        sum += difference * difference;
    }}
    print_result(sum / {name}_OUTPUT_LENGTH, "]\\r\\n");"""

_SKETCH = "mlperf.ino"

_TEMPLATES = files("tinyml.tools.driver.packages") / "templates" / "mlperf"


def _network(model: PackagedModel) -> tuple[str, _Network]:
    """Return the name and the description of the benchmark network that a model implements.

    Raises `InputError` for other models, and for a model whose input the runner cannot send.
    """
    interface = model.interface
    sizes = interface.input_length, interface.output_length
    if sizes == _WINDOW:
        raise InputError(
            f"--package mlperf: the runner sends sounds to {STREAM}: compile it with features=features.LogMel()"
        )
    same = [item for item in _NETWORKS.items() if (item[1].inputs, item[1].outputs) == sizes]
    if not same:
        known = ", ".join(f"{name} {each.inputs} to {each.outputs}" for name, each in _NETWORKS.items())
        raise InputError(f"--package mlperf: the model maps {sizes[0]} numbers to {sizes[1]}, the benchmark's {known}")
    weights = sum(op.raws.size for op in model.formats.walk() if isinstance(op, tdsl.ConstOp))
    found = [item for item in same if item[1].weights <= weights][-1]
    if interface.row_elements is not None or interface.pushes is not None:
        raise InputError("--package mlperf: the runner sends whole inputs: omit --input")
    if found[1].bytes == 1 and (interface.input_ctype != "int8_t" or interface.packed_bits is not None):
        raise InputError(
            f"--package mlperf: the runner sends bytes to {found[0]}, the model takes {interface.input_ctype}: "
            "leave out --quantization anew, or give --width 8"
        )
    return found


def _files(model: PackagedModel) -> dict[str, str]:
    interface = model.interface
    if interface.pushes == _STREAM_FRONT_END and interface.input_ctype == "int16_t" and interface.has_label:
        words = {"network": STREAM, "parts": "stream.c", "before": model.before, "rate": f"{interface.rate:.0f}"}
        return _filled(model, example_words(model) | words, "stream")
    name, network = _network(model)
    names = {"name": model.name, "given": model.given, "before": model.before}
    load = network.load.format(**names)
    run = f"    {model.name}_run({model.given});"
    words = example_words(model) | {
        "network": name,
        "parts": "inputs.c inference.c",
        "input_bytes": str(network.inputs * network.bytes),
        "load": load,
        # An inference overwrites an input in the arena.
        "infer": f"{load}\n{run}" if interface.in_own_buffer else run,
        "results": (_ERROR if network.error else _SCORES).format(**names),
    }
    if network.error:
        words["instance"] += _FEATURE
    found = _filled(model, words, "inputs")
    if not model.board.arduino:
        del found[_SKETCH]
    return found


def _filled(model: PackagedModel, words: Mapping[str, str], kind: str) -> dict[str, str]:
    texts = [item for folder in ("shared", kind) for item in filled_templates(_TEMPLATES / folder, words)]
    return model.sources | {str(path): text for path, text in texts}


MLPERF = Packaging("mlperf", _files, products=(*cmake.PRODUCTS, *arduino.PRODUCTS))
"""The packaging: `mlperf/` is the firmware, a sketch for boards of Arduino's tools and a program for computers."""
