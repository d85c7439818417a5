"""Folders for the tools that people use: an Arduino library, a CMake project, a PlatformIO project."""
