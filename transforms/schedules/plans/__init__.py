"""Plans: networks as graphs of images, the parts of them that segments need, and the choice of segments."""
