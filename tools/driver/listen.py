"""Runs of compiled streaming programs over recordings, and the drawing of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.listening import answers_to
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, in_reals, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.readers.recordings import read_wav
from tinyml.targets.registry import HOST, board
from tinyml.tools.cli.atomic_output import write_file
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.heard import Heard, Rule, Word, words_in
from tinyml.tools.driver.listen_request import ListenRequest
from tinyml.tools.driver.output_folder import read_report
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.reports.svg import COLOURS, Drawing, shortened, ticks

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp


WIDTH, LEFT, RIGHT, TOP, GAP = 760, 74, 14, 26, 24

SPECTRUM, CLASS = 110, 14
"""Heights of the spectrogram and of the row of a class, in pixels."""

BINS, COLUMNS = 64, 640
"""Maximum frequency bins and columns drawn; larger spectrograms are max-pooled."""

RANGE = 60.0
"""The dynamic range in decibels, from the loudest sample (black) to white."""

SHADES = 15
"""Number of shades between black and white."""


def heard_in(
    folder: Path, samples: NDArray[Any], rate: float | None, *, device: str = HOST, optimize: str = "-Os"
) -> Heard:
    """The answers of the program in a folder to the samples of a recording.

    samples: reals (samples,) in single precision, or in double precision if single precision would change a raw.
    rate: samples per second; None for the rate of the program's front end.

    Raises `InputError` for a program that does not stream or was compiled for another rate, for an unknown rate, and
    for a recording that is too short.
    """
    program = program_in(folder)
    formats = program.formats
    interface = interface_of(formats)
    if interface.pushes is None:
        raise InputError("the program does not stream: compile it with --input push", file=str(folder))
    if interface.rate is not None and rate not in (None, interface.rate):
        raise InputError(
            f"the recording has {rate:g} samples per second, the program expects {interface.rate:g}: convert it, as "
            f"by ffmpeg -i FILE.wav -ar {interface.rate:g} NEW.wav"
        )
    if (known := interface.rate or rate) is None:
        raise InputError("the program does not declare its sample rate: pass `rate`")
    # Inputs are encoded in whole windows.
    windows = np.zeros((-(-len(samples) // interface.input_length), interface.input_length), samples.dtype)
    windows.ravel()[: len(samples)] = samples
    raws = encode_inputs(formats, windows).reshape(-1)[: len(samples)]
    with program.to_build() as source_dir:
        answers = answers_to(source_dir, interface, raws, target=board(device).name, optimize=optimize)
    scores, classes = _scores(formats, answers.outputs), tdsl.read_interface(formats).classes
    labels = answers.outputs.classes if answers.outputs.labels is not None else scores.argmax(1)
    named = range(scores.shape[1]) if classes is None else classes
    if classes is not None:
        labels = np.asarray(classes)[labels]
    return Heard(answers.ends / known, labels, scores, [*map(str, named)], answers.longest)


def listen(request: ListenRequest, rule: Rule) -> dict[str, Any]:
    """Run a program over a recording, draw the answers if requested, and return the result of the command as JSON
    values.

    Raises `InputError` for a recording that cannot be read, and as `heard_in` and `words_in` do.
    """
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
    names = tdsl.read_interface(formats).classes
    if outputs.scores is None:
        count = max(2, int(outputs.classes.max()) + 1) if names is None else len(names)
        return np.eye(count)[outputs.classes]
    scores = np.asarray(in_reals(formats, outputs).scores, np.float64)
    if outputs.labels is not None and names is not None and len(names) == scores.shape[1] + 1 > 2:
        # Each word has a threshold of its own: the class 0, without a score, is the best one where it is the answer.
        nothing = np.where(outputs.labels == 0, scores.max(1), 0.0)
        return np.hstack([nothing[:, None], scores])
    if scores.shape[1] > 1:
        return scores
    if outputs.labels is None:
        raise InputError("the program returns a number and no class: it recognises no words")
    return np.hstack([np.full(scores.shape, _threshold(formats)), scores])


def _threshold(formats: ModuleOp) -> float:
    """The number that the single score of a program exceeds if its class is 1; 0 if the program compares the score with
    no number.
    """
    block = predict_function(formats).body.block
    assert block.last_op is not None
    score = block.last_op.operands[-1]
    return next(
        (op.threshold.value.data for op in block.ops if isinstance(op, tdsl.AtLeastOp) and op.input is score), 0.0
    )


def draw_heard(samples: NDArray[Any], rate: float, hop: int, heard: Heard, words: Sequence[Word]) -> Drawing:
    """Draw the spectrogram of samples, with frames `hop` apart, above the scores, with a line at each word."""
    height = TOP + SPECTRUM + GAP + CLASS * len(heard.names) + 34
    said = ", ".join(f"{word.name} at {word.time:.2f} s" for word in words) or "nothing"
    picture = Drawing(WIDTH, height, f"Spectrogram, scores and words over time; heard: {said}")
    across = (WIDTH - LEFT - RIGHT) / (len(samples) / rate)
    picture.pixels(LEFT, TOP, WIDTH - LEFT - RIGHT, SPECTRUM, _spectrogram(samples, hop))
    for share in (0, 0.5, 1):
        picture.text(LEFT - 6, TOP + SPECTRUM * (1 - share) + 4, f"{share * rate / 2000:g} kHz", "end", kind="small")
    top = TOP + SPECTRUM + GAP
    bottom = top + CLASS * len(heard.names)
    _draw_scores(picture, heard, across, top)
    picture.line(LEFT, bottom, WIDTH - RIGHT, bottom)
    seconds = ticks(0, len(samples) / rate, 12)
    picture.marks_below(bottom, ((LEFT + each * across, f"{each} s") for each in seconds), kind="small")
    free = 0.0
    for word in words:
        x = LEFT + word.time * across
        picture.line(x, TOP - 6, x, bottom, "4 3")
        name = shortened(word.name, 12)
        if x - 3.5 * len(name) >= free:
            picture.text(x, TOP - 10, name)
            free = x + 3.5 * len(name)
    return picture


def _draw_scores(picture: Drawing, heard: Heard, across: float, top: float) -> None:
    """Draw a row for each class, in which an answer extends to the next answer; the best class of each answer is
    coloured.

    across: pixels per second.
    top: the y position of the first row.
    """
    shades = _shades(heard.scores)
    part = np.diff(heard.times).min(initial=heard.times[0])
    colour = np.array([int(COLOURS[1][i : i + 2], 16) for i in (1, 3, 5)])
    pixels = np.repeat(shades.T[:, :, None], 3, axis=2)
    best = heard.scores.argmax(1)
    pixels[best, np.arange(len(best))] = colour
    left = LEFT + heard.times[0] * across
    width = min(len(best) * part * across, WIDTH - RIGHT - left)
    shown = max(round(width / (part * across)), 1)
    picture.pixels(left, top, width, CLASS * len(heard.names), pixels[:, :shown].astype(np.uint8))
    for at, name in enumerate(heard.names):
        picture.text(LEFT - 6, top + CLASS * at + 11, shortened(name, 10), "end", kind="small")


def _shades(scores: NDArray[Any]) -> NDArray[np.float64]:
    low, high = (limit(scores, axis=1, keepdims=True) for limit in (np.min, np.max))
    return 245 - 150 * (scores - low) / np.maximum(high - low, 1e-9)


def _spectrogram(samples: NDArray[Any], hop: int) -> NDArray[np.uint8]:
    """The pixels of a spectrogram (frequencies, frames, 1), the highest frequency first and loud parts dark.

    hop: the distance of frames in samples.
    """
    length = 2 * hop
    filled = np.concatenate([samples, np.zeros(length)])
    apart = max(hop, len(samples) // (4 * COLUMNS))
    frames = np.lib.stride_tricks.sliding_window_view(filled, length)[: len(samples) : apart]
    levels: NDArray[Any] = np.abs(np.fft.rfft(frames * np.hanning(length), axis=1))[:, 1:]
    for axis, most in ((0, COLUMNS), (1, BINS)):
        apart = -(-levels.shape[axis] // most)
        levels = np.maximum.reduceat(levels, list(range(0, levels.shape[axis], apart)), axis=axis)
    decibels: NDArray[np.float64] = 20 * np.log10(levels / max(levels.max(), 1e-9) + 1e-9)
    # Few shades compress to a small file.
    shades = np.round(np.clip(-decibels / RANGE, 0, 1) * SHADES) * (255 // SHADES)
    return shades.T[::-1, :, None].astype(np.uint8)
