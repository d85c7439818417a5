"""What candidates compute on a data set, and by how much it differs from the reference."""
