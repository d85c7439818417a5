"""Plans: networks as graphs of images, the parts that segments need, and the choice of segments."""
