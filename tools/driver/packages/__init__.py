"""Folders for other tools: an Arduino library, a CMake project, a PlatformIO project."""
