"""The families of scikit-learn's models."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np
from tinyml.tools.design.families import Choices, Family, Interval, Parameters, TableShape

if TYPE_CHECKING:
    from numpy.typing import NDArray

MLP_EPOCHS = 200
"""The default of scikit-learn's `max_iter` for networks."""

LINEAR_STEPS = 300
"""The maximum number of steps of a solver of linear models; most need fewer."""


def _sklearn(module: str) -> Any:
    return import_module(f"sklearn.{module}")


def _is_classes(y: NDArray[Any]) -> bool:
    return y.dtype.kind != "f"


def _scaled(model: Any, *, scale: Any = True) -> Any:
    make_pipeline = _sklearn("pipeline").make_pipeline
    StandardScaler = _sklearn("preprocessing").StandardScaler

    return make_pipeline(StandardScaler(), model) if scale else model


def _fitted(make: Callable[[Parameters, bool, int], Any]) -> Callable[..., Any]:
    """The function `Family.fit` from one that makes the model from parameters, whether y has classes, and the seed."""

    def fit(parameters: Parameters, x: NDArray[np.float64], y: NDArray[Any], seed: int) -> Any:
        return make(parameters, _is_classes(y), seed).fit(x, y)

    return fit


def _linear(parameters: Any, classes: bool, seed: int) -> Any:
    LogisticRegression = _sklearn("linear_model").LogisticRegression
    Ridge = _sklearn("linear_model").Ridge

    if classes:
        model = LogisticRegression(C=parameters["C"], max_iter=parameters.get("steps", LINEAR_STEPS), random_state=seed)
    else:
        model = Ridge(alpha=1 / parameters["C"])
    return _scaled(model)


LINEAR = Family(
    fit=_fitted(_linear),
    space={"C": Interval(1e-3, 1e3, by_factor=True)},
    usual=({"C": 1.0}, {"C": 100.0}),
    sized_by=(),
    untrained={"steps": 1},
)


def _linear_discriminant(parameters: Any, classes: bool, seed: int) -> Any:
    LinearDiscriminantAnalysis = _sklearn("discriminant_analysis").LinearDiscriminantAnalysis

    shrinkage = parameters["shrinkage"]
    return LinearDiscriminantAnalysis(solver="svd" if shrinkage == 0 else "lsqr", shrinkage=shrinkage or None)


LINEAR_DISCRIMINANT = Family(
    fit=_fitted(_linear_discriminant),
    space={"shrinkage": Choices((0.0, 0.01, 0.1, 0.3))},
    usual=({"shrinkage": 0.0},),
    regresses=False,
    sized_by=(),
)


def _quadratic_discriminant(parameters: Any, classes: bool, seed: int) -> Any:
    QuadraticDiscriminantAnalysis = _sklearn("discriminant_analysis").QuadraticDiscriminantAnalysis

    return _scaled(QuadraticDiscriminantAnalysis(reg_param=parameters["regularisation"]))


QUADRATIC_DISCRIMINANT = Family(
    fit=_fitted(_quadratic_discriminant),
    space={"regularisation": Choices((0.0, 0.001, 0.01, 0.1, 0.3))},
    usual=({"regularisation": 0.0}, {"regularisation": 0.01}),
    regresses=False,
    sized_by=(),
)


def _naive_bayes(parameters: Any, classes: bool, seed: int) -> Any:
    GaussianNB = _sklearn("naive_bayes").GaussianNB

    return _scaled(GaussianNB(var_smoothing=parameters["smoothing"]))


NAIVE_BAYES = Family(
    fit=_fitted(_naive_bayes),
    space={"smoothing": Interval(1e-9, 1e-1, by_factor=True)},
    usual=({"smoothing": 1e-9},),
    regresses=False,
    sized_by=(),
)


def _tree(parameters: Any, classes: bool, seed: int) -> Any:
    DecisionTreeClassifier = _sklearn("tree").DecisionTreeClassifier
    DecisionTreeRegressor = _sklearn("tree").DecisionTreeRegressor

    kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
    leaves = {"max_leaf_nodes": parameters["leaves"]} if parameters["leaves"] else {}
    return kind(min_samples_leaf=parameters["samples"], random_state=seed, **leaves)


