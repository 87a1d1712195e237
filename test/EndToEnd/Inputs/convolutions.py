# ===- convolutions.py - Convolutions of all forms against the reference ----===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""convolutions.py FOLDER winograd|taps|transposed: compares convolutions, single or in chains, with their definition or onnx's reference implementation."""

import itertools
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import BUILD, artefact

FOLDER = pathlib.Path(sys.argv[1])
RNG = np.random.default_rng(7)

# Operand, filters, attributes: tiles of 4 and of 2, whole and cut off; borders that differ; without a bias; in bands.
WINOGRAD = [
    ((1, 64, 24, 24), (64, 64, 3, 3), {"pads": [1, 1, 1, 1]}, True),
    ((2, 48, 21, 30), (80, 48, 3, 3), {"pads": [1, 0, 2, 1]}, True),
    ((1, 128, 14, 14), (128, 128, 3, 3), {"auto_pad": "SAME_UPPER"}, False),
    ((1, 64, 17, 25), (64, 64, 3, 3), {}, True),
    ((2, 32, 70, 61), (40, 32, 3, 3), {"pads": [1, 1, 1, 1]}, True),
]
OPEN = [(1, 64, 9, 13), (3, 64, 1, 1), (1, 64, 40, 2), (0, 64, 5, 5), (2, 64, 0, 7), (1, 64, 3, 0), (1, 64, 70, 66)]
# Batches and widths.
OPEN_WIDTH = [(1, 1), (1, 7), (2, 70), (1, 0), (3, 9)]
# Windows that mostly read the border: only the tap in the centre reads, others read parts; borders that differ, steps,
# no tap that reads for all results, one and three dimensions.
TAPS = [
    ((1, 64, 8, 8), (64, 64, 3, 3), {"dilations": [12, 12], "pads": [12, 12, 12, 12]}, True),
    ((2, 64, 19, 33), (48, 64, 3, 3), {"dilations": [24, 16], "pads": [24, 16, 24, 16]}, False),
    ((1, 64, 20, 21), (64, 64, 3, 3), {"dilations": [10, 8], "pads": [20, 0, 0, 16]}, True),
    ((1, 64, 30, 31), (64, 64, 3, 3), {"dilations": [12, 12], "pads": [12, 13, 12, 12], "strides": [2, 3]}, True),
    ((1, 64, 12, 12), (64, 64, 4, 4), {"dilations": [8, 8], "pads": [12, 12, 12, 12]}, True),
    ((2, 64, 700), (64, 64, 3), {"dilations": [600], "pads": [1200, 0]}, True),
    ((1, 64, 6, 7, 6), (32, 64, 3, 3, 3), {"dilations": [5, 5, 5], "pads": [5, 5, 5, 5, 5, 5]}, False),
]
# A group for each channel.
TAPS_DEPTHWISE = [
    ((1, 64, 8, 8), (64, 1, 3, 3), {"group": 64, "dilations": [12, 12], "pads": [12, 12, 12, 12]}, False),
    ((2, 40, 13, 17), (40, 1, 3, 3), {"group": 40, "dilations": [10, 12], "pads": [10, 13, 10, 12]}, True),
    ((1, 64, 14, 13), (64, 1, 3, 3), {"group": 64, "dilations": [10, 12], "pads": [20, 0, 0, 24], "strides": [2, 1]}, True),
    ((2, 48, 60), (48, 1, 3), {"group": 48, "dilations": [200], "pads": [400, 0]}, True),
]
# Borders that follow from sizes.
TAPS_SAME = [
    ((1, 64, 5, 5), (64, 64, 7, 7), {"auto_pad": "SAME_LOWER"}, True),
    ((4, 64, 9, 8), (48, 64, 7, 7), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, True),
]
# The filter a multiple of the stride or not, groups, dilations, one to three dimensions, borders of all forms.
TRANSPOSED = [
    ((2, 24, 7, 5), (24, 20, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1]}, True),
    ((1, 16, 6, 6), (16, 3, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1]}, True),
    ((1, 8, 5, 6), (8, 16, 2, 2), {"strides": [2, 2]}, True),
    ((1, 16, 5, 6), (16, 24, 3, 3), {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]}, True),
    ((1, 8, 5, 6), (8, 16, 6, 3), {"strides": [3, 1], "pads": [4, 0, 1, 2], "output_padding": [2, 0]}, False),
    ((1, 12, 5, 6), (12, 4, 4, 2), {"strides": [2, 2], "group": 3, "pads": [0, 1, 1, 0]}, True),
    ((1, 12, 5, 6), (12, 1, 4, 4), {"strides": [2, 2], "group": 12, "pads": [1, 1, 1, 1]}, True),
    ((1, 8, 9), (8, 16, 16), {"strides": [8], "pads": [4, 4]}, True),
    ((1, 8, 5, 6), (8, 16, 3, 3), {"dilations": [2, 3], "pads": [1, 2, 3, 0]}, True),
    ((1, 8, 5, 6), (8, 16, 4, 4), {"strides": [2, 2], "dilations": [2, 2]}, True),
    ((1, 8, 5, 6), (8, 16, 4, 4), {"strides": [2, 2], "auto_pad": "SAME_LOWER"}, True),
    ((1, 8, 3, 4, 2), (8, 16, 2, 4, 2), {"strides": [2, 2, 1], "pads": [0, 1, 0, 0, 1, 1]}, True),
]


