# ===- firmware_models.py - Models on a board ------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# firmware_models.py FOLDER [SHARED MODELS]: runs the models of real_time_models.py, and a keyword
# spotter of the shared models, on the emulated board, and compares with this machine.
# ===------------------------------------------------------------------------===//
"""Runs models without an operating system, prints the bytes that they take, and compares the results."""

import pathlib
import sys

import numpy as np
import onnx
import onnx_compile
import real_time_models
from Harness import firmware

# Units in the last place of f32: products and sums are in another order.
TOLERANCE = {"rtol": 1e-5, "atol": 1e-6}


def all_models(shared):
    yield from real_time_models.all_models()
    if shared:
        path = pathlib.Path(shared) / "micro_kws_qoperator.onnx"
        stored = np.load(path.with_suffix(".vector.npz"))
        yield "micro_kws", onnx.load(path), [stored[name] for name in stored.files if name == "in_0"]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, model, inputs in all_models(sys.argv[2] if len(sys.argv) > 2 else None):
        path = folder / f"{name}.onnx"
        onnx.save(model, path)
        onnx_compile.compile(str(path), output=str(folder / f"{name}.so"))
        expected = onnx_compile.ExecutionSession(str(folder / f"{name}.so")).run(inputs)
        result = firmware.run(model, path, inputs, folder)
        for value, own in zip(expected, result.outputs, strict=True):
            np.testing.assert_allclose(own, value, **TOLERANCE)
        print(f"{name}: equal; {result.flash} bytes of flash, {result.ram} of RAM: "
              f"{result.memory} of a run, {result.stack} of stack")  # fmt: skip
    out_of_range = [inputs_of("indexed")[0], np.array([0, 6, 1])]
    try:
        firmware.run(onnx.load(folder / "indexed.onnx"), folder / "indexed.onnx", out_of_range, folder)
    except firmware.FirmwareError as error:
        print(error)


def inputs_of(wanted):
    return next(inputs for name, _, inputs in real_time_models.all_models() if name == wanted)


main()
