"""What candidates cost on a device: estimated by the cost model or measured."""
