"""The ops of `tdsl` with which features of signals are computed: filters, spectra, scaling by blocks, and counts."""

from tinyml.dialects.tdsl.signals.block_scaling import *
from tinyml.dialects.tdsl.signals.counting import *
from tinyml.dialects.tdsl.signals.filters import *
from tinyml.dialects.tdsl.signals.fourier import *
