"""Create `kws01.npz` from the folder `kws01` of MLPerf Tiny's runner, which must be in the current folder."""

import csv

import numpy as np

with open("kws01/y_labels.csv", newline="") as file:
    names, _, labels = zip(*csv.reader(file), strict=True)
raws = np.stack([np.fromfile(f"kws01/{name.strip()}", np.int8) for name in names])
np.savez("kws01.npz", x=(raws.reshape(-1, 49, 10, 1) - 83.0) * 0.5847029, y=np.array(labels, int))
