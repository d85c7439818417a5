"""Detectors such as MinUn's, with fewer layers and on small images: RNNPool, bottlenecks and heads."""

from __future__ import annotations

from pathlib import Path

from programs.faces import Face, measure_face, write_face

from tinyml.targets.registry import HOST

SMALL = Face(4, 2, [(64, 1), (32, 2)], {0: True, 1: False})
RAM = 8000
"""Bytes that the arena takes with the tensors of the first bottleneck in 8 bits, and not with all in 16 bits."""


def test_bits_of_a_face(tmp_path: Path):
    """All confidences and boxes are the evaluator's."""
    _, mismatch = measure_face(write_face(SMALL, tmp_path / "face.sd", height=16, width=12), 8, HOST)
    assert mismatch is None


def test_bits_and_ram_of_a_face_in_two_widths(tmp_path: Path):
    """Tensors alive at the peak get 8 bits until the arena fits."""
    file = write_face(SMALL, tmp_path / "face.sd", height=16, width=12)
    measured, mismatch = measure_face(file, 16, "cortex-m4", ram=RAM)
    assert mismatch is None
    assert measured.static_bytes <= RAM
