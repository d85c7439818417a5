"""The words of the sketch that answers samples from a desk (`tinyml run --port`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.runtime.devices.streaming_board import answer_bytes, digest_of

if TYPE_CHECKING:
    from tinyml.tools.driver.packages.packaged_model import PackagedModel


def stream_words(model: PackagedModel) -> dict[str, str]:
    """The digest of the model, the sizes of its input and outputs, and the statements that send the outputs."""
    interface, name = model.interface, model.name
    sizes = {"scores": interface.output_bytes} if interface.output_length else {}
    more = zip(interface.more_dtypes, interface.more_outputs, strict=True)
    sizes |= {f"output_{i}": dtype.itemsize * length for i, (dtype, (_, length)) in enumerate(more, 1)}
    return {
        "digest": f"0x{digest_of(model.sources[f'{name}.c']):08x}UL",
        "input_bytes": str(interface.input_bytes),
        "output_bytes": str(answer_bytes(interface)),
        "label_or_zero": "label" if interface.has_label else "0",
        "send_outputs": "".join(
            f"    send({name}_{output}({model.given}), {size});\n" for output, size in sizes.items()
        ),
    }
