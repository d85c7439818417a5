"""Plans: networks as graphs of images, the parts of images that segments need, and the choice of segments."""
