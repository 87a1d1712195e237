# ===- firmware_operators.py - Operators with indices of 32 bits -----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Cases of ONNX's own suite that call no function of a compiler's library for doubles,
# with their operands but the first as constants, on an emulated board: firmware_operators.py BOARD.
# ===------------------------------------------------------------------------===//
"""Runs cases of ONNX's suite without an operating system and compares with their stored results."""

import pathlib
import sys
import tempfile

import numpy as np
import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Conformance"))

import cases
from Harness import firmware, values
from modes import apply_mode

NAMES = """add_bcast and3d argmax_keepdims_example averagepool_2d_ceil batchnorm_example cast_FLOAT16_to_FLOAT
clip_example concat_2d_axis_1 constant_pad conv_with_strides_padding convtranspose
depthtospace_example dequantizelinear_axis dynamicquantizelinear erf expand_dim_changed gather_1
gather_elements_0 gather_negative_indices gathernd_example_int32 gelu_tanh_1 gemm_all_attributes
gridsample_nearest hardmax_axis_0 instancenorm_example layer_normalization_4d_axis1 less_bcast
logsoftmax_axis_1 lstm_defaults matmul_4d matmulinteger maxpool_2d_dilations maxpool_2d_pads
onehot_negative_indices prelu_broadcast qlinearconv qlinearmatmul_2D_int8_float32
quantizelinear_axis reduce_max_keepdims_example reduce_mean_negative_axes_keepdims_example
resize_upsample_scales_nearest reversesequence_batch scan_sum scatter_elements_with_axis
scatternd_add sigmoid slice_neg_steps softmax_axis_0 split_variable_parts_2d_opset18 squeeze tanh
tile transpose_all_permutations_2 tril_neg where_example""".split()

# A function of a compiler's library reads f16 there.
WITHOUT = {"riscv32": {"cast_FLOAT16_to_FLOAT"}}


def run_case(case, folder, board):
    model = onnx.load(case.path / "model.onnx")
    inputs, expected = values.read_data_set(sorted(case.path.glob("test_data_set_*"))[0], model)[:2]
    inputs = apply_mode("constant", model, inputs)
    path = folder / "case.onnx"
    onnx.save(onnx.shape_inference.infer_shapes(model), path)
    result = firmware.run(onnx.load(path), path, list(map(np.asarray, inputs)), folder, board)
    for value, own in zip(expected, result.outputs, strict=True):
        values.assert_similar(value, own, 1e-3, 1e-5)


def main():
    known = {case.name.removeprefix("test_"): case for case in cases.load_cases()}
    equal = 0
    names = [name for name in NAMES if name not in WITHOUT.get(sys.argv[1], ())]
    for name in names:
        if name not in known:
            print(f"{name}: there is no such case")
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                run_case(known[name], pathlib.Path(folder), sys.argv[1])
            equal += 1
        except (firmware.FirmwareError, AssertionError) as error:
            print(f"{name}: {error}")
    print(f"{equal} of {len(names)} cases equal")


main()
