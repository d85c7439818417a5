"""The rows of each paper, in the order of the paper's page."""

from papers.row import Row
from papers.rows.gural_murmann import ROWS as GURAL_MURMANN
from papers.rows.minun import ROWS as MINUN
from papers.rows.pex import ROWS as PEX
from papers.rows.seedot import ROWS as SEEDOT
from papers.rows.shiftry import ROWS as SHIFTRY

PAPERS: dict[str, tuple[Row, ...]] = {
    "seedot": SEEDOT,
    "shiftry": SHIFTRY,
    "minun": MINUN,
    "pex": PEX,
    "gural-murmann": GURAL_MURMANN,
}
"""By the names of pages and of `make papers ONLY=...`."""
