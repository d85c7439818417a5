"""The ops of `tdsl` that compute features of signals: filters, spectra, block floating point, channels, and counts."""

from tinyml.dialects.tdsl.signals.block_scaling import *
from tinyml.dialects.tdsl.signals.channels import *
from tinyml.dialects.tdsl.signals.counting import *
from tinyml.dialects.tdsl.signals.filters import *
from tinyml.dialects.tdsl.signals.fourier import *
