"""QEMU: for a package whose chip runs programs on a core that QEMU has and unicorn has not."""

from tinyml.runtime.devices.qemu import QemuRunner

__all__ = ["QemuRunner"]
