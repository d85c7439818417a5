"""Tests of the repository's structure: locations, names and imports of files, and references in pages."""
