# ===- corners.py - What the standard says and its node tests do not reach --===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Each row is a node with the numbers that the text of the standard asks for, or
# with the error that a run of it must end with.
# ===------------------------------------------------------------------------===//
"""Compiles single nodes and compares with the numbers in the table.

corners.py MODE    static, dynamic or constant: all inputs but the first in the model
"""

import os
import pathlib
import sys
import tempfile

os.environ.setdefault("OM_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

import numpy as np
from onnx import helper, numpy_helper, save

from Harness import artefact


def f32(values):
    return np.array(values, np.float32)


def i64(*values):
    return np.array(values, np.int64)


def i32(*values):
    return np.array(values, np.int32)


ROWS = f32(np.arange(12).reshape(3, 4))
LINE, TAPS = f32([[[1, 10, 100]]]), f32([[[1, 2, 3]]])
STEP = f32([[[1]]])
NUMBERS = f32([1, 2, 3, 4, 5])
LOWEST, HIGHEST = -(2**63), 2**63 - 1


def rows():
    """(operator, inputs, attributes, expected); what is expected of several outputs is a list."""
    # Lists of int32 stay what they are when negative axes are made positive.
    yield "Slice", [ROWS, i32(1), i32(3), i32(-1)], {}, ROWS[:, 1:3]
    # Negative pads take away before anything is repeated.
    yield "Pad", [NUMBERS, i64(2, -2)], {"mode": "wrap"}, f32([2, 3, 1, 2, 3])
    yield "Pad", [NUMBERS, i64(-2, 4)], {"mode": "wrap"}, f32([3, 4, 5, 3, 4, 5, 3])
    yield "Pad", [NUMBERS, i64(2, -2)], {"mode": "edge"}, f32([1, 1, 1, 2, 3])
    yield "Pad", [NUMBERS, i64(-3, 1)], {"mode": "reflect"}, f32([4, 5, 4])
    # More operands than one kernel copies, some of them empty.
    for count in (65, 131):
        parts = [f32(np.arange(3 * (i % 4)).reshape(3, i % 4) + i) for i in range(count)]
        yield "Concat", parts, {"axis": 1}, np.concatenate(parts, axis=1)
    # A size of 1 broadcasts, of whichever operand it is.
    for equation, x, y in (
        ("...ij,...jk->...ik", ROWS[None], f32(np.arange(40).reshape(5, 4, 2))),
        ("...ij,...jk->...ik", f32(np.arange(24).reshape(2, 3, 4)), ROWS.T[None]),
        ("bi,bi->b", ROWS[:1], ROWS),
        ("bi,bi", ROWS, ROWS[:, :1]),
    ):
        yield "Einsum", [x, y], {"equation": equation}, np.einsum(equation, x, y)
    # Sizes that are given decide how much is cut off, whatever pads say.
    yield "ConvTranspose", [LINE, TAPS], {"output_shape": [4]}, f32([[[12, 123, 230, 300]]])
    yield "ConvTranspose", [LINE, TAPS], {"output_shape": [4], "pads": [0, 0]}, f32([[[12, 123, 230, 300]]])
    yield "ConvTranspose", [LINE, TAPS], {"output_shape": [2]}, f32([[[123, 230]]])
    # Nothing is added where the filter is shorter than a step.
    yield "ConvTranspose", [LINE, STEP], {"auto_pad": "SAME_UPPER", "strides": [2]}, f32([[[1, 0, 10, 0, 100]]])
    # One dimension is the batch; there is one channel.
    one = f32([1])
    yield "BatchNormalization", [f32([1, 3]), one, one, one, 4 * one], {"epsilon": 0.0}, f32([1, 2])
    yield "MaxUnpool", [f32([[[5, 7]]]), i64([[0, 3]])], {"kernel_shape": [2], "strides": [2]}, f32([[[5, 0, 0, 7]]])
    # Nobody asks where the extreme of no element is.
    yield "ArgMax", [f32(np.ones((0, 0)))], {"axis": 0, "keepdims": 0}, i64()
    # Lengths go from none to all.
    yield "ReverseSequence", [ROWS, i64(0, 3, 1, 2)], {"time_axis": 0, "batch_axis": 1}, f32([[0, 9, 2, 7], [4, 5, 6, 3], [8, 1, 10, 11]])
    # Dimensions are kept by 1 alone, as the inference of the schemas says.
    yield "ReduceSum", [ROWS, i64(1)], {"keepdims": 2}, f32([6, 22, 38])
    yield "ReduceMax", [ROWS], {"keepdims": -1}, f32(11)
    yield "ArgMax", [ROWS], {"axis": 1, "keepdims": 2}, i64(3, 3, 3)
    # The formula holds for any sign of alpha.
    yield "Celu", [f32([-1, 0, 1])], {"alpha": -2.0}, f32([-2 * np.expm1(0.5), 0, 1])
    # A size is the exact product, cut off: the f32 nearest to 1.3 is less than that.
    for scale, size in ((1.3, 207), (0.7, 111), (2, 320), (0.5, 80)):
        yield "Resize", [f32(np.ones(160)), None, f32([scale])], {}, f32(np.ones(size))
    # The ends of the integers are numbers like others.
    for limits in ((HIGHEST - 4, HIGHEST, 3), (LOWEST, LOWEST + 2, 1), (0, LOWEST, LOWEST), (3, HIGHEST, LOWEST), (HIGHEST, LOWEST, HIGHEST)):
        yield "Range", list(map(np.int64, limits)), {}, np.array(range(*limits), np.int64)
    for k in (LOWEST, HIGHEST):
        yield "Trilu", [ROWS, np.int64(k)], {"upper": 1}, ROWS if k < 0 else 0 * ROWS
    yield "Slice", [NUMBERS, i64(HIGHEST), i64(LOWEST), i64(0), i64(LOWEST)], {}, f32([5])
    # Slices of no element are all the same.
    yield "Unique", [f32(np.ones((3, 0)))], {"axis": 0}, f32(np.ones((1, 0)))
    # A batch of none has no loss, whatever its images are.
    for sizes in ((), (2, 5)):
        scores, labels = f32(np.ones((0, 3, *sizes))), np.zeros((0, *sizes), np.int64)
        yield "SoftmaxCrossEntropyLoss", [scores, labels], {"reduction": "none"}, [f32(labels), scores]
        yield "SoftmaxCrossEntropyLoss", [scores, labels, f32([1, 2, 3])], {"reduction": "sum"}, f32(0)
    # The last block may be a part; a vector may have blocks.
    eights = np.arange(5, dtype=np.uint8)
    yield "DequantizeLinear", [eights, f32([1, 10, 100])], {"axis": 0, "block_size": 2}, f32([0, 1, 20, 30, 400])


def refusals(mode):
    """(operator, inputs, attributes, message)"""
    # Axes in the model may repeat: it is known which rank the result has.
    if mode != "constant":
        yield "Squeeze", [f32(np.ones((1, 1, 1))), i64(1, 1)], {}, "the axes are out of range or repeat: 1 for a rank of 3"
    yield "Pad", [f32([]), i64(1, 0)], {"mode": "edge"}, "an axis of no elements has nothing to repeat"
    yield "Split", [ROWS, i64(1, 1)], {"axis": 1}, "the parts do not add up to the axis"
    yield "Split", [NUMBERS], {"num_outputs": 4}, "the axis is too short for so many parts"
    yield "MaxUnpool", [f32([[[5, 7]]]), i64([[0, 4]])], {"kernel_shape": [2], "strides": [2]}, "an index is out of range"
    for operator in ("ArgMax", "ArgMin"):
        yield operator, [f32(np.ones((3, 0)))], {"axis": 1}, "the axis is empty, so that no element is an extreme"
    yield "Concat", [ROWS, f32(np.ones((2, 4)))], {"axis": 1}, ": 2 and 3"
    yield "MatMul", [ROWS, f32(np.ones((5, 2)))], {}, "MatMul: inner sizes of the operands differ: 4 and 5"
    yield "MaxPool", [f32(np.ones((1, 1, 2)))], {"kernel_shape": [5]}, "the window is larger than the padded input: 5 and 2"
    yield "SpaceToDepth", [f32(np.ones((1, 1, 4, 3)))], {"blocksize": 2}, "the blocks do not divide the image"
    yield "DepthToSpace", [f32(np.ones((1, 3, 2, 2)))], {"blocksize": 2}, "the blocks do not divide the channels"
    for length in (-1, 4):
        yield "ReverseSequence", [ROWS, i64(1, 1, length, 1)], {"time_axis": 0, "batch_axis": 1}, "a length is not between 0 and that"
    blocks = {"axis": 0, "block_size": 2}
    for shape in ((1, 4), (2, 3)):
        yield "DequantizeLinear", [ROWS.astype(np.uint8), f32(np.ones(shape))], blocks, "expected a scale or zero point for each block"
    for length in (2, 5):
        yield "QuantizeLinear", [ROWS, f32(np.ones(length))], {"axis": 1}, "has another size than the axis"
        zero = np.ones(length, np.uint8)
        yield "DequantizeLinear", [ROWS.astype(np.uint8), f32(np.ones(4)), zero], {"axis": 1}, "has another size than the axis"
    # More channels than groups have would be read after the sums of all groups.
    image, filters, six = f32(np.ones((1, 8, 5, 5))), f32(np.ones((6, 2, 3, 3))), f32(np.ones(6))
    offsets = f32(np.zeros((1, 18, 3, 3)))
    bytes_of = [x.astype(np.uint8) for x in (image, filters)]
    yield "Conv", [image, filters], {"group": 4}, "the groups do not divide the channels"
    yield "Conv", [image, filters, six], {"group": 4}, "the groups do not divide the channels"
    yield "ConvInteger", bytes_of, {"group": 4}, "the groups do not divide the channels"
    yield "DeformConv", [image, filters, offsets], {"group": 4}, "the groups do not divide the channels"
    for groups in (4, 7):
        yield "GroupNormalization", [f32(np.ones((1, 6, 4))), six, six], {"num_groups": groups}, "the groups do not divide the channels"
    past, longer = f32(np.ones((1, 2, 4, 3))), f32(np.ones((1, 2, 5, 3)))
    yield "TensorScatter", [past, longer], {}, "the update is longer than the past"
    yield "TensorScatter", [past, longer], {"mode": "circular"}, "the update is longer than the past"
    steps = [f32(np.ones((5, 2, 3))), f32(np.ones((1, 16, 3))), f32(np.ones((1, 16, 4)))]
    for count in (2, 4):
        yield "LSTM", steps, {"hidden_size": 4, "activations": ["Tanh"] * count}, "the operator LSTM is not supported"


def hostile():
    """Rows as of refusals, whose error is in the values of inputs whose shapes may be known."""
    # Axes of the run name a dimension each, and none twice.
    for axes in (i64(2), i64(1, 1), i64(0, -2), i64(LOWEST)):
        for operator in ("ReduceSum", "ReduceMax", "ReduceLogSumExp"):
            for keep in (0, 1):
                yield operator, [ROWS, axes], {"keepdims": keep}, "the axes are out of range or repeat"
        begin, end = np.zeros_like(axes), np.ones_like(axes)
        yield "Slice", [ROWS, begin, end, axes], {}, "Slice: the axes are out of range or repeat"
        yield "Pad", [ROWS, np.concatenate([begin, end]), None, axes], {}, "Pad: the axes are out of range or repeat"
    yield "Unsqueeze", [ROWS, i64(1, 1)], {}, "the axes are out of range or repeat"
    yield "Unsqueeze", [ROWS, i64(0, 4)], {}, "the axes are out of range or repeat: 4 for a rank of 4"
    # Messages have the sizes that disagree.
    for shape in (i64(5, -1), i64(7)):
        yield "Reshape", [ROWS, shape], {}, f"the new shape has another number of elements: input [3, 4], requested {list(map(int, shape))}"
    for k in (-1, 5):
        yield "TopK", [ROWS, i64(k)], {}, f"TopK: k is negative or above the size of the axis: {k} for dimension 1 of size 4"
    yield "Gather", [ROWS, i64(1, 3)], {}, "3 for dimension 0 of size 3"
    yield "CumSum", [ROWS, np.int64(2)], {}, "CumSum: the axis is out of range: 2 for a rank of 2"
    yield "Tile", [ROWS, i64(-1, 1)], {}, "a size is negative or too large: -1"
    # Sizes are not negative, and no tensor takes more bytes than there are.
    for shape in (i64(2**60, 16), i64(-1, 4), i64(2**62), i64(2**40, 2**40), i64(2**40, 0, 2**40)):
        yield "ConstantOfShape", [shape], {}, "a size is negative or too large"
    for times in (i64(2**60, 1), i64(2**40, 2**40), i64(-1, 1)):
        yield "Tile", [ROWS, times], {}, "a size is negative or too large"
    for shape in (i64(2**60, 3, 4), i64(2**40, 2**40, 3, 4), i64(-1, 3, 4)):
        yield "Expand", [ROWS, shape], {}, "a size is negative or too large"
    yield "Reshape", [f32(np.ones(16)), i64(2**62 + 4, 4)], {}, "Reshape"
    yield "Reshape", [f32(np.ones(16)), i64(2**61, 8, -1)], {}, "Reshape"
    yield "OneHot", [i64(0, 1), i64(2**60), f32([0, 1])], {}, "a size is negative or too large"
    yield "Pad", [ROWS, i64(0, 2**62, 0, 2**62)], {}, "a size is negative or too large"
    yield "Split", [ROWS, i64(5, -1)], {"axis": 1}, "a size is negative or too large"
    yield "Split", [ROWS, i64(2**63 - 1, 2**63 - 1, 6)], {"axis": 1}, "a size is negative or too large"
    for scale in (1e30, np.inf, np.nan):
        yield "Resize", [ROWS, None, f32([1, scale])], {}, "Resize: a scale is not above 0 and below 2^30"
    yield "Resize", [ROWS, None, None, i64(1, 2**50)], {}, "a size is negative or too large"
    for limits in ((0, LOWEST, -1), (LOWEST, HIGHEST, 1), (HIGHEST, LOWEST, -1), (0, HIGHEST, 3)):
        yield "Range", list(map(np.int64, limits)), {}, "Range"
    for limits in ((0, np.inf, 1), (0, 1, np.nan), (0, 1e30, 1e-30)):
        yield "Range", list(map(np.float32, limits)), {}, "Range: the result is too long"
    for size in (2**62, HIGHEST):
        yield "HannWindow", [np.int64(size)], {}, "Range: the result is too long"
    yield "STFT", [f32(np.ones((2, 9, 0))), np.int64(2), None, np.int64(4)], {}, "the last dimension is neither 1 nor 2"
    yield "SplitToSequence", [ROWS, np.int64(LOWEST)], {}, "SplitToSequence"
    past, update = f32(np.ones((1, 2, 4, 3))), f32(np.ones((1, 2, 2, 3)))
    for start in (-1, 3, LOWEST, HIGHEST):
        yield "TensorScatter", [past, update, i64(start)], {}, "the update ends after the past, or begins before it"


def model_of(operator, inputs, attributes, count, mode):
    """The model, and the arrays that it takes."""
    infos, stored, given, names = [], [], [], []
    for k, array in enumerate(inputs):
        names.append("" if array is None else f"i{k}")
        if array is None:
            continue
        array = np.asarray(array)
        if mode == "known" or (mode == "constant" and k > 0):
            stored.append(numpy_helper.from_array(array, f"i{k}"))
            continue
        shape = [f"n{k}_{d}" for d in range(array.ndim)] if mode == "dynamic" else array.shape
        infos.append(helper.make_tensor_value_info(f"i{k}", helper.np_dtype_to_tensor_dtype(array.dtype), shape))
        given.append(array)
    outputs = [f"o{k}" for k in range(count)]
    node = helper.make_node(operator, names, outputs, "corner", **attributes)
    graph = helper.make_graph([node], "g", infos, [helper.make_empty_tensor_value_info(n) for n in outputs], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=11), given


def run(operator, inputs, attributes, count, mode):
    model, given = model_of(operator, inputs, attributes, count, mode)
    with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
        path = pathlib.Path(scratch, "model.onnx")
        save(model, path)
        artefact.compile_model(path, path.with_suffix(".so"))
        return artefact.load_session(path.with_suffix(".so")).run(given)


def wrong_numbers(row, mode):
    """What is wrong with a row, None if nothing."""
    operator, inputs, attributes, expected = row
    expected = expected if isinstance(expected, list) else [expected]
    try:
        results = run(operator, inputs, attributes, len(expected), mode)
    except Exception as error:
        return " ".join(str(error).split())
    equal = all(r.shape == e.shape and np.allclose(r, e, 1e-6) for r, e in zip(results, expected, strict=True))
    return None if equal else f"{results} instead of {expected}"


def wrong_error(row, mode):
    operator, inputs, attributes, message = row
    try:
        count = len(inputs[1]) if operator == "Split" and len(inputs) > 1 else attributes.get("num_outputs", 2 if operator == "TopK" else 1)
        results = run(operator, inputs, attributes, count, mode)
    except Exception as error:
        return None if message in str(error) and "corner" in str(error) else " ".join(str(error).split())
    return f"{results} instead of an error"


def main():
    mode = sys.argv[1]
    judged = [(row, wrong_numbers(row, mode)) for row in rows()]
    # What is known when compiling is refused then, in other words.
    judged += [(row, wrong_error(row if mode == "dynamic" else row[:3] + ("",), mode)) for row in refusals(mode)]
    # Of values in the model the compiler may say so, or leave it to the run.
    judged += [(row, wrong_error(row[:3] + ("",), "known") if mode == "constant" else wrong_error(row, mode)) for row in hostile()]
    for (operator, inputs, attributes, _), wrong in judged:
        if wrong:
            print(f"FAILED {operator} {[np.shape(i) for i in inputs]} {attributes}: {wrong}")
    failed = sum(wrong is not None for _, wrong in judged)
    print(f"{len(judged) - failed} passed, {failed} failed")


if __name__ == "__main__":
    main()
