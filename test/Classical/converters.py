# ===- converters.py - Converters that skl2onnx lacks -----------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Converts FastICA and MissingIndicator, which skl2onnx has no converters for."""

import numpy as np
from skl2onnx import update_registered_converter
from skl2onnx.algebra.onnx_ops import OnnxGather, OnnxIsNaN, OnnxMatMul, OnnxSub
from skl2onnx.common.data_types import BooleanTensorType, FloatTensorType
from sklearn.decomposition import FastICA
from sklearn.impute import MissingIndicator


def rows_of(kind, columns):
    """A shape calculator: as many rows as there are, of so many columns."""

    def calculate(operator):
        operator.outputs[0].type = kind([None, columns(operator.raw_operator)])

    return calculate


def convert_ica(scope, operator, container):
    model = operator.raw_operator
    x = operator.inputs[0]
    if model.whiten:
        x = OnnxSub(x, model.mean_.astype(np.float32), op_version=container.target_opset)
    way = model.components_.T.astype(np.float32)
    OnnxMatMul(x, way, op_version=container.target_opset, output_names=operator.outputs).add_to(scope, container)


def convert_indicator(scope, operator, container):
    model = operator.raw_operator
    missing = OnnxIsNaN(operator.inputs[0], op_version=container.target_opset)
    columns = model.features_.astype(np.int64)
    OnnxGather(missing, columns, axis=1, op_version=container.target_opset, output_names=operator.outputs).add_to(
        scope, container
    )


def register():
    update_registered_converter(
        FastICA, "FastICA", rows_of(FloatTensorType, lambda m: len(m.components_)), convert_ica
    )
    update_registered_converter(
        MissingIndicator, "MissingIndicator", rows_of(BooleanTensorType, lambda m: len(m.features_)), convert_indicator
    )
