"""Models of XGBoost, from the JSON that `save_model` writes."""
