"""Memories: the memories of boards, with their wait states.

A package lists the `Memory`s of a board. The entry point of the group `tinyml.memories` has the name of the board.
"""

from tinyml.targets.memories.rows import Memory, MemoryKind

__all__ = ["Memory", "MemoryKind"]
