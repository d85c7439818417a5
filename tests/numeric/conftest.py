"""Makes the helpers beside these tests importable by their names."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# The first example of a format pays for its tables.
settings.register_profile("tinyml")
settings.load_profile("tinyml")