def model_of(operator, x, w, attributes, has_bias, open_sizes=0):
    group = attributes.get("group", 1)
    channels = w[0] if operator == "Conv" else w[1] * group
    stored = [numpy_helper.from_array(RNG.standard_normal(w).astype(np.float32), "w")]
    if has_bias:
        stored.append(numpy_helper.from_array(RNG.standard_normal(channels).astype(np.float32), "b"))
    node = helper.make_node(operator, ["x"] + [s.name for s in stored], ["y"], **attributes)
    shape = list(x)
    if open_sizes:
        shape[0] = "n"
    if open_sizes > 1:
        shape[2:] = [f"d{i}" for i in range(len(x) - 2)]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph([node], "convolution", inputs, outputs, stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])


def borders_of(auto_pad, total):
    """The pads of auto_pad where this many elements in all are to be added along each axis."""
    first = [t // 2 if auto_pad == "SAME_UPPER" else t - t // 2 for t in total]
    return first + [t - f for t, f in zip(total, first, strict=True)]


def with_bias(sums, bias):
    return sums if bias is None else sums + bias.reshape(-1, *[1] * (sums.ndim - 2))


def convolved(x, w, bias, strides=None, dilations=None, pads=None, group=1, auto_pad="NOTSET"):
    """The sum over the taps of the filters of what each reads of the padded operand.

    The reference implementation spreads dilated filters to their whole extent, which takes seconds for each model.
    """
    spatial = x.ndim - 2
    strides, dilations, pads = strides or [1] * spatial, dilations or [1] * spatial, pads or [0] * 2 * spatial
    extents = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilations, strict=True)]
    if auto_pad != "NOTSET":
        total = [max((-(-n // s) - 1) * s + e - n, 0) for n, s, e in zip(x.shape[2:], strides, extents, strict=True)]
        pads = borders_of(auto_pad, total)
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), *zip(pads[:spatial], pads[spatial:], strict=True)])
    sizes = [(n - e) // s + 1 for n, e, s in zip(padded.shape[2:], extents, strides, strict=True)]
    sums = np.zeros((x.shape[0], group, w.shape[0] // group, *sizes))
    grouped = w.reshape(group, w.shape[0] // group, *w.shape[1:])
    for at in itertools.product(*map(range, w.shape[2:])):
        part = [slice(k * d, k * d + (n - 1) * s + 1, s) for k, d, n, s in zip(at, dilations, sizes, strides, strict=True)]
        read = padded[(slice(None), slice(None), *part)].reshape(x.shape[0], group, w.shape[1], *sizes)
        sums += np.einsum("ngc...,gmc->ngm...", read, grouped[(..., *at)])
    return with_bias(sums.reshape(x.shape[0], w.shape[0], *sizes), bias)


def transposed(x, w, bias, strides=None, dilations=None, pads=None, output_padding=None, group=1, auto_pad="NOTSET"):
    """Each element of x times the filter, added up where it lands."""
    spatial = x.ndim - 2
    strides, dilations = strides or [1] * spatial, dilations or [1] * spatial
    extra, pads = output_padding or [0] * spatial, pads or [0] * 2 * spatial
    reach = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(x.shape[2:], strides, w.shape[2:], dilations, strict=True)]
    sums = np.zeros((x.shape[0], w.shape[1] * group, *(r + e for r, e in zip(reach, extra, strict=True))))
    for g in range(group):
        ins = slice(g * x.shape[1] // group, (g + 1) * x.shape[1] // group)
        outs = slice(g * w.shape[1], (g + 1) * w.shape[1])
        for at in itertools.product(*map(range, w.shape[2:])):
            part = [slice(k * d, k * d + (n - 1) * s + 1, s) for k, d, n, s in zip(at, dilations, x.shape[2:], strides, strict=True)]
            sums[(slice(None), outs, *part)] += np.einsum("nc...,cm->nm...", x[:, ins], w[(ins, slice(None), *at)])
    if auto_pad != "NOTSET":
        pads = borders_of(auto_pad, [r - n * s for r, n, s in zip(reach, x.shape[2:], strides, strict=True)])
    kept = [slice(p, size - q) for p, q, size in zip(pads[:spatial], pads[spatial:], sums.shape[2:], strict=True)]
    return with_bias(sums[(slice(None), slice(None), *kept)], bias)


def chain_of(open_sizes):
    """Convolutions, pools, a concatenation and a scatter, of which each reads with a border what others read without one."""

    def conv(name, x, channels, window, stride, **more):
        stored.append(numpy_helper.from_array(RNG.standard_normal((channels, 16, window, window)).astype(np.float32) / 8, f"{name}_w"))
        border = [window // 2] * 4
        return helper.make_node("Conv", [x, f"{name}_w"], [name], strides=[stride] * 2, pads=border, **more)

    rows = np.array([1, 0], np.int64)
    stored = [numpy_helper.from_array(np.tile(rows[None, None, :, None], (1, 16, 1, 3)), "rows")]
    stored.append(numpy_helper.from_array(RNG.standard_normal((1, 16, 2, 3)).astype(np.float32), "updates"))
    nodes = [
        conv("a", "x", 16, 1, 1),
        conv("b", "a", 16, 3, 1),
        conv("c", "b", 16, 3, 2),
        conv("d", "b", 16, 1, 2),
        helper.make_node("ScatterElements", ["d", "rows", "updates"], ["e"], axis=2),
        conv("f", "e", 16, 3, 1),
        helper.make_node("Add", ["c", "f"], ["g"]),
        helper.make_node("MaxPool", ["g"], ["h"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("Concat", ["g", "h"], ["i"], axis=1),
        helper.make_node("AveragePool", ["i"], ["y"], kernel_shape=[3, 3], pads=[0, 1, 1, 0]),
    ]
    shape = [[1, 16, 11, 14], ["n", 16, 11, 14], ["n", 16, "h", "w"]][open_sizes]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "chain", inputs, outputs, stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])


def branches_of(shape, dilations):
    """Convolutions of one operand, added up."""
    nodes, stored = [], []
    for i, d in enumerate(dilations):
        stored.append(numpy_helper.from_array(RNG.standard_normal((64, shape[1], 3, 3)).astype(np.float32), f"w{i}"))
        nodes.append(helper.make_node("Conv", ["x", f"w{i}"], [f"c{i}"], dilations=[d, d], pads=[d] * 4))
    nodes.append(helper.make_node("Sum", [f"c{i}" for i in range(len(dilations))], ["y"]))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "branches", inputs, outputs, stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])


def expected_of(model, x):
    if len(model.graph.node) > 1:
        return ReferenceEvaluator(model).run(None, {"x": x})[0]
    node = model.graph.node[0]
    w, *bias = map(numpy_helper.to_array, model.graph.initializer)
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    if "auto_pad" in attributes:
        attributes["auto_pad"] = attributes["auto_pad"].decode()
    definition = convolved if node.op_type == "Conv" else transposed
    return definition(x, w, bias[0] if bias else None, **attributes)


def compare(model, x):
    path = FOLDER / "model.onnx"
    onnx.save(model, path)
    library = artefact.compile_model(path, FOLDER / f"model{RNG.integers(1 << 60)}.so")
    value = RNG.standard_normal(x).astype(np.float32)
    actual = np.asarray(artefact.load_session(library).run([value])[0], np.float64)
    expected = expected_of(model, value)
    library.unlink()
    assert actual.shape == expected.shape, f"{actual.shape} for {expected.shape}"
    scale = np.abs(expected).max()
    worst = np.abs(actual - expected).max() / scale
    assert worst < 2e-5, f"{model.graph.node[0]} differs by {worst} of the largest value"


# How far the results are that share a tile with a place: a tile of 4 reads one more on either side.
TILE_REACH = 4


def compare_special(x, w, attributes, special):
    """Special numbers in few places of the operand: results that share no tile with them are those without them.

    Strictly, all results are finite but those that a special number is a term of.
    """
    model, path = model_of("Conv", x, w, attributes, True), FOLDER / "model.onnx"
    onnx.save(model, path)
    value = RNG.standard_normal(x).astype(np.float32)
    rows, columns = RNG.integers(0, x[2], 2), RNG.integers(0, x[3], 2)
    value[0, 3, rows, columns] = 0
    expected = expected_of(model, value)
    value[0, 3, rows, columns] = special
    of_rows, of_columns = (np.arange(n)[:, None] for n in expected.shape[2:])
    top, left = attributes["pads"][:2]

    def near(reach):
        found = [(abs(of_rows + 1 - top - r) <= reach) & (abs(of_columns + 1 - left - c) <= reach).T for r, c in zip(rows, columns)]
        mask = np.zeros(expected.shape, bool)
        mask[0, :] = np.any(found, axis=0)
        return mask

    for strict, reach in (False, TILE_REACH), (True, 1):
        library = artefact.compile_model(path, FOLDER / f"model{RNG.integers(1 << 60)}.so", strict=strict)
        actual = artefact.load_session(library).run([value])[0]
        library.unlink()
        touched = near(reach)
        assert not np.isfinite(actual[near(1)]).any(), f"{special} is lost"
        assert np.isfinite(actual[~touched]).all(), f"{special} spreads beyond {'its windows' if strict else 'its tiles'}"
        worst = np.abs(actual - expected)[~touched].max() / np.abs(expected).max()
        assert worst < 2e-5, f"beside {special} results differ by {worst} of the largest value"


def compare_not_finite(x, channels, dilation):
    """A NaN or an infinity in the operand is in the results of the windows that read it; one in a filter, which also meets the zeros of the border, in all results of its channel."""
    attributes = {"dilations": [dilation] * 2, "pads": [dilation] * 4}
    model, path = model_of("Conv", x, (channels, x[1], 3, 3), attributes, True), FOLDER / "model.onnx"
    value = RNG.standard_normal(x).astype(np.float32)
    filters = numpy_helper.to_array(model.graph.initializer[0]).copy()
    rows, columns = (np.isin(np.arange(size) - at, [-dilation, 0, dilation]) for size, at in zip(x[2:], (5, 7)))
    near = np.broadcast_to(np.outer(rows, columns), (1, channels, *x[2:]))
    of_channel = np.zeros(near.shape, bool)
    of_channel[:, 5] = True
    for operand, at, reached in (value, (0, 3, 5, 7), near), (filters, (5, 2, 0, 1), of_channel):
        kept = operand[at]
        for special in np.nan, np.inf:
            operand[at] = special
            model.graph.initializer[0].CopyFrom(numpy_helper.from_array(filters, "w"))
            onnx.save(model, path)
            library = artefact.compile_model(path, FOLDER / f"model{RNG.integers(1 << 60)}.so")
            actual = artefact.load_session(library).run([value])[0]
            library.unlink()
            assert (np.isfinite(actual) != reached).all(), f"{special} is in other results"
        operand[at] = kept


def compare_sizes(model, sizes):
    """One artefact with operands of all these sizes; of an empty one only the shape is looked at."""
    path = FOLDER / "model.onnx"
    onnx.save(model, path)
    session = artefact.load_session(artefact.compile_model(path, FOLDER / f"model{RNG.integers(1 << 60)}.so"))
    for x in sizes:
        value = RNG.standard_normal(x).astype(np.float32)
        actual = np.asarray(session.run([value])[0], np.float64)
        if value.size == 0:
            assert actual.shape == (x[0], actual.shape[1], *x[2:]), f"{actual.shape} for {x}"
            continue
        expected = expected_of(model, value)
        assert actual.shape == expected.shape, f"{actual.shape} for {expected.shape}"
        assert np.abs(actual - expected).max() < 2e-5 * np.abs(expected).max(), f"{x} differs"


def compare_algorithm(cases, name, is_chosen, modes=3):
    """Each case with known sizes, a dynamic batch, and all sizes dynamic; the algorithm is to be the one expected."""
    for open_sizes, text in enumerate([name, f"{name}, dynamic batch", f"{name}, dynamic sizes"][:modes]):
        for x, w, attributes, has_bias in cases:
            compare(model_of("Conv", x, w, attributes, has_bias, open_sizes), (x[0] + (open_sizes > 0), *x[1:]))
            emit = [BUILD / "bin" / "onnx-compile", FOLDER / "model.onnx", "--emit=krnl", "-q", "-o", "-"]
            assert is_chosen(subprocess.run(emit, check=True, capture_output=True).stdout), f"{x} is computed directly"
        print(f"{text}: {len(cases)} models agree")


def has_no_window(kernels):
    """Whether no kernel has a loop over the window."""
    return b" k0 = " not in kernels


def check_winograd():
    compare_algorithm(WINOGRAD, "winograd", lambda text: b"Winograd" in text)
    for special in np.nan, np.inf, -np.inf:
        for x, w, attributes, _ in (case for case in WINOGRAD if "pads" in case[2]):
            compare_special(x, w, attributes, special)
    print("winograd: what is not finite stays in its tiles")
    border = {"pads": [1, 1, 1, 1]}
    compare_sizes(model_of("Conv", (1, 64, 1, 1), (64, 64, 3, 3), border, True, 2), OPEN)
    print(f"winograd: {len(OPEN)} sizes of one artefact agree")
    for x in (1, 64, 12, 1), (1, 32, 92, 1):
        model = model_of("Conv", x, (x[1], x[1], 3, 3), border, True, 2)
        model.graph.input[0].type.tensor_type.shape.dim[2].dim_value = x[2]
        compare_sizes(model, [(batch, *x[1:3], width) for batch, width in OPEN_WIDTH])
    print(f"winograd, dynamic width: {len(OPEN_WIDTH)} sizes of two artefacts agree")
    for open_sizes in range(3):
        compare(chain_of(open_sizes), (1, 16, 11, 14))
    print("chains with borders agree")


def check_taps():
    compare_algorithm(TAPS, "taps", has_no_window)
    compare_algorithm(TAPS_DEPTHWISE, "taps, depthwise", has_no_window, modes=2)
    compare_algorithm(TAPS_SAME, "taps, borders of sizes", has_no_window, modes=2)
    dilated = {"dilations": [12, 12], "pads": [12, 12, 12, 12]}
    compare_sizes(model_of("Conv", (1, 64, 1, 1), (64, 64, 3, 3), dilated, True, 2), OPEN)
    dilated = {"group": 64, "dilations": [24, 24], "pads": [24, 24, 24, 24]}
    compare_sizes(model_of("Conv", (1, 64, 1, 1), (64, 1, 3, 3), dilated, True, 2), OPEN)
    print(f"taps: {len(OPEN)} sizes of two artefacts agree")
    compare(branches_of((1, 64, 20, 24), [8, 12]), (1, 64, 20, 24))
    print("taps: branches agree")
    compare_not_finite((1, 64, 20, 24), 48, 12)
    print("taps: what is not finite stays in its windows")


def check_transposed():
    for open_sizes, text in (0, "transposed"), (2, "transposed, dynamic sizes"):
        for x, w, attributes, has_bias in TRANSPOSED:
            compare(model_of("ConvTranspose", x, w, attributes, has_bias, open_sizes), x)
        print(f"{text}: {len(TRANSPOSED)} models agree")


def main():
    FOLDER.mkdir(exist_ok=True)
    {"winograd": check_winograd, "taps": check_taps, "transposed": check_transposed}[sys.argv[2]]()


main()
