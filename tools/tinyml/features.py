"""Features of signals: front ends, and the numbers that a device computes with them.

front_end = features.Spectrogram(samples=512, bands=20, floor=0.05, coefficients=13)
device = features.for_device(front_end, X)
model.fit(device(X), y)
program = tinyml.compile(device.followed_by(model), X_val, y_val, board="uno")
"""

from tinyml.lowering.frontends.signals.front_ends import FrontEnd as FrontEnd
from tinyml.lowering.frontends.signals.front_ends import Spectrogram as Spectrogram
from tinyml.lowering.frontends.signals.front_ends import joined as joined
from tinyml.lowering.frontends.signals.motion import Motion as Motion
from tinyml.lowering.frontends.signals.square_waves import SquareWaves as SquareWaves
from tinyml.tools.api.features import DeviceFeatures as DeviceFeatures
from tinyml.tools.api.features import float_features as float_features
from tinyml.tools.api.features import for_device as for_device
