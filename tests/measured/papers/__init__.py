"""The rows of each paper, in the order of the paper's page."""

from measured.papers.gural_murmann import ROWS as GURAL_MURMANN
from measured.papers.minun import ROWS as MINUN
from measured.papers.msf_cnn import ROWS as MSF_CNN
from measured.papers.pex import ROWS as PEX
from measured.papers.seedot import ROWS as SEEDOT
from measured.papers.shiftry import ROWS as SHIFTRY
from measured.papers.tiny_deja_vu import ROWS as TINY_DEJA_VU
from measured.rows import Row

PAPERS: dict[str, tuple[Row, ...]] = {
    "seedot": SEEDOT,
    "shiftry": SHIFTRY,
    "minun": MINUN,
    "pex": PEX,
    "gural-murmann": GURAL_MURMANN,
    "msf-cnn": MSF_CNN,
    "tiny-deja-vu": TINY_DEJA_VU,
}
"""By the names of pages and of `make papers ONLY=...`."""
