# ===- old_operators.py - Nodes of old versions against onnxruntime --------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A case for each version step that changed what a node means or how it says it
# and that onnxruntime still runs, which is from opset 7 on.
# ===------------------------------------------------------------------------===//
"""Compiles single nodes of old operator sets and compares with onnxruntime.

  old_operators.py              with known sizes
  old_operators.py --dynamic    with unknown sizes, too
"""

import os
import pathlib
import sys
import tempfile

os.environ.setdefault("OM_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from Harness import artefact

RNG = np.random.default_rng(0)


def f32(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def i64(*values):
    return np.array(values, np.int64)


IMAGE, CUBE = f32(2, 3, 7, 8), f32(2, 3, 4, 5)
REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
# With whole sizes and exact quotients: elsewhere onnxruntime and the standard's reference differ.
SCALES, SMALLER = np.array([1, 1, 2, 1.25], np.float32), np.array([1, 1, 0.5, 0.625], np.float32)
MIXED = np.array([1, 1, 2, 0.625], np.float32)
BOXES = np.array([[0, 0, 6, 5], [1, 2, 5.5, 6.5], [2, 0, 3, 7]], np.float32)
BATCH_NORM = [f32(3), f32(3), f32(3), np.abs(f32(3)) + 0.5]


def recurrent(gates):
    """Input, weights and bias of a layer with `gates` gates, in both directions."""
    return [f32(5, 2, 3), f32(2, 4 * gates, 3), f32(2, 4 * gates, 4), f32(2, 8 * gates)]


def rows():
    """(opset, operator, inputs, attributes, outputs); inputs in a tuple are constants of the model, None is left out."""
    for opset in (7, 8, 9, 13):
        yield opset, "BatchNormalization", [IMAGE, *BATCH_NORM], {"epsilon": 1e-3}, 1
    for opset in (7, 10):
        yield opset, "Clip", [CUBE], {"min": -0.5, "max": 0.75}, 1
        for bounds in ({"min": 0.0}, {"max": 1.0}, {}):
            yield opset, "Clip", [np.array([np.inf, 0.5, -np.inf], np.float32)], bounds, 1
        yield opset, "Dropout", [CUBE], {"ratio": 0.4}, 1
    for opset in (7, 11, 12):
        for operator in ("Softmax", "LogSoftmax", "Hardmax"):
            yield opset, operator, [CUBE], {}, 1
            yield opset, operator, [CUBE], {"axis": 2}, 1
            yield opset, operator, [CUBE], {"axis": 0}, 1
            for shape, axis in (((2, 3, 0), 1), ((3, 0, 4, 5), 2), ((4, 2, 0), 0)):
                yield opset, operator, [f32(*shape)], {"axis": axis}, 1
    for mode in ("constant", "reflect", "edge"):
        yield 10, "Pad", [CUBE], {"pads": [0, 0, 1, 2, 1 if mode == "edge" else 0, 0, 2, 1], "mode": mode, "value": 1.5}, 1
    yield 10, "Pad", [CUBE], {"pads": [0, 0, -1, 1, 0, 0, 2, -2]}, 1
    yield 9, "Slice", [CUBE], {"starts": [1, -4], "ends": [100, -1]}, 1
    yield 9, "Slice", [CUBE], {"starts": [0, -3], "ends": [3, 2**31 - 1], "axes": [2, 3]}, 1
    yield 11, "Split", [CUBE], {"axis": 3, "split": [1, 3, 1]}, 3
    yield 11, "Split", [CUBE], {"axis": -2}, 2
    yield 13, "Split", [CUBE], {"axis": 2}, 2
    for opset in (7, 10):
        inputs = [CUBE] if opset < 10 else [CUBE, (i64(3),)]
        yield opset, "TopK", inputs, {"axis": 3} | ({"k": 3} if opset < 10 else {}), 2
    for mode in ("nearest", "linear"):
        yield 8, "Upsample", [IMAGE], {"mode": mode, "scales": SCALES.tolist()}, 1
        yield 9, "Upsample", [IMAGE, (SCALES,)], {"mode": mode}, 1
        yield 10, "Resize", [IMAGE, (SCALES,)], {"mode": mode}, 1
        yield 10, "Resize", [IMAGE, (SMALLER,)], {"mode": mode}, 1
        yield 10, "Resize", [IMAGE, (MIXED,)], {"mode": mode}, 1
        for scales in (SCALES, SMALLER, MIXED):
            yield 10, "Resize", [IMAGE, scales], {"mode": mode}, 1
        for place in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"):
            yield 11, "Resize", [IMAGE, (f32(0),), (SCALES,)], {"mode": mode, "coordinate_transformation_mode": place}, 1
    yield 11, "Resize", [IMAGE, (f32(0),), (f32(0),), (i64(2, 3, 10, 4),)], {"mode": "linear"}, 1
    yield 11, "Resize", [IMAGE, (f32(0),), (SCALES,)], {"mode": "nearest", "coordinate_transformation_mode": "tf_half_pixel_for_nn"}, 1
    yield 11, "Squeeze", [f32(1, 3, 1, 2)], {"axes": [0, -2]}, 1
    yield 11, "Unsqueeze", [CUBE], {"axes": [0, -1]}, 1
    for operator in REDUCTIONS:
        for opset in (7, 11, 12, 17):
            if opset < 13 or operator != "Sum":
                axes = [1, 3] if opset < 11 else [-1, 1]
                yield opset, f"Reduce{operator}", [np.abs(CUBE) + 0.1], {"axes": axes, "keepdims": opset % 2}, 1
        yield 12, f"Reduce{operator}", [np.abs(CUBE) + 0.1], {}, 1
    for operator in ("LogSum", "LogSumExp"):
        for integer in (np.int32, np.int64):
            numbers = RNG.integers(1, 40, (2, 3, 4)).astype(integer)
            yield 13, f"Reduce{operator}", [numbers], {"axes": [1]}, 1
            yield 18, f"Reduce{operator}", [numbers, (i64(0, 2),)], {"keepdims": 0}, 1
    yield 9, "Scatter", [CUBE, RNG.integers(0, 3, (2, 2, 4, 5)), f32(2, 2, 4, 5)], {"axis": 1}, 1
    for ratio in (0, 2):
        yield 10, "RoiAlign", [IMAGE, BOXES, i64(0, 1, 1)], {"output_height": 3, "output_width": 2, "spatial_scale": 0.8, "sampling_ratio": ratio}, 1
    for opset in (7, 14):
        yield opset, "RNN", recurrent(1), {"hidden_size": 4, "direction": "bidirectional"}, 2
        yield opset, "GRU", recurrent(3), {"hidden_size": 4, "direction": "bidirectional", "linear_before_reset": opset // 14}, 2
        yield opset, "LSTM", recurrent(4), {"hidden_size": 4, "direction": "bidirectional"}, 3
    for mode in ("bilinear", "nearest", "bicubic"):
        yield 16, "GridSample", [IMAGE, f32(2, 4, 5, 2)], {"mode": mode, "align_corners": 1, "padding_mode": "zeros"}, 1
    yield 17, "DFT", [f32(2, 6, 5, 2)], {"axis": 2, "inverse": 1}, 1
    yield 17, "DFT", [f32(2, 6, 1)], {"onesided": 1}, 1
    yield 18, "GroupNormalization", [f32(2, 6, 4), f32(3), f32(3)], {"num_groups": 3}, 1
    for opset in (7, 10, 11):
        more = {"ceil_mode": 1} if opset >= 10 else {}
        window = {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]} | more
        yield opset, "AveragePool", [IMAGE], window | {"count_include_pad": 1}, 1
        yield opset, "AveragePool", [IMAGE], window, 1
        yield opset, "MaxPool", [IMAGE], window, 1
        yield opset, "LpPool", [IMAGE], {"kernel_shape": [3, 2], "strides": [2, 1], "p": 3}, 1
        yield opset, "AveragePool", [IMAGE], {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_LOWER"}, 1
    yield 7, "GlobalLpPool", [IMAGE], {"p": 1}, 1
    yield 8, "MaxPool", [IMAGE], {"kernel_shape": [2, 2], "strides": [2, 2]}, 2
    for slope in (f32(1), f32(3, 1, 1), f32(4, 5)):
        yield 7, "PRelu", [CUBE, (slope,)], {}, 1
    yield 7, "Gemm", [f32(3, 4), f32(5, 4), f32(5)], {"transB": 1, "alpha": 0.5, "beta": 2.0}, 1
    yield 9, "Gemm", [f32(3, 4), f32(4, 5), f32(3, 1)], {}, 1
    for pads in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        yield 7, "Conv", [IMAGE, f32(4, 3, 3, 2)], {"auto_pad": pads, "strides": [2, 2]}, 1
    yield 7, "ConvTranspose", [IMAGE, f32(3, 2, 3, 2)], {"strides": [2, 3], "output_padding": [1, 1], "pads": [1, 0, 0, 1]}, 1
    yield 7, "ArgMax", [CUBE], {"axis": 2}, 1
    yield 11, "ArgMin", [CUBE], {"axis": -1, "keepdims": 0}, 1
    yield 10, "DepthToSpace", [f32(2, 8, 3, 2)], {"blocksize": 2}, 1
    yield 13, "SpaceToDepth", [f32(2, 2, 4, 6)], {"blocksize": 2}, 1
    for operator in ("Max", "Min", "Sum", "Mean"):
        yield 7, operator, [CUBE, f32(2, 3, 4, 5), f32(2, 3, 4, 5)], {}, 1
        yield 8, operator, [CUBE, f32(3, 1, 5)], {}, 1
    yield 10, "QuantizeLinear", [CUBE, (np.float32(0.02),), (np.uint8(120),)], {}, 1
    yield 10, "DequantizeLinear", [RNG.integers(-128, 128, (3, 4)).astype(np.int8), (np.float32(0.02),), (np.int8(-3),)], {}, 1
    # As quantisers write it: one scale in a vector, the zero point without one.
    yield 13, "DequantizeLinear", [RNG.integers(-128, 128, (3, 4)).astype(np.int8), (np.float32([0.02]),), (np.int8(-3),)], {}, 1
    yield 7, "InstanceNormalization", [IMAGE, f32(3), f32(3)], {"epsilon": 1e-2}, 1
    yield 7, "Tile", [CUBE, (i64(1, 2, 1, 3),)], {}, 1
    yield 7, "Reshape", [CUBE, (i64(0, -1, 5),)], {}, 1
    yield 9, "Flatten", [CUBE], {"axis": 2}, 1
    yield 9, "OneHot", [i64(0, 2, 5), (i64(4),), (np.array([-1, 1], np.float32),)], {"axis": 0}, 1
    yield 9, "Erf", [CUBE], {}, 1
    yield 11, "CumSum", [CUBE, (np.int32(2),)], {"reverse": 1}, 1
    yield 7, "Cast", [CUBE * 9], {"to": TensorProto.INT32}, 1
    yield 13, "ScatterND", [CUBE, np.array([[0, 1], [1, 2]], np.int64), f32(2, 4, 5)], {}, 1
    yield 13, "ScatterElements", [CUBE, RNG.integers(0, 3, (2, 1, 4, 5)), f32(2, 1, 4, 5)], {"axis": 1}, 1
    yield 13, "Shape", [CUBE], {}, 1
    yield 7, "Equal", [i64(1, 2, 3), i64(1, 0, 3)], {}, 1
    yield 7, "Pow", [np.abs(CUBE), f32(5)], {}, 1


def body(inputs, outputs, *nodes):
    """The graph of a loop; all values are vectors of floats but for those with a type of their own."""
    infos = [[helper.make_tensor_value_info(n, *kind) for n, *kind in group] for group in (inputs, outputs)]
    return helper.make_graph([helper.make_node(*node) for node in nodes], "body", *infos)


def loops():
    """Scan went over a batch until opset 8, with lengths; Loop and If are older than their newest versions."""
    vector, flag = (TensorProto.FLOAT, [3]), (TensorProto.BOOL, [])
    step = body([("s", *vector), ("e", *vector)], [("t", *vector), ("u", *vector)],
                ("Add", ["s", "e"], ["t"]), ("Mul", ["t", "e"], ["u"]))  # fmt: skip
    states = f32(2, 3), f32(2, 4, 3)
    yield 8, "Scan", [None, *states], {"body": step, "num_scan_inputs": 1}, 2
    yield 8, "Scan", [None, *states], {"body": step, "num_scan_inputs": 1, "directions": [1]}, 2
    yield 8, "Scan", [i64(4, 2), *states], {"body": step, "num_scan_inputs": 1}, 2
    yield 9, "Scan", [f32(3), f32(4, 3)], {"body": step, "num_scan_inputs": 1}, 2
    step = body([("i", TensorProto.INT64, []), ("c", *flag), ("s", *vector)], [("d", *flag), ("t", *vector), ("u", *vector)],
                ("Identity", ["c"], ["d"]), ("Add", ["s", "s"], ["t"]), ("Identity", ["t"], ["u"]))  # fmt: skip
    for opset in (7, 11):
        yield opset, "Loop", [(np.int64(4),), (np.bool_(True),), f32(3)], {"body": step}, 2


def machine_learning():
    """Of ai.onnx.ml: labels as two lists that belong to one another came with version 2."""
    names = np.array(["b", "x", "a"], object)
    yield 1, "ai.onnx.ml.LabelEncoder", [names], {"classes_strings": ["a", "b", "c"], "default_int64": -7}, 1
    yield 2, "ai.onnx.ml.LabelEncoder", [names], {"keys_strings": ["a", "b"], "values_int64s": [4, 5], "default_int64": -7}, 1
    yield 2, "ai.onnx.ml.LabelEncoder", [i64(2, 1, 0)], {"keys_int64s": [1, 2], "values_floats": [0.5, -1.5]}, 1
    tree = {"nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [1, 0, 0], "nodes_values": [0.2, 0.0, 0.0],
            "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"], "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0]}  # fmt: skip
    leaves = {"treeids": [0, 0], "nodeids": [1, 2], "ids": [0, 1], "weights": [0.25, 0.75]}
    rows = f32(6, 3)
    for opset in (1, 3):
        targets = {f"target_{key}": value for key, value in leaves.items()} | {"n_targets": 2}
        yield opset, "ai.onnx.ml.TreeEnsembleRegressor", [rows], tree | targets, 1
        classes = {f"class_{key}": value for key, value in leaves.items()} | {"classlabels_int64s": [3, 8, 9]}
        yield opset, "ai.onnx.ml.TreeEnsembleClassifier", [rows], tree | classes, 2


def make_model(opset, operator, inputs, attributes, outputs, is_dynamic):
    """A model of the one node, and the values that it takes."""
    names, infos, weights, given = [], [], [], {}
    for i, value in enumerate(inputs):
        names.append("" if value is None else f"x{i}")
        if value is None:
            continue
        if isinstance(value, tuple):
            weights.append(numpy_helper.from_array(np.asarray(value[0]), names[-1]))
            continue
        sizes = [None] * value.ndim if is_dynamic else value.shape
        infos.append(helper.make_tensor_value_info(names[-1], helper.np_dtype_to_tensor_dtype(value.dtype), sizes))
        given[names[-1]] = value
    domain, _, operator = operator.rpartition(".")
    node = helper.make_node(operator, names, [f"y{i}" for i in range(outputs)], "node", domain=domain, **attributes)
    opsets = [helper.make_opsetid(domain, opset), *([helper.make_opsetid("", 15)] if domain else [])]
    model = helper.make_model(helper.make_graph([node], "old", infos, [], weights), opset_imports=opsets, ir_version=8)
    inferred = onnx.shape_inference.infer_shapes(model).graph.value_info
    kinds = {info.name: info.type.tensor_type.elem_type for info in inferred}
    for name in node.output:
        model.graph.output.append(helper.make_tensor_value_info(name, kinds.get(name, TensorProto.FLOAT), None))
    return model, given


def check(row, is_dynamic, folder):
    model, given = make_model(*row, is_dynamic)
    expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, given)
    onnx.save(model, f"{folder}/model.onnx")
    artefact.compile_model(f"{folder}/model.onnx", f"{folder}/model.so", O=1)
    actual = artefact.load_session(f"{folder}/model.so").run(list(given.values()))
    for a, e in zip(actual, expected, strict=True):
        assert a.dtype == e.dtype and a.shape == e.shape, f"{a.dtype}{a.shape} instead of {e.dtype}{e.shape}"
        np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5)


def main():
    onnxruntime.set_default_logger_severity(4)
    all_rows = [*rows(), *loops(), *machine_learning()]
    failed, cases = 0, [(row, is_dynamic) for row in all_rows for is_dynamic in ((False, True) if "--dynamic" in sys.argv else (False,))]
    for row, is_dynamic in cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(row, is_dynamic, folder)
            except Exception as error:  # noqa: BLE001, everything that goes wrong is a failed case
                failed += 1
                print(f"FAILED {row[1]} of opset {row[0]} {row[3]}{' dynamic' if is_dynamic else ''}: {' '.join(str(error).split())[:300]}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