_LEAF_SAMPLES = Choices((1, 2, 3, 5, 10, 20))

TREE = Family(
    fit=_fitted(_tree),
    space={"leaves": Choices((0, 8, 16, 32, 64, 128, 256, 512, 1024)), "samples": _LEAF_SAMPLES},
    usual=({"leaves": 0, "samples": 1}, {"leaves": 32, "samples": 5}),
)


def _ensemble(name: str) -> Callable[[Any, bool, int], Any]:
    def make(parameters: Any, classes: bool, seed: int) -> Any:
        ensemble = _sklearn("ensemble")

        kind = getattr(ensemble, f"{name}{'Classifier' if classes else 'Regressor'}")
        leaves = {"max_leaf_nodes": parameters["leaves"]} if parameters["leaves"] else {}
        share = {"all": 1.0, "half": 0.5, "root": "sqrt"}[parameters["features"]]
        return kind(
            n_estimators=parameters["trees"],
            min_samples_leaf=parameters["samples"],
            max_features=share,
            random_state=seed,
            **leaves,
        )

    return make


_ENSEMBLE_SPACE = {
    "trees": Interval(3, 100, whole=True, by_factor=True),
    "leaves": Choices((0, 8, 16, 32, 64, 128, 256)),
    "samples": _LEAF_SAMPLES,
    "features": Choices(("root", "half", "all")),
}

_ENSEMBLE_USUAL = (
    {"trees": 10, "leaves": 32, "samples": 1, "features": "root"},
    {"trees": 20, "leaves": 64, "samples": 1, "features": "root"},
    {"trees": 100, "leaves": 0, "samples": 1, "features": "root"},
)

FOREST = Family(fit=_fitted(_ensemble("RandomForest")), space=_ENSEMBLE_SPACE, usual=_ENSEMBLE_USUAL, parts="trees")

EXTRA_TREES = Family(
    fit=_fitted(_ensemble("ExtraTrees")), space=_ENSEMBLE_SPACE, usual=_ENSEMBLE_USUAL[1:2], parts="trees"
)


def _boosting(parameters: Any, classes: bool, seed: int) -> Any:
    HistGradientBoostingClassifier = _sklearn("ensemble").HistGradientBoostingClassifier
    HistGradientBoostingRegressor = _sklearn("ensemble").HistGradientBoostingRegressor

    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return kind(
        learning_rate=parameters["rate"],
        max_iter=parameters["stages"],
        max_leaf_nodes=parameters["leaves"],
        min_samples_leaf=parameters["samples"],
        early_stopping=False,
        random_state=seed,
    )


BOOSTING = Family(
    fit=_fitted(_boosting),
    space={
        "stages": Interval(5, 150, whole=True, by_factor=True),
        "leaves": Choices((4, 8, 16, 31)),
        "samples": Choices((5, 10, 20, 40)),
        "rate": Interval(0.03, 0.5, by_factor=True),
    },
    usual=(
        {"stages": 20, "leaves": 8, "samples": 20, "rate": 0.3},
        {"stages": 100, "leaves": 31, "samples": 20, "rate": 0.1},
    ),
    parts="stages",
)


def _network(parameters: Any, classes: bool, seed: int) -> Any:
    TransformedTargetRegressor = _sklearn("compose").TransformedTargetRegressor
    MLPClassifier = _sklearn("neural_network").MLPClassifier
    MLPRegressor = _sklearn("neural_network").MLPRegressor
    StandardScaler = _sklearn("preprocessing").StandardScaler

    layers = (parameters["neurons"], *((parameters["second"],) if parameters["second"] else ()))
    model = (MLPClassifier if classes else MLPRegressor)(
        layers,
        alpha=parameters["decay"],
        learning_rate_init=parameters["rate"],
        max_iter=parameters["epochs"],
        batch_size=parameters["batch"],
        random_state=seed,
    )
    return _scaled(model if classes else TransformedTargetRegressor(model, transformer=StandardScaler()))


