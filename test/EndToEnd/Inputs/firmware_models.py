# ===- firmware_models.py - Models on a board ------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# firmware_models.py BOARD FOLDER [SHARED MODELS]: runs the models of real_time_models.py, and a
# keyword spotter of the shared models, on an emulated board, and compares with this machine.
# ===------------------------------------------------------------------------===//
"""Runs models without an operating system, prints the bytes that they take, and compares the results."""

import pathlib
import sys

import numpy as np
import onnx
import onnx_compile
import real_time_models
from Harness import firmware
from onnx import parser

# Units in the last place of f32: products and sums are in another order.
TOLERANCE = {"rtol": 1e-5, "atol": 1e-6}


def products():
    """Products with a rest in rows, columns and sums, floats that are hard to round, and bytes that are gathered as words."""
    rng = np.random.default_rng(0)
    model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
        products (uint8[5, 13] a, int8[1, 22] b, float[7, 11] c, float[10] d, int8[6, 5] f)
            => (int32[5, 7] p, int32[5, 9] q, int32[1, 6] r, float[7, 13] s, uint8[10] t, int32[5, 6] e)
        <float one = {1.0}, uint8 zero_point = {3}> {
            p = MatMulInteger(a, w)
            transposed = Transpose<perm = [1, 0]>(v)
            q = MatMulInteger(a, transposed)
            r = MatMulInteger(b, u)
            s = MatMul(c, z)
            t = QuantizeLinear(d, one, zero_point)
            columns = Transpose<perm = [1, 0]>(f)
            e = Cast<to = 6>(columns)
        }""")
    bytes_of = lambda *shape: rng.integers(-128, 128, shape).astype(np.int8)  # noqa: E731
    weights = {"w": bytes_of(13, 7), "v": bytes_of(9, 13), "u": bytes_of(22, 6)}
    weights["z"] = rng.normal(size=(11, 13)).astype(np.float32)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(value, name) for name, value in weights.items())
    floats = np.array([0.5, 1.5, -0.5, -3.5, -2.5, 251.5, 252.5, np.nan, np.inf, -np.inf], np.float32)
    inputs = [rng.integers(0, 256, (5, 13)).astype(np.uint8), bytes_of(1, 22)]
    return model, [*inputs, rng.normal(size=(7, 11)).astype(np.float32), floats, bytes_of(6, 5)]


def powers_of_two():
    """Conversions between integers and floats beside multiplications by powers of two, which are exact."""
    rng = np.random.default_rng(1)
    model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
        powers_of_two (int8[1, 64] a, uint8[32, 3, 12, 3] b, int32[1, 64] c, float[1, 64] d, int32[1, 64] e)
            => (float[1, 64] p, float[32, 3, 12, 3] q, float[1, 64] r, int32[1, 64] s, int32[1, 64] t, int8[1, 64] u)
        <float half = {0.5}, float quarter = {0.25}, float two = {2.0}, float eight = {8.0}, int8 zero_point = {1}> {
            p = DequantizeLinear(a, half)
            q = DequantizeLinear(b, quarter)
            f = Cast<to = 1>(c)
            r = Mul(f, half)
            g = Mul(d, two)
            s = Cast<to = 6>(g)
            h = Cast<to = 1>(e)
            i = Mul(h, eight)
            t = Cast<to = 6>(i)
            u = QuantizeLinear(p, quarter, zero_point)
        }""")
    integers = lambda dtype, *shape: rng.integers(0 if dtype == np.uint8 else -100, 100, shape).astype(dtype)  # noqa: E731
    inputs = [integers(np.int8, 1, 64), integers(np.uint8, 32, 3, 12, 3), integers(np.int32, 1, 64)]
    return model, [*inputs, rng.normal(size=(1, 64)).astype(np.float32) * 10, integers(np.int32, 1, 64)]


def all_models(shared):
    yield from real_time_models.all_models()
    yield "products", *products()
    yield "powers_of_two", *powers_of_two()
    if shared:
        path = pathlib.Path(shared) / "micro_kws_qoperator.onnx"
        stored = np.load(path.with_suffix(".vector.npz"))
        yield "micro_kws", onnx.load(path), [stored[name] for name in stored.files if name == "in_0"]


def main():
    board, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, model, inputs in all_models(sys.argv[3] if len(sys.argv) > 3 else None):
        path = folder / f"{name}.onnx"
        onnx.save(model, path)
        onnx_compile.compile(str(path), output=str(folder / f"{name}.so"))
        expected = onnx_compile.ExecutionSession(str(folder / f"{name}.so")).run(inputs)
        result = firmware.run(model, path, inputs, folder, board)
        for value, own in zip(expected, result.outputs, strict=True):
            np.testing.assert_allclose(own, value, **TOLERANCE)
        print(f"{name}: equal; {result.flash} bytes of flash, {result.ram} of RAM: "
              f"{result.memory} of a run, {result.stack} of stack")  # fmt: skip
    out_of_range = [inputs_of("indexed")[0], np.array([0, 6, 1])]
    try:
        firmware.run(onnx.load(folder / "indexed.onnx"), folder / "indexed.onnx", out_of_range, folder, board)
    except firmware.FirmwareError as error:
        print(error)


def inputs_of(wanted):
    return next(inputs for name, _, inputs in real_time_models.all_models() if name == wanted)


main()
