"""Features of signals as a device computes them, for training: the module `tinyml.features`.

A front end is a function of signals that computes features in double precision. Example signals determine its number
formats. With these formats it computes the same bits as the device. A model is trained on these features and compiled
together with the front end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import USUAL_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.signals.front_ends import FrontEnd as FrontEnd
from tinyml.lowering.frontends.signals.front_ends import Spectrogram as Spectrogram
from tinyml.lowering.frontends.signals.front_ends import followed_by
from tinyml.lowering.frontends.signals.front_ends import joined as joined
from tinyml.lowering.frontends.signals.front_ends import mel_matrix as mel_matrix
from tinyml.lowering.frontends.signals.log_mel import LogMel as LogMel
from tinyml.lowering.frontends.signals.micro_frontend import ESPHOME_UNIT as ESPHOME_UNIT
from tinyml.lowering.frontends.signals.micro_frontend import MicroFrontend as MicroFrontend
from tinyml.lowering.frontends.signals.motion import Motion as Motion
from tinyml.lowering.frontends.signals.square_waves import SquareWaves as SquareWaves
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, predict_function
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.tools.api.loading import Model, load, of_object
from tinyml.tools.api.wake_words import wake_words as wake_words

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp


@dataclass(frozen=True, eq=False)
class DeviceFeatures:
    """A front end with number formats.

    Call it with signals (n, samples) to compute features (n, frames * features). The features are the reals that the
    device's bits represent.
    """

    front_end: FrontEnd
    program: ModuleOp

    def __call__(self, signals: object) -> NDArray[np.float64]:
        rows = _signals(signals, self.front_end.samples)
        raws = evaluate(self.program, encode_inputs(self.program, rows)).scores
        last = cast(Any, predict_function(self.program).body.block.last_op)
        return tdsl.format_of(last.operands[0]).decode(cast(Any, raws)).reshape(len(rows), -1)

    def followed_by(self, model: object) -> Model:
        """Compose this front end, whose bits are unchanged, with a model of its features.

        model: any source that `tinyml.load` accepts; compilation chooses its number formats.

        Raises `InputError` for a model with another number of features, and for a model that already has number
        formats.
        """
        return of_object(followed_by(self.program, load(model).module))


def float_features(front_end: FrontEnd, signals: object) -> NDArray[np.float64]:
    """The features of signals in double precision, (n, frames * features)."""
    rows = _signals(signals, front_end.samples)
    return np.asarray(evaluate_reals(front_end.module(), rows).scores).reshape(len(rows), -1)


def for_device(
    front_end: FrontEnd,
    signals: object,
    *,
    format: str = USUAL_FORMAT,
    width: int | None = None,
    widths: Sequence[str] = (),
) -> DeviceFeatures:
    """Choose number formats for a front end; example signals (n, samples) determine the scales. If the formats of the
    front end are fixed, they are unchanged.

    format, width: as for `tinyml compile`.
    widths: `NAME:BITS` for each tensor with another width, where NAME is the tensor's name in the front end.

    Raises `InputError` for signals of another length, an unknown format and an unknown tensor.
    """
    rows, program = _signals(signals, front_end.samples), front_end.module()
    if tdsl.has_formats(program):
        return DeviceFeatures(front_end, program)
    with temporary_folder() as folder:
        data = folder / "signals.npz"
        np.savez(data, x=rows)
        options = {"format": format, "width": width, "data": str(data), "weights": None, "widths": tuple(widths)}
        pipelines.run(program, context(), pipelines.flatten("reals-to-formats", options))
    return DeviceFeatures(front_end, program)


def _signals(signals: object, samples: int) -> NDArray[np.float32]:
    rows = np.asarray(signals)
    if rows.dtype.kind not in "fiu" or rows.size == 0 or rows.shape[0] * samples != rows.size:
        raise InputError(f"expected signals of {samples} samples each, got an array of shape {list(rows.shape)}")
    return rows.reshape(-1, samples).astype(np.float32)
