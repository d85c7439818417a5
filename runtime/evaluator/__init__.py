"""The evaluator: programs of any level above loops on whole data sets, in numpy, bit for bit what devices compute."""
