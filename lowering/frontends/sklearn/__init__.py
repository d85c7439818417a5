"""The frontend for scikit-learn: a file for each family of estimators, which is told by its class and read by its
fitted attributes. Nothing here imports scikit-learn: an estimator is there only if it is installed."""
