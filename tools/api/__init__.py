"""The Python API: load and compile models; run, measure and save programs."""
