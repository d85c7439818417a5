"""The ops of `tdsl` that features of signals consist of: filters, spectra, scaling by blocks, counts."""

from tinyml.dialects.tdsl.signals.block_scaling import *
from tinyml.dialects.tdsl.signals.counting import *
from tinyml.dialects.tdsl.signals.filters import *
from tinyml.dialects.tdsl.signals.fourier import *
