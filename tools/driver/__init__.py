"""The implementation of the commands: requests, compilation, measurement, comparisons."""
