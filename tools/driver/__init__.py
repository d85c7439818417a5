"""The work behind the commands: requests, compilation, measurement, comparisons."""
