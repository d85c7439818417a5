"""Programs over a whole sequence as steps in time: the readers of a sequence, and the function of a step."""
