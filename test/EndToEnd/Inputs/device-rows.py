# ===- device-rows.py - Long rows in parts on the simulated device ----------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs operators along a few long rows on the simulated device, beside numpy, and names their kernels: device-rows.py
PREFIX known|dynamic."""

import re
import subprocess
import sys
import warnings

import ml_dtypes
import numpy as np
import onnx
import onnx_compile
from onnx import TensorProto, helper, parser

F32, F16, BF16 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16
NUMPY = {F32: np.float32, F16: np.float16, BF16: ml_dtypes.bfloat16, TensorProto.INT32: np.int32}
# Of f32 that of sums of so many terms; of 16 bits that of the result.
BOUNDS = {F32: 2e-5, F16: 2e-3, BF16: 1.6e-2}


def model(op, shape, element=F32, others=None, result=None, axes=None, opset=20, results=("y",), **attributes):
    """An operator along the last axis; `others` are shapes of inputs after x."""
    inputs = {"x": shape, **(others or {})}
    constants = [] if axes is None else [helper.make_tensor("axes", TensorProto.INT64, [len(axes)], axes)]
    names = [*inputs, *(["axes"] if axes is not None else [])]
    graph = helper.make_graph(
        [helper.make_node(op, names, results, **attributes)],
        "g",
        [helper.make_tensor_value_info(name, element, sizes) for name, sizes in inputs.items()],
        [helper.make_tensor_value_info(name, result or element, None) for name in results],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def reduction(op, shape, element=F32):
    return model(op, shape, element, axes=[-1])


def softmax(x):
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def log_softmax(x):
    largest = x.max(axis=-1, keepdims=True)
    return x - largest - np.log(np.exp(x - largest).sum(axis=-1, keepdims=True))


def normalized(x, g, b):
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * g + b


def normalized_channels(x, g, b):
    return normalized(x, g[:, None], b[:, None])


EXACT = {
    "Softmax": softmax,
    "LogSoftmax": log_softmax,
    "LayerNormalization": normalized,
    "InstanceNormalization": normalized_channels,
    "ReduceSum": lambda x: x.sum(axis=-1, keepdims=True),
    "ReduceMean": lambda x: x.mean(axis=-1, keepdims=True),
    "ReduceMax": lambda x: x.max(axis=-1, keepdims=True),
    "ReduceL2": lambda x: np.sqrt((x * x).sum(axis=-1, keepdims=True)),
    "ReduceLogSumExp": lambda x: np.log(np.exp(x - x.max()).sum(axis=-1, keepdims=True)) + x.max(),
    "ArgMax": lambda x: x.argmax(axis=-1, keepdims=True),
    "Hardmax": lambda x: (np.arange(x.shape[-1]) == x.argmax(axis=-1, keepdims=True)).astype(np.float64),
    "ArgMin": lambda x: x.argmin(axis=-1, keepdims=True),
}
CASES = {
    **{f"softmax_{name}": model("Softmax", shape, axis=-1) for name, shape in (("even", [1, 65536]), ("odd", [3, 50003]), ("prime", [1, 65537]))},
    "softmax_f16": model("Softmax", [2, 65536], F16, axis=-1),
    "softmax_bf16": model("Softmax", [1, 50003], BF16, axis=-1),
    "log_softmax": model("LogSoftmax", [1, 65536], axis=-1),
    "log_softmax_odd": model("LogSoftmax", [2, 50003], F16, axis=-1),
    "layer_norm": model("LayerNormalization", [1, 65536], others={"g": [65536], "b": [65536]}),
    "layer_norm_odd": model("LayerNormalization", [3, 50003], others={"g": [50003], "b": [50003]}),
    "layer_norm_f16": model("LayerNormalization", [1, 65536], F16, others={"g": [65536], "b": [65536]}),
    "layer_norm_bf16": model("LayerNormalization", [1, 50003], BF16, others={"g": [50003], "b": [50003]}),
    "layer_norm_results": model(
        "LayerNormalization", [2, 50003], others={"g": [50003], "b": [50003]}, results=("y", "mean")
    ),
    "instance_norm": model("InstanceNormalization", [1, 3, 50003], others={"g": [3], "b": [3]}),
    "sum_f16": reduction("ReduceSum", [1, 65536], F16),
    "sum_s32": reduction("ReduceSum", [2, 50003], TensorProto.INT32),
    "mean": reduction("ReduceMean", [2, 65536]),
    "mean_odd": reduction("ReduceMean", [1, 50003], BF16),
    "max": reduction("ReduceMax", [2, 50003]),
    "l2": reduction("ReduceL2", [2, 50003]),
    "log_sum_exp": reduction("ReduceLogSumExp", [2, 50003]),
    "arg_max": model("ArgMax", [2, 50003], result=TensorProto.INT64, axis=-1),
    "arg_max_even": model("ArgMax", [1, 65536], F16, result=TensorProto.INT64, axis=-1, select_last_index=1),
    "hard_max": model("Hardmax", [2, 50003], axis=-1),
    "arg_min": model("ArgMin", [3, 50003], result=TensorProto.INT64, axis=-1),
}


def chain(nodes, result="float[1, 1] y"):
    """A row and six others that are added to it, which is e."""
    inputs = ", ".join(f"float[1, 16384] x{i}" for i in range(7))
    sums = " ".join(f"s{i} = Add({f's{i - 1}' if i > 1 else 'x0'}, x{i})" for i in range(1, 7))
    return parser.parse_model(f"""<ir_version: 10, opset_import: ["" : 20]> c ({inputs}) => ({result})
        <int64[1] axes = {{-1}}> {{ {sums} e = Identity(s6) {nodes} }}""")


# Ops of one kernel, and what they are of x where all other inputs are zero.
CHAINS = {
    "arg_max_of_chain": (
        chain("l = Neg(x1) m = Exp(l) g = Log(m) c = Sub(e, g) y = ArgMax<axis = -1>(c)", "int64[1, 1] y"),
        lambda x: x.argmax(axis=-1, keepdims=True),
    ),
    "squares_around_root": (
        chain("t = ReduceSum(e, axes) r = Sqrt(t) v = Sub(e, r) w = Mul(v, v) y = ReduceSum(w, axes)"),
        lambda x: ((x - np.sqrt(x.sum(axis=-1, keepdims=True))) ** 2).sum(axis=-1, keepdims=True),
    ),
    "squares_around_logarithm": (
        chain("t = ReduceSum(e, axes) r = Log(t) v = Sub(e, r) w = Mul(v, v) y = ReduceSum(w, axes)"),
        lambda x: ((x - np.log(x.sum(axis=-1, keepdims=True))) ** 2).sum(axis=-1, keepdims=True),
    ),
    "exponentials": (
        chain("t = ReduceMax(e, axes) v = Sub(e, t) w = Exp(v) y = ReduceSum(w, axes)"),
        lambda x: np.exp(x - x.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True),
    ),
    "exponentials_below_magnitude": (
        chain("t = ReduceMax(e, axes) r = Abs(t) v = Sub(e, r) w = Exp(v) y = ReduceSum(w, axes)"),
        lambda x: np.exp(x - np.abs(x.max(axis=-1, keepdims=True))).sum(axis=-1, keepdims=True),
    ),
}
# Halves far apart, a half and a whole row without numbers that are finite.
ROWS = [np.repeat(halves, 8192).astype(np.float32)[None] for halves in ([0, 1], [-300, -100], [-np.inf, 2], [-np.inf, -np.inf])]


def values(made, special):
    """Numbers around 3, the sum of which f16 does not have, or around 0.5; some rows have infinities or no numbers where these are asked for."""
    random = np.random.default_rng(0)
    for info in made.graph.input:
        shape = [d.dim_value for d in info.type.tensor_type.shape.dim]
        element = NUMPY[info.type.tensor_type.elem_type]
        if np.issubdtype(element, np.integer):
            yield random.integers(-1000, 1000, shape).astype(element)
            continue
        x = random.standard_normal(shape) + (0.5 if made.graph.node[0].op_type == "ReduceSum" else 3)
        if special and info.name == "x":
            x[..., :30000] = -np.inf
            x[-1, ..., special:] = np.nan
        yield x.astype(element)


def error_of(found, exact, bound):
    """In bounds, of the largest number of the result."""
    if found.dtype.kind == "i":
        return 0 if np.array_equal(found, exact) else np.inf
    found = found.astype(np.float64)
    same = (np.isnan(exact) & np.isnan(found)) | (exact == found)
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0, np.abs(found - exact)).max()
    largest = np.abs(exact[np.isfinite(exact)]).max(initial=1e-30)
    return np.inf if np.isnan(error) else error / (bound * largest)


def compiled(name, made):
    """A session, and the names of the kernels."""
    path = f"{sys.argv[1]}-{name}"
    onnx.save(made, f"{path}.onnx")
    command = ["onnx-compile", f"{path}.onnx", "--device=cuda:simulator", "-q"]
    text = subprocess.run([*command, "--emit=krnl", "-o", "-"], capture_output=True, text=True, check=True).stdout
    subprocess.run([*command, "-o", f"{path}.so"], check=True)
    return onnx_compile.ExecutionSession(f"{path}.so"), re.findall(r'krnl.kernel "(.+?)" loops', text)


def report(name, kernels, worst):
    print(f"{name}: {', '.join(kernels)}; {'right' if worst <= 1 else f'wrong, {worst:.2g} times the bound'}")


def run_operators():
    for name, made in CASES.items():
        op, (session, kernels), worst = made.graph.node[0].op_type, compiled(name, made), 0
        bound = BOUNDS.get(made.graph.input[0].type.tensor_type.elem_type, 0)
        for special in [0, 40000] if op in ("Softmax", "LogSoftmax", "ReduceMax", "ArgMax") else [0]:
            given = list(values(made, special))
            with np.errstate(invalid="ignore"):
                exact = EXACT[op](*(x if x.dtype.kind == "i" else x.astype(np.float64) for x in given))
            if name == "arg_max_even":
                exact = given[0].shape[-1] - 1 - given[0].astype(np.float64)[..., ::-1].argmax(axis=-1, keepdims=True)
            found, again = session.run(given)[0], session.run(given)[0]
            error = error_of(found, exact, bound)
            worst = max(worst, error if found.tobytes() == again.tobytes() else np.inf)
        report(name, kernels, worst)


def run_chains():
    for name, (made, exact) in CHAINS.items():
        session, kernels = compiled(name, made)
        worst = 0
        for x in ROWS:
            with np.errstate(all="ignore"):
                expected = exact(x.astype(np.float64))
            worst = max(worst, error_of(session.run([x] + [np.zeros_like(x)] * 6)[0], expected, BOUNDS[F32]))
        report(name, kernels, worst)


def dynamic(node, inputs="float[3, n] x", result="float[3, n] y"):
    return parser.parse_model(f"""<ir_version: 10, opset_import: ["" : 20]> d ({inputs}) => ({result})
        <int64[1] axes = {{-1}}> {{ y = {node} }}""")


# Rows of dynamic length, some of dynamic number. Each with the shapes before the rows.
DYNAMIC = {
    "dynamic_softmax": (dynamic("Softmax<axis = -1>(x)"), softmax, [[3]]),
    "dynamic_softmax_row": (dynamic("Softmax<axis = -1>(x)", "float[1, n] x", "float[1, n] y"), softmax, [[1]]),
    "dynamic_softmax_rows": (dynamic("Softmax<axis = -1>(x)", "float[b, n] x", "float[b, n] y"), softmax, [[0], [2], [40]]),
    "dynamic_softmax_heads": (
        dynamic("Softmax<axis = -1>(x)", "float[b, h, n] x", "float[b, h, n] y"),
        softmax,
        [[2, 3], [0, 5], [9, 16]],
    ),
    "dynamic_log_softmax": (dynamic("LogSoftmax<axis = -1>(x)"), log_softmax, [[3]]),
    "dynamic_norm": (
        dynamic("InstanceNormalization(x, g, b)", "float[1, 3, n] x, float[3] g, float[3] b", "float[1, 3, n] y"),
        normalized_channels,
        [[1, 3]],
    ),
    "dynamic_sum": (dynamic("ReduceSum(x, axes)", result="float[3, 1] y"), EXACT["ReduceSum"], [[3]]),
    "dynamic_sum_row": (dynamic("ReduceSum(x, axes)", "float[n] x", "float[1] y"), EXACT["ReduceSum"], [[]]),
    "dynamic_norm_row": (
        dynamic("InstanceNormalization(x, g, b)", "float[1, 1, n] x, float[1] g, float[1] b", "float[1, 1, n] y"),
        normalized_channels,
        [[1, 1]],
    ),
    "dynamic_arg_max_row": (dynamic("ArgMax<axis = -1>(x)", "float[n] x", "int64[1] y"), EXACT["ArgMax"], [[]]),
    "dynamic_mean": (dynamic("ReduceMean(x, axes)", "float[b, n] x", "float[b, 1] y"), EXACT["ReduceMean"], [[2], [40]]),
    "dynamic_l2": (dynamic("ReduceL2(x, axes)", result="float[3, 1] y"), EXACT["ReduceL2"], [[3]]),
    "dynamic_arg_max": (dynamic("ArgMax<axis = -1>(x)", result="int64[3, 1] y"), EXACT["ArgMax"], [[3]]),
}
# None, fewer than a part has, and numbers that no parts divide; long ones come first and last, as memory grows.
LENGTHS = [50003, 1, 7, 1000, 8189, 40001, 0, 65536]
# Rows of more elements than 1024 parts hold in one turn.
LONG = {"dynamic_softmax_row": 530011, "dynamic_norm_row": 1100003, "dynamic_sum_row": 1100003}


def run_dynamic():
    random = np.random.default_rng(0)
    for name, (made, exact, shapes) in DYNAMIC.items():
        session, kernels = compiled(name, made)
        worst = 0
        for length in [*LENGTHS, *([LONG[name]] if name in LONG else [])]:
            for front in shapes:
                if length == 0 and made.graph.output[0].type.tensor_type.elem_type != F32:
                    continue
                x = (random.standard_normal([*front, length]) + 3).astype(np.float32)
                x[..., : length // 2] -= 100 if "softmax" in name else 0
                given = [x, *(random.standard_normal(front[-1]).astype(np.float32) for _ in made.graph.input[1:])]
                found = session.run(given)[0]
                again = found if length == LONG.get(name) else session.run(given)[0]
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    expected = exact(*(a.astype(np.float64) for a in given)) if x.size or found.size else found
                error = error_of(found, expected, BOUNDS[F32]) if found.size else 0
                worst = max(worst, error if found.tobytes() == again.tobytes() and found.shape == expected.shape else np.inf)
        report(name, kernels, worst)


def run_images():
    """All elements of any number of images."""
    made = parser.parse_model("""<ir_version: 10, opset_import: ["" : 20]> g (float[n, 3, 4096] x) => (float a, float b, float c) {
        a = ReduceMin<keepdims = 0>(x) b = ReduceMax<keepdims = 0>(x) c = ReduceSum<keepdims = 0>(x) }""")
    session, kernels = compiled("images", made)
    random, worst = np.random.default_rng(0), 0
    for number in (50, 1, 3):
        x = random.random([number, 3, 4096], np.float32)
        found, again = session.run([x]), session.run([x])
        if [y.tobytes() for y in found] != [y.tobytes() for y in again] or (found[0], found[1]) != (x.min(), x.max()):
            worst = np.inf
        worst = max(worst, error_of(found[2], x.astype(np.float64).sum(), BOUNDS[F32]))
    report("images", kernels, worst)


def run_payloads():
    """Whole tensors whose elements follow from constants and from indices."""
    random = np.random.default_rng(0)
    relu = parser.parse_model("""<ir_version: 10, opset_import: ["" : 20]> g (float[n, 3, 4096] x) => (float y) {
        r = Relu(x) y = ReduceSum<keepdims = 0>(r) }""")
    session, kernels = compiled("payload_constant", relu)
    x = random.standard_normal([5, 3, 4096]).astype(np.float32)
    report("payload_constant", kernels, error_of(session.run([x])[0], np.maximum(x, 0).astype(np.float64).sum(), BOUNDS[F32]))
    eye = parser.parse_model("""<ir_version: 10, opset_import: ["" : 20]> g (float[400, 500] x) => (float y) {
        e = EyeLike(x) m = Mul(x, e) y = ReduceMax<keepdims = 0>(m) }""")
    session, kernels = compiled("payload_index", eye)
    x = np.zeros([400, 500], np.float32)
    x[300, 300], x[3, 310] = 5, 9
    report("payload_index", kernels, 0 if session.run([x])[0] == 5 else np.inf)


if sys.argv[2] == "known":
    run_operators()
    run_chains()
else:
    run_dynamic()
    run_images()
    run_payloads()
