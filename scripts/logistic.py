"""Logistic regression with a ridge penalty, by Newton's method."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_STEPS = 30


def fitted(features: Sequence[Sequence[float]], truth: Sequence[bool], ridge: float = 1.0) -> NDArray[np.float64]:
    """The weights for rows of features, of which the first is 1 and not penalized."""
    rows, wanted = np.array(features), np.array(truth, dtype=float)
    weights = np.zeros(rows.shape[1])
    penalty = np.diag([1e-6, *[ridge] * (rows.shape[1] - 1)])
    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        gradient = rows.T @ (wanted - share) - penalty @ weights
        curvature = (rows * (share * (1 - share))[:, None]).T @ rows + penalty
        weights += np.linalg.solve(curvature, gradient)
    return weights
