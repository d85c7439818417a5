"""Fine-tuning of models in the arithmetic of their compiled programs."""
