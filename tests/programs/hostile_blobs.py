"""Blobs of weights with a valid CRC-32 and changed content, and a program that binds them under the address sanitizer.

A blob may arrive from anywhere, such as over the air, and its CRC-32 is computed by whoever writes it. Whatever a blob
contains, a program that has accepted it must not access memory out of bounds, and each inference must end.
"""

from __future__ import annotations

import struct
import subprocess
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

HEAD, CRC = 32, 28
"""The bytes of the header of a blob, and the position of the CRC-32 in it."""

OK, MISALIGNED, UNKNOWN, VERSION, PROGRAM, LENGTH, DAMAGED, CONTENT = range(8)
"""The results of `NAME_bind`."""

INFERENCES = 4
"""The inferences with each accepted blob."""

_SANITIZED = (
    "gcc", "-std=gnu99", "-O1", "-g1", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
)  # fmt: skip

# Each blob is in a heap buffer of its own size, in which the sanitizer detects every read beyond its end.
_CALLER = """\
#include "NAME.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void late(int signal)
{
    (void)signal;
    static const char said[] = "no end of an inference\\n";
    _exit(write(2, said, sizeof said - 1) > 0 ? 14 : 15);
}
int main(void)
{
    uint32_t bytes, numbers = 1;
    signal(SIGALRM, late);
    while (fread(&bytes, sizeof bytes, 1, stdin) == 1) {
        uint8_t *const blob = (uint8_t *)malloc(bytes);
        if (fread(blob, 1, bytes, stdin) != bytes)
            return 3;
        alarm(SECONDS);
        const int8_t result = NAME_bind(blob, bytes);
        for (int turn = 0; turn < TURNS && result == NAME_BLOB_OK; turn++) {
            for (int i = 0; i < NAME_INPUT_LENGTH; i++) {
                numbers = numbers * 1664525u + 1013904223u;
                NAME_set(i, (float)((int32_t)numbers >> 8) * (turn % 2 ? 1e-6f : 1e-5f));
            }
            NAME_run();
        }
        alarm(0);
        printf("%d\\n", result);
        fflush(stdout);
        free(blob);
    }
    return 0;
}
"""


def with_crc(blob: bytes) -> bytes:
    """The blob with a correct checksum of its changed content."""
    crc = zlib.crc32(blob[:CRC] + blob[HEAD:])
    return blob[:CRC] + struct.pack("<I", crc) + blob[HEAD:]


def hostile_blob(blob: bytes, random: Random) -> bytes:
    """A blob with the header of `blob`, other content and a valid CRC-32: some elements, a region or all of it. In one
    of eight cases, the blob is also cut.
    """
    content = bytearray(blob[HEAD:])
    kind = random.choice(["elements", "elements", "elements", "near", "near", "region", "moved", "all"])
    if kind == "elements":
        for _ in range(random.choice([1, 1, 2, 8])):
            size = random.choice([1, 2, 4])
            at = random.randrange(max(len(content) - size, 1)) // size * size
            limit = 1 << 8 * size - 1
            value = random.choice([0, 1, -1, limit - 1, -limit, random.randrange(-limit, limit), random.randrange(64)])
            content[at : at + size] = value.to_bytes(size, "little", signed=True)
    elif kind == "near":
        # Indices one beyond their limit, and elements that the program accepts.
        for _ in range(random.choice([1, 4, 16])):
            at = random.randrange(len(content))
            content[at] = (content[at] + random.choice([-1, 1])) % 256
    elif kind == "moved":
        length = random.randint(1, len(content))
        source, target = (random.randrange(len(content) - length + 1) for _ in range(2))
        content[target : target + length] = content[source : source + length]
    else:
        first = 0 if kind == "all" else random.randrange(len(content))
        length = len(content) - first if kind == "all" else random.randint(1, len(content) - first)
        filler = random.choice([0, 0x7F, 0x80, 0xFF, None])
        content[first : first + length] = random.randbytes(length) if filler is None else bytes([filler]) * length
    changed = with_crc(blob[:HEAD] + bytes(content))
    return changed[: random.randrange(len(changed))] if random.random() < 1 / 8 else changed


def caller_of(folder: Path, name: str, place: Path, seconds: int = 10) -> Path:
    """Compile a program with the sanitizers that binds blobs from its standard input, and return its path.

    folder: the output folder of a program whose weights are in a blob.
    place: an existing folder for the files of the program.
    seconds: the time limit for the inferences with one blob.
    """
    text = _CALLER.replace("NAME", name).replace("SECONDS", str(seconds)).replace("TURNS", str(INFERENCES))
    (place / "caller.c").write_text(text)
    built = place / "caller"
    sources = [str(folder / f"{name}.c"), str(place / "caller.c")]
    subprocess.run([*_SANITIZED, f"-I{folder}", *sources, "-lm", "-o", str(built)], check=True)
    return built


def bound(caller: Path, blobs: Sequence[bytes]) -> Counter[int]:
    """The number of blobs by the result of binding them.

    Raises `AssertionError` with the output of the sanitizer and the number of the blob if the caller ends early.
    """
    stdin = b"".join(struct.pack("<I", len(blob)) + blob for blob in blobs)
    done = subprocess.run([caller], input=stdin, capture_output=True, check=False)
    results = [int(line) for line in done.stdout.split()]
    assert done.returncode == 0, f"blob {len(results)}: exit code {done.returncode}: {done.stderr.decode()[:1000]}"
    assert len(results) == len(blobs)
    return Counter(results)
