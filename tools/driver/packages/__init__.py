"""Folders for other tools and boards, such as an Arduino library or a CMake project."""
