"""A picture of detections in an image, by two programs side by side (SVG)."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from programs.detections import Found

SHOWN = 0.5
"""The least score of a box that is drawn."""

GAP, TITLE = 8, 18
"""Pixels between the images, and the height of the titles above them."""


def side_by_side(image: NDArray[np.uint8], truth: NDArray[Any], found: Mapping[str, Found]) -> str:
    """The image once for each title, with the boxes found in it, and the true ones dashed."""
    height, width = image.shape
    png = b64encode(_png(image)).decode()
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {len(found) * (width + GAP) - GAP} {height + TITLE}" '
        'font-family="sans-serif" font-size="12">',
        f'<defs><image id="image" width="{width}" height="{height}" href="data:image/png;base64,{png}"/></defs>',
    ]
    for column, (title, (boxes, scores)) in enumerate(found.items()):
        lines.append(f'<g transform="translate({column * (width + GAP)} {TITLE})"><text y="-5">{title}</text>')
        lines.append('<use href="#image"/>')
        lines += _outlines(truth, 'stroke="#ffffff" stroke-dasharray="2 2"')
        lines += _outlines(boxes[scores >= SHOWN], 'stroke="#ffb000" stroke-width="1.5"')
        lines.append("</g>")
    return "\n".join([*lines, "</svg>", ""])


def _outlines(boxes: NDArray[Any], style: str) -> Sequence[str]:
    return [
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" '
        f'fill="none" {style}/>'
        for left, top, right, bottom in boxes
    ]


def _png(image: NDArray[np.uint8]) -> bytes:
    """A gray image in 16 shades."""
    shades = np.minimum((image.astype(int) + 8) // 17, 15).astype(np.uint8)
    packed = shades[:, ::2] << 4 | shades[:, 1::2]
    rows = b"".join(b"\0" + row.tobytes() for row in packed)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 4, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
