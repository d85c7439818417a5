"""The Python API, which loads and compiles models, and runs, measures and saves the programs."""
