"""The lowering of programs on integers and arrays to memories, streams and hardware."""
