"""The Python API: models of any kind come in, programs that can be run, measured, shown and saved come out."""
