"""The runner of the machine, on simavr."""

from dataclasses import dataclass

from tinyml.runtime.devices.avr import AvrRunner


@dataclass(frozen=True)
class SixteenRunner(AvrRunner):
    """Runs on a simulated ATmega1284P."""

    name: str = "sixteen"
