"""The numbered items of each paper, appendices included, and the passages that work an example or report a figure.

Counted once from the texts of the papers. A row is due for each.
"""

from __future__ import annotations


def _numbered(kind: str, last: int, first: int = 1) -> list[str]:
    return [f"{kind} {number}" for number in range(first, last + 1)]


ITEMS: dict[str, list[str]] = {
    "seedot": [
        *_numbered("table", 1),
        *_numbered("figure", 13),
        *_numbered("algorithm", 2),
        *("section 2.3", "section 3", "section 5.3", "section 6.2.2", "section 7.2", "section 7.4"),
        *("section 7.6.1", "section 7.6.2"),
    ],
    "shiftry": [
        *_numbered("table", 4),
        *_numbered("figure", 12),
        *_numbered("pseudocode", 5),
        *_numbered("library", 9, 6),
        *_numbered("algorithm", 17, 10),
        *_numbered("pseudocode", 19, 18),
        *("section 4", "section 7.1", "section 8.5", "appendix B"),
    ],
    "minun": [
        *_numbered("table", 11),
        *_numbered("figure", 9),
        *_numbered("procedure", 3),
        *_numbered("algorithm", 8, 4),
        *("section 2.1", "section 2.2", "section 5.2", "section 5.3", "section 7.7"),
    ],
    "pex": [
        *_numbered("table", 4),
        *_numbered("figure", 6),
        *_numbered("algorithm", 1),
        *("remark 4", "definition 11", "section 3.5", "appendix B", "appendix C", "appendix D"),
    ],
    "gural-murmann": [
        *_numbered("table", 2),
        *_numbered("figure", 13),
        *("claim 1", "claim 2", "lemma 3.1", "section 3.4.1", "section 3.4.3", "section 4.1", "section 4.2"),
        *("section 5.1", "appendix A", "appendix B", "appendix C.1.1", "appendix C.1.2", "appendix C.2"),
        *("appendix C.3", "appendix C.4", "appendix C.5", "appendix D", "appendix E", "appendix F"),
    ],
}
