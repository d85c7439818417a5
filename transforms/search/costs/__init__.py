"""The cost of candidates on a target, either estimated by the cost model or measured."""