def _batched(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Limit batches to the number of samples, about which scikit-learn would otherwise warn."""

    def batched(parameters: Parameters, x: NDArray[np.float64], y: NDArray[Any], seed: int) -> Any:
        return fit({**parameters, "batch": min(int(str(parameters["batch"])), len(x))}, x, y, seed)

    return batched


NETWORK = Family(
    fit=_batched(_fitted(_network)),
    space={
        "neurons": Interval(4, 128, whole=True, by_factor=True),
        "second": Choices((0, 8, 16, 32)),
        "decay": Interval(1e-5, 1.0, by_factor=True),
        "rate": Interval(1e-3, 3e-2, by_factor=True),
        "epochs": Interval(30, 400, whole=True, by_factor=True),
        "batch": Choices((32, 200)),
    },
    usual=(
        {"neurons": 16, "second": 0, "decay": 1e-4, "rate": 5e-3, "epochs": MLP_EPOCHS, "batch": 200},
        {"neurons": 100, "second": 0, "decay": 1e-4, "rate": 1e-3, "epochs": MLP_EPOCHS, "batch": 200},
    ),
    sized_by=("neurons", "second"),
    untrained={"epochs": 1},
    epochs="epochs",
)


def _prototypes(parameters: Any, x: NDArray[np.float64], y: NDArray[Any], seed: int) -> Any:
    """A classifier by the nearest of some centres of each class, or a regressor by the nearest centres of all samples,
    each with the mean target of its cluster. Features are standardised.
    """
    KMeans = _sklearn("cluster").KMeans
    KNeighborsClassifier = _sklearn("neighbors").KNeighborsClassifier
    KNeighborsRegressor = _sklearn("neighbors").KNeighborsRegressor
    make_pipeline = _sklearn("pipeline").make_pipeline
    StandardScaler = _sklearn("preprocessing").StandardScaler

    scaler = StandardScaler().fit(x)
    scaled = scaler.transform(x)

    def clustered(part: NDArray[Any], count: int) -> Any:
        return KMeans(min(count, len(np.unique(part, axis=0))), n_init=1, random_state=seed).fit(part)

    if _is_classes(y):
        centres = {
            label: clustered(scaled[y == label], parameters["centres"]).cluster_centers_ for label in np.unique(y)
        }
        labels = np.repeat([*centres], [len(each) for each in centres.values()])
        model = KNeighborsClassifier(1, algorithm="brute").fit(np.concatenate([*centres.values()]), labels)
    else:
        found = clustered(scaled, 4 * parameters["centres"])
        means = [y[found.labels_ == each].mean() for each in range(len(found.cluster_centers_))]
        model = KNeighborsRegressor(1, algorithm="brute").fit(found.cluster_centers_, means)
    return make_pipeline(scaler, model)


PROTOTYPES = Family(
    fit=_prototypes,
    space={"centres": Interval(1, 40, whole=True, by_factor=True)},
    usual=({"centres": 4},),
    sized_by=("centres",),
)


def _neighbours(parameters: Any, classes: bool, seed: int) -> Any:
    KNeighborsClassifier = _sklearn("neighbors").KNeighborsClassifier
    KNeighborsRegressor = _sklearn("neighbors").KNeighborsRegressor

    kind = KNeighborsClassifier if classes else KNeighborsRegressor
    return _scaled(kind(parameters["neighbours"], algorithm="brute"))


def _stored_samples(parameters: Parameters, shape: TableShape) -> float:
    """A byte for each feature of each stored sample."""
    return shape.samples * shape.features


NEIGHBOURS = Family(
    fit=_fitted(_neighbours),
    space={"neighbours": Choices((1, 3, 5, 9))},
    usual=({"neighbours": 1},),
    least_flash=_stored_samples,
)


def _support_vectors(parameters: Any, classes: bool, seed: int) -> Any:
    SVC = _sklearn("svm").SVC
    SVR = _sklearn("svm").SVR

    kernel = {"C": parameters["C"], "gamma": parameters["gamma"]}
    if classes:
        return _scaled(SVC(random_state=seed, **kernel))
    return _scaled(SVR(**kernel))


SUPPORT_VECTORS = Family(
    fit=_fitted(_support_vectors),
    space={"C": Interval(0.1, 1000, by_factor=True), "gamma": Interval(1e-3, 1.0, by_factor=True)},
    usual=({"C": 1.0, "gamma": 0.1}, {"C": 100.0, "gamma": 0.1}),
)
