# ===- others_classical.py - Models of skl2onnx and onnxmltools -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Trains and converts one model each of scikit-learn, LightGBM and XGBoost."""

import sys
import warnings

import numpy as np
from others import save_inputs, target

warnings.filterwarnings("ignore")


def save(name, model, sizes):
    target(name, "onnx").write_bytes(model.SerializeToString())
    save_inputs(name, sizes)


def table(rows, seed):
    """Numbers with gaps, a category and its class."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(rows, 6)).astype(np.float32)
    kind = rng.choice(["red", "green", "blue"], (rows, 1))
    label = (numbers[:, 0] + numbers[:, 1] * numbers[:, 2] > 0).astype(np.int64) + (kind[:, 0] == "red")
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    return numbers, kind, label


def mixed_columns():
    """Columns of two kinds, filled, scaled and encoded, into a voting ensemble."""
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, VotingClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers, kind, label = table(300, 0)
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), [0, 1, 2, 3, 4, 5]),
            ("kind", OneHotEncoder(handle_unknown="ignore"), [6]),
        ]
    )
    members = [
        ("l", LogisticRegression(max_iter=500)),
        ("g", GradientBoostingClassifier(n_estimators=20)),
        ("f", RandomForestClassifier(20, max_depth=6)),
    ]
    model = make_pipeline(columns, VotingClassifier(members, voting="soft", flatten_transform=False))
    model.fit(np.concatenate([numbers.astype(object), kind.astype(object)], axis=1), label)
    types = [(f"n{i}", FloatTensorType([None, 1])) for i in range(6)] + [("kind", StringTensorType([None, 1]))]
    onnx_model = to_onnx(model, initial_types=types, options={"zipmap": False}, target_opset=18)
    sizes = []
    for rows in (50, 1, 7):
        numbers, kind, _ = table(rows, rows)
        sizes.append({f"n{i}": numbers[:, i : i + 1] for i in range(6)} | {"kind": kind})
    save("skl2onnx_columns", onnx_model, sizes)


def boosted(name, model, convert):
    from onnxmltools.convert.common.data_types import FloatTensorType

    numbers, _, label = table(400, 1)
    model.fit(numbers, label)
    onnx_model = convert(model, initial_types=[("x", FloatTensorType([None, 6]))], target_opset=15)
    save(name, onnx_model, [{"x": table(rows, rows)[0]} for rows in (60, 1, 9)])


def main():
    import onnxmltools
    from lightgbm import LGBMClassifier
    from xgboost import XGBRegressor

    mixed_columns()
    boosted(
        "onnxmltools_lightgbm",
        LGBMClassifier(n_estimators=40, num_leaves=15, verbose=-1),
        lambda m, **o: onnxmltools.convert_lightgbm(m, zipmap=False, **o),
    )
    boosted("onnxmltools_xgboost", XGBRegressor(n_estimators=40, max_depth=5), onnxmltools.convert_xgboost)


if __name__ == "__main__":
    sys.exit(main())
