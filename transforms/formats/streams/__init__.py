"""Programs over a whole sequence as steps in time: what reads a sequence, and the function of a step."""
