"""The lowering of scheduled programs to registers, logic and memories."""
