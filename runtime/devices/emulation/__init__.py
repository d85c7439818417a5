"""The count, block by block, of what an emulator executes."""
