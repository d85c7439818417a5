"""Work that commands hand on and share: requests, compilation, measurement, comparisons."""
