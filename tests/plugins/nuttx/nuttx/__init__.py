"""The folder of `--package nuttx`: an application of NuttX that checks a model."""
