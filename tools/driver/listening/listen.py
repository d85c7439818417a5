"""Runs of compiled programs that stream over recordings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.options import option
from tinyml.targets.registry import HOST
from tinyml.tools.driver.listening.heard import Heard
from tinyml.tools.driver.listening.words import Rule, words_in
from tinyml.tools.driver.requests.request import listed_targets, optimize

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.runtime.evaluator.evaluator import Outputs


@dataclass(frozen=True, kw_only=True)
class ListenRequest:
    """A request to run a compiled model over a recording; the fields are options of `tinyml listen`."""

    folder: Path = option("folder that tinyml compile wrote", flags=())
    wav: Path = option("recording of 8 or 16 bits, at the rate of the program's front end", metavar="FILE.wav")
    device: str = option(f"simulated board to run on: {listed_targets()}", default=HOST, metavar="BOARD")
    picture: Path | None = option(
        "draw the spectrogram, the scores and the words to this file",
        default=None,
        metavar="FILE.svg",
        writes=(".svg",),
    )
    optimize: str = optimize()


def heard_in(
    folder: Path, samples: NDArray[Any], rate: float | None, *, device: str = HOST, optimize: str = "-Os"
) -> Heard:
    """The answers of the program in a folder to real samples of a recording (samples,).

    rate: samples per second; None for those of the program's front end. Raises `InputError` for a program that does not
    stream or was made for another rate, and for a recording that is too short.
    """
    from tinyml.dialects import tdsl
    from tinyml.runtime.devices.listening import answers_to
    from tinyml.runtime.evaluator.evaluator import encode_inputs
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.targets.registry import board
    from tinyml.tools.driver.output.program_in_folder import program_in

    found = program_in(folder)
    formats = found.formats
    interface = interface_of(formats)
    if interface.pushes is None:
        raise InputError("the program does not stream: compile it with --input push", file=str(folder))
    if interface.rate is not None and rate not in (None, interface.rate):
        raise InputError(
            f"the recording has {rate:g} samples per second, the program takes {interface.rate:g}: convert it, such as "
            f"by ffmpeg -i FILE.wav -ar {interface.rate:g} NEW.wav"
        )
    if (known := interface.rate or rate) is None:
        raise InputError("the program does not say how many samples it takes per second: give rate")
    # The program's input is a window, and what encodes it takes windows.
    windows = np.zeros((-(-len(samples) // interface.input_length), interface.input_length), np.float32)
    windows.ravel()[: len(samples)] = samples
    raws = encode_inputs(formats, windows).reshape(-1)[: len(samples)]
    with found.to_build() as source_dir:
        answers = answers_to(source_dir, interface, raws, target=board(device).name, optimize=optimize)
    scores, classes = _scores(formats, answers.outputs), tdsl.classes_of(formats)
    labels = answers.outputs.classes if answers.outputs.labels is not None else scores.argmax(1)
    named = range(scores.shape[1]) if classes is None else classes
    if classes is not None:
        labels = np.asarray(classes)[labels]
    return Heard(answers.ends / known, labels, scores, [*map(str, named)], answers.longest)


def listen(request: ListenRequest, rule: Rule) -> dict[str, Any]:
    """Run a program over a recording, draw it if that is asked for, and return the result of the command in JSON."""
    from tinyml.runtime.readers.recordings import read_wav
    from tinyml.targets.registry import board
    from tinyml.tools.cli.atomic_file import write_file
    from tinyml.tools.cli.progress import Progress
    from tinyml.tools.driver.output.output_contents import read_report
    from tinyml.tools.reports.pictures.listening_picture import draw_heard

    stream: Mapping[str, Any] = read_report(request.folder).get("stream") or {}
    recording = read_wav(request.wav)
    chosen = board(request.device)
    with Progress(str(request.folder), 1) as progress:
        progress.step(f"listening to {len(recording.samples) / recording.rate:.1f} s on {chosen.name}")
        heard = heard_in(
            request.folder,
            recording.samples,
            recording.rate,
            device=chosen.name,
            optimize=f"-{request.optimize}",
        )
    words = words_in(rule, heard.times, heard.scores, heard.names)
    if request.picture is not None:
        picture = draw_heard(recording.samples, recording.rate, stream["hop"], heard, words)
        write_file(request.picture, picture.finished())
    return {
        "folder": str(request.folder),
        "device": chosen.name,
        "recording": str(request.wav),
        "rate": recording.rate,
        "samples": len(recording.samples),
        "longest_hop": heard.longest_hop or None,
        "classes": list(heard.names),
        "answers": [
            {"time": time, "name": name, "scores": scores}
            for time, name, scores in zip(
                heard.times.tolist(), map(str, heard.labels.tolist()), heard.scores.tolist(), strict=True
            )
        ],
        "words": [asdict(word) for word in words],
    }


def _scores(formats: ModuleOp, outputs: Outputs) -> NDArray[np.float64]:
    """The scores of at least two classes, as reals."""
    from tinyml.dialects import tdsl
    from tinyml.runtime.evaluator.evaluator import in_reals

    if outputs.scores is None:
        names = tdsl.classes_of(formats)
        count = max(2, int(outputs.classes.max()) + 1) if names is None else len(names)
        return np.eye(count)[outputs.classes]
    scores = np.asarray(in_reals(formats, outputs).scores, np.float64)
    if scores.shape[1] > 1:
        return scores
    if outputs.labels is None:
        raise InputError("the program gives a number and no class: it hears no words")
    return np.hstack([np.zeros(scores.shape), scores])
