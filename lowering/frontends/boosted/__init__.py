"""The frontends for boosted trees in files of XGBoost and LightGBM."""
