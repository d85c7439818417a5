"""FastGRNN: a recurrent cell whose gate and update share their matrices (Kusupati et al.: FastGRNN: A Fast, Accurate,
Stable and Tiny Kilobyte Sized Gated Recurrent Neural Network, NeurIPS 2018).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tinyml.tools.models.classifier import GradientClassifier, Samples, Standard, check_int

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

FIRST_ZETA, FIRST_NU = 1.0, -4.0
"""The first logits of zeta and nu, as in EdgeML."""

RECURRENCE = 0.7
"""The first spectral radius of U, at which states neither vanish nor grow within tens of steps."""


class FastGRNNNetwork:
    """The cell over all steps of a sample, and a dense layer on its last state.

    parameters: W (channels, hidden) and U (hidden, hidden), or their factors W1, W2, U1 and U2; the biases Bg of the
    gate and Bh of the update; the logits zeta and nu; FC (hidden, scores) and FCbias.
    """

    def __init__(self, samples: Samples, model: FastGRNN, random: np.random.Generator):
        self.steps = model.steps
        channels, hidden = samples.x.shape[1] // model.steps, model.hidden

        def matrix(rows: int, columns: int) -> Array:
            return (random.standard_normal((rows, columns)) / np.sqrt(rows)).astype(np.float32)

        ranks = {"W": (channels, model.w_rank), "U": (hidden, model.u_rank)}
        parameters: dict[str, Array] = {}
        for name, (rows, rank) in ranks.items():
            if rank is None:
                parameters[name] = matrix(rows, hidden)
            else:
                parameters |= {f"{name}1": matrix(rows, rank), f"{name}2": matrix(rank, hidden)}
        parameters["U" if model.u_rank is None else "U2"] *= RECURRENCE
        parameters |= {"Bg": np.ones(hidden, np.float32), "Bh": np.zeros(hidden, np.float32)}
        parameters |= {"zeta": np.full(1, FIRST_ZETA, np.float32), "nu": np.full(1, FIRST_NU, np.float32)}
        parameters |= {"FC": matrix(hidden, samples.scores), "FCbias": np.zeros(samples.scores, np.float32)}
        self.parameters = parameters
        self._kept: tuple[Array, ...] = ()

    def _product(self, name: str) -> Array:
        own = self.parameters
        return own[name] if name in own else own[f"{name}1"] @ own[f"{name}2"]

    def _of_product(self, name: str, slope: Array) -> dict[str, Array]:
        """The gradients with respect to a matrix or its factors, from that with respect to their product."""
        own = self.parameters
        if name in own:
            return {name: slope}
        return {f"{name}1": slope @ own[f"{name}2"].T, f"{name}2": own[f"{name}1"].T @ slope}

    def forward(self, x: Array, progress: float) -> Array:
        own, U = self.parameters, self._product("U")
        zeta, nu = _sigmoid(own["zeta"]), _sigmoid(own["nu"])
        inputs = np.ascontiguousarray(x.reshape(len(x), self.steps, -1).transpose(1, 0, 2))
        sums = inputs @ self._product("W")
        gates, updates = np.empty_like(sums), np.empty_like(sums)
        states = np.zeros((self.steps + 1, *sums.shape[1:]), sums.dtype)
        for step in range(self.steps):
            both = sums[step] + states[step] @ U
            gates[step] = gate = _sigmoid(both + own["Bg"])
            updates[step] = update = np.tanh(both + own["Bh"])
            states[step + 1] = gate * states[step] + (zeta * (1 - gate) + nu) * update
        self._kept = inputs, gates, updates, states
        return states[-1] @ own["FC"] + own["FCbias"]

    def backward(self, slope: Array) -> dict[str, Array]:
        own, U = self.parameters, self._product("U")
        inputs, gates, updates, states = self._kept
        zeta, nu = _sigmoid(own["zeta"]), _sigmoid(own["nu"])
        by_sums, by_gates = np.empty_like(gates), np.empty_like(gates)
        by_zeta = by_nu = 0.0
        by_state = slope @ own["FC"].T
        for step in reversed(range(self.steps)):
            gate, update = gates[step], updates[step]
            by_update = by_state * update
            by_nu += by_update.sum()
            by_zeta += (by_update * (1 - gate)).sum()
            by_gate = (by_state * states[step] - zeta * by_update) * gate * (1 - gate)
            by_bounded = by_state * (zeta * (1 - gate) + nu) * (1 - update**2)
            by_gates[step], by_sums[step] = by_gate, by_gate + by_bounded
            by_state = by_state * gate + by_sums[step] @ U.T
        by_all, before = by_sums.reshape(-1, len(U)), states[:-1].reshape(-1, len(U))
        by_bias = by_gates.sum((0, 1))
        return {
            **self._of_product("W", inputs.reshape(len(by_all), -1).T @ by_all),
            **self._of_product("U", before.T @ by_all),
            "Bg": by_bias,
            "Bh": by_all.sum(0) - by_bias,
            "zeta": by_zeta * zeta * (1 - zeta),
            "nu": by_nu * nu * (1 - nu),
            "FC": states[-1].T @ slope,
            "FCbias": slope.sum(0),
        }


def _sigmoid(x: Array) -> Array:
    return 0.5 * np.tanh(0.5 * x) + 0.5


class FastGRNN(GradientClassifier):
    """A recurrent network for sequences, with a third of the weights of a GRU.

    A sample is a row of `steps` times the same number of channels, step after step. At each step x, the cell computes
    `z = sigmoid(x W + h U + b_g)` and `h = z h + (zeta (1 - z) + nu) tanh(x W + h U + b_h)`. The scores are those of a
    dense layer on the last state. For two classes there is one score, which is positive for the second. Channels are
    standardised for training; the fitted model takes them as they are.

    Parameters:

    * steps: the number of steps of a sample.
    * hidden: the number of elements of the state h.
    * w_rank, u_rank: the ranks of W and U, which are then products of two matrices; None for full matrices.
    * epochs: the number of passes over the samples.
    * batch_size: the samples of a step of the training; "auto" for a 32nd of them, from 32 to 256.
    * learning_rate: the initial rate of Adam.
    * alpha: the factor of the squared norm of all parameters in the loss, halved.
    * random_state: a seed, a generator of numpy or None.

    Fitted attributes:

    * classes_: the labels.
    * W_ (channels, hidden), U_ (hidden, hidden): lists of one matrix or of two factors.
    * Bg_, Bh_ (hidden), zeta_, nu_: the biases of the gate and of the update, and the numbers between 0 and 1.
    * FC_ (hidden, scores), FCbias_ (scores): the dense layer.
    """

    def __init__(
        self,
        steps: int,
        hidden: int = 32,
        *,
        w_rank: int | None = None,
        u_rank: int | None = None,
        epochs: int = 100,
        batch_size: int | str = "auto",
        learning_rate: float = 0.01,
        alpha: float = 1e-5,
        random_state: Any = None,
    ):
        self.steps = steps
        self.hidden = hidden
        self.w_rank = w_rank
        self.u_rank = u_rank
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.alpha = alpha
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_int("steps", self.steps, 1)
        check_int("hidden", self.hidden, 1)
        for name in ("w_rank", "u_rank"):
            if (rank := getattr(self, name)) is not None:
                check_int(name, rank, 1)

    @property
    def _channels(self) -> int:
        if self.n_features_in_ % self.steps:
            raise ValueError(f"X has {self.n_features_in_} features, which are not {self.steps} steps of equal length")
        return self.n_features_in_ // self.steps

    def _densities(self) -> dict[str, float]:
        return {}

    def _network(self, samples: Samples, random: np.random.Generator) -> FastGRNNNetwork:
        return FastGRNNNetwork(samples, self, random)

    def _keep(self, network: Any, standard: Standard) -> None:
        own, channels = network.parameters, self._channels
        of_step = Standard(*(numbers[:channels] for numbers in (standard.mean, standard.scale, standard.used)))
        W, U = ([own[name] for name in (kind, f"{kind}1", f"{kind}2") if name in own] for kind in "WU")
        W[0] = of_step.unscaled(W[0].T).T
        self.W_, self.U_ = [self._stored(matrix) for matrix in W], [self._stored(matrix) for matrix in U]
        offset = of_step.mean
        for matrix in self.W_:
            offset = offset @ matrix
        self.Bg_, self.Bh_ = self._stored(own["Bg"] - offset), self._stored(own["Bh"] - offset)
        self.zeta_, self.nu_ = (float(self._stored(_sigmoid(own[name]))[0]) for name in ("zeta", "nu"))
        self.FC_, self.FCbias_ = self._stored(own["FC"]), self._stored(own["FCbias"])

    def _scores(self, x: Array) -> Array:
        state = np.zeros((len(x), self.hidden))
        for inputs in x.reshape(len(x), self.steps, -1).transpose(1, 0, 2):
            both = _chain(inputs, self.W_) + _chain(state, self.U_)
            gate = _sigmoid(both + self.Bg_)
            state = gate * state + (self.zeta_ * (1 - gate) + self.nu_) * np.tanh(both + self.Bh_)
        return state @ self.FC_ + self.FCbias_

    @property
    def _numbers(self) -> tuple[Array, ...]:
        numbers = np.array([self.zeta_, self.nu_])
        return *self.W_, *self.U_, self.Bg_, self.Bh_, numbers, self.FC_, self.FCbias_


def _chain(rows: Array, matrices: list[Array]) -> Array:
    for matrix in matrices:
        rows = rows @ matrix
    return rows
