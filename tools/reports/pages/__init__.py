"""HTML pages, each in one file without external scripts or styles."""
