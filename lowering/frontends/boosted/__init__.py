"""Files of boosted trees, which XGBoost and LightGBM write."""
