"""QEMU: runners for cores that QEMU emulates and unicorn does not."""

from tinyml.runtime.devices.qemu import QemuRunner

__all__ = ["QemuRunner"]
