#!/usr/bin/env python3
# ===- run.py - Classical models, converted and compiled -------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Trains scikit-learn models, converts them with skl2onnx, compiles the result
# and compares with what scikit-learn itself predicts: labels must be equal,
# probabilities within 1e-5, other numbers within 1e-4 of the largest.
# ===------------------------------------------------------------------------===//
"""Compiles converted scikit-learn pipelines and compares with their own predictions."""

import argparse
import os
import pathlib
import sys
import tempfile
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np
import onnx

from Harness import artefact, isolation, shapes

warnings.simplefilter("ignore")
OPSETS = {"": 18, "ai.onnx.ml": 3}


def accept_numpy_attributes():
    """skl2onnx gives some attributes as NumPy scalars or truth values, which newer onnx packages refuse."""
    make = onnx.helper.make_attribute

    def plain(value):
        if isinstance(value, (list, tuple)):
            return [plain(v) for v in value]
        if isinstance(value, (np.generic, np.ndarray)):
            return plain(value.tolist())
        return int(value) if isinstance(value, bool) else value

    onnx.helper.make_attribute = lambda key, value, *more, **named: make(key, plain(value), *more, **named)


def convert(model, x):
    """The ONNX model; classifiers give [labels, probabilities] as tensors."""
    package = type(model).__module__.split(".")[0]
    if package in ("lightgbm", "xgboost"):
        return convert_boosted(package, model, x)
    from skl2onnx import to_onnx
    from sklearn.base import is_classifier
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    options = {id(model): {"zipmap": False}} if is_classifier(model) and hasattr(model, "predict_proba") else None
    kind = StringTensorType if x.dtype.kind in "UO" else FloatTensorType
    return to_onnx(model, initial_types=[("x", kind([None, x.shape[1]]))], options=options, target_opset=OPSETS)


def convert_boosted(package, model, x):
    """The ONNX model of LightGBM's or XGBoost's own."""
    import onnxmltools
    from onnxmltools.convert.common.data_types import FloatTensorType

    types = [("x", FloatTensorType([None, x.shape[1]]))]
    if package == "lightgbm":
        return onnxmltools.convert_lightgbm(model, initial_types=types, target_opset=15, zipmap=False)
    if type(model).__name__ == "XGBRanker":
        model = scores_of(model)
    return onnxmltools.convert_xgboost(model, initial_types=types, target_opset=15)


def scores_of(ranker):
    """A regressor of the same trees: the scores that rank are their sums, but onnxmltools knows no ranker."""
    import xgboost

    regressor = xgboost.XGBRegressor(**ranker.get_params() | {"objective": "reg:squarederror"})
    regressor.load_model(ranker.get_booster().save_raw())
    return regressor


def expected_of(model, x):
    """What scikit-learn says: a list of arrays, as many as it can compare."""
    if hasattr(model, "predict_proba"):
        return [model.predict(x), model.predict_proba(x)]
    if hasattr(model, "predict"):
        return [model.predict(x)]
    result = model.transform(x)
    return [result.toarray() if hasattr(result, "toarray") else result]


def compare(actual, expected, place):
    actual = np.asarray(actual).reshape(expected.shape)
    if expected.dtype.kind in "UOib":
        np.testing.assert_array_equal(actual.astype(expected.dtype), expected, err_msg=f"output {place}")
        return
    largest = float(np.abs(expected).max(initial=0))
    relative, absolute = (0, 1e-5) if place == 1 else (1e-4, 1e-4 * max(largest, 1.0))
    np.testing.assert_allclose(actual, expected, relative, absolute, err_msg=f"output {place}")


class Check:
    """The job: trains, converts, compiles and compares one model, in many rows and in one."""

    def __init__(self, keep, mode):
        self.keep, self.mode = keep, mode

    def __call__(self, job, reporter):
        name, model, data, *settings = job
        reporter.stage("train")
        x, y = data()
        model.fit(x, y, **(settings[0] if settings else {}))
        reporter.stage("convert")
        converted = convert(model, x)
        if self.mode == "unranked":
            shapes.forget_model_shapes(converted, keep_ranks=False)
        with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
            folder = pathlib.Path(self.keep or scratch)
            path = folder / (name.replace(" ", "-").replace(",", "") + ".onnx")
            path.write_bytes(converted.SerializeToString())
            reporter.stage("compile")
            artefact.compile_model(path, path.with_suffix(".so"))
            reporter.stage("run")
            session = artefact.load_session(path.with_suffix(".so"))
            for rows in (len(x), 1):
                values = x[:rows].astype(object) if x.dtype.kind in "UO" else x[:rows]
                outputs = session.run([values])
                reporter.stage("mismatch")
                for place, expected in enumerate(expected_of(model, x[:rows])):
                    compare(outputs[place], np.asarray(expected), place)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filter", default="", help="only models whose name contains this")
    parser.add_argument("--mode", choices=["declared", "unranked"], default="declared", help="what inputs say of their shapes")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="keep the converted and compiled models in this folder")
    arguments = parser.parse_args()
    try:
        import skl2onnx  # noqa: F401
    except ImportError as error:
        print(f"SKIPPED: {error}\n0 passed, 0 failed")
        return 0
    import converters
    import pipelines

    converters.register()
    accept_numpy_attributes()
    jobs = [job for job in pipelines.all_models() if arguments.filter in job[0]]
    passed = failed = 0
    for (name, *_), outcome in isolation.run_isolated(jobs, Check(arguments.keep, arguments.mode), arguments.jobs, memory=16 << 30):
        if outcome.status == "passed":
            passed += 1
        else:
            failed += 1
            text = " ".join(outcome.message.split())[:300]
            print(f"FAILED {name}: {outcome.stage}: {text}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
