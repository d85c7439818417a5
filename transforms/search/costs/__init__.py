"""The costs of candidates on a target, estimated by the cost model or measured."""
