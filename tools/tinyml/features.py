"""Features of signals: front ends, and the numbers that a device computes with them.

front_end = features.Spectrogram(samples=512, bands=20, floor=0.05, coefficients=13)
device = features.for_device(front_end, X)
model.fit(device(X), y)
program = tinyml.compile(device.followed_by(model), X_val, y_val, board="uno")
"""

from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported, missing_part, needs

if TYPE_CHECKING:
    from tinyml.tools.api.features import ESPHOME_UNIT as ESPHOME_UNIT
    from tinyml.tools.api.features import DeviceFeatures as DeviceFeatures
    from tinyml.tools.api.features import FrontEnd as FrontEnd
    from tinyml.tools.api.features import LogMel as LogMel
    from tinyml.tools.api.features import MicroFrontend as MicroFrontend
    from tinyml.tools.api.features import Motion as Motion
    from tinyml.tools.api.features import Spectrogram as Spectrogram
    from tinyml.tools.api.features import SquareWaves as SquareWaves
    from tinyml.tools.api.features import float_features as float_features
    from tinyml.tools.api.features import for_device as for_device
    from tinyml.tools.api.features import joined as joined
    from tinyml.tools.api.features import mel_matrix as mel_matrix
    from tinyml.tools.api.features import wake_words as wake_words

_PUBLIC = "tinyml.tools.api.features"

if (part := missing_part(_PUBLIC)) is not None:
    raise InputError(f"tinyml.features {needs(part)}")


def __getattr__(name: str) -> object:
    if name.startswith("_"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(imported(_PUBLIC), name)
