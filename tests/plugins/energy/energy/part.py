"""The energy of an inference at several currents."""

from collections.abc import Iterator, Sequence

from tinyml.extend.programs import Report

VOLTS = 3.3


def energy_part(report: Report) -> Iterator[str | Sequence[Sequence[object]]]:
    if report.milliseconds_per_inference is None:
        return
    yield f"An inference takes {report.milliseconds_per_inference:g} ms at {VOLTS:g} V."
    microjoules = {current: VOLTS * current * report.milliseconds_per_inference for current in (1, 10, 100)}
    yield [("mA", "microjoules"), *((current, round(energy, 1)) for current, energy in microjoules.items())]
