"""The rows of each paper, in the order of the paper's page."""

from measured.papers.gural_murmann import ROWS as GURAL_MURMANN
from measured.papers.minun import ROWS as MINUN
from measured.papers.pex import ROWS as PEX
from measured.papers.seedot import ROWS as SEEDOT
from measured.papers.shiftry import ROWS as SHIFTRY
from measured.rows import Row

PAPERS: dict[str, tuple[Row, ...]] = {
    "seedot": SEEDOT,
    "shiftry": SHIFTRY,
    "minun": MINUN,
    "pex": PEX,
    "gural-murmann": GURAL_MURMANN,
}
"""By the names of pages and of `make papers ONLY=...`."""
