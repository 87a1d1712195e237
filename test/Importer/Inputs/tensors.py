# ===- tensors.py - Models that store tensors in every way -----*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   tensors.py FOLDER
#
# Writes raw.onnx and typed.onnx, which hold the same tensors of every element
# type that a Constant may have, in raw_data and in the field for their type; external.onnx, whose
# tensors are in weights.bin; and large.onnx with one tensor of 4 KiB.
# ===------------------------------------------------------------------------===//
import pathlib
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = pathlib.Path(sys.argv[1])
VALUES = {
    "float32": [0.5, -1, 2], "float64": [0.5, -1, 2], "float16": [0.5, -1, 2], "bfloat16": [0.5, -1, 2],
    "int8": [-128, 5, 127], "uint8": [0, 5, 255], "int16": [-32768, 5, 7], "uint16": [0, 5, 65535],
    "int32": [-(2**31), 5, 7], "uint32": [0, 5, 2**32 - 1], "int64": [-(2**63), 5, 7], "uint64": [0, 5, 2**64 - 1],
    "bool": [True, False, True], "complex64": [1 + 2j, 3, 4j], "complex128": [1 + 2j, 3, 4j],
    "float8_e4m3fn": [0.5, -1, 2], "float8_e4m3fnuz": [0.5, -1, 2], "float8_e5m2": [0.5, -1, 2],
    "float8_e5m2fnuz": [0.5, -1, 2], "float8_e8m0fnu": [0.5, 1, 2], "float4_e2m1fn": [0.5, -1, 2],
    "int4": [-8, 5, 7], "uint4": [0, 5, 15], "int2": [-2, 0, 1], "uint2": [0, 2, 3],
}  # fmt: skip
FIELDS = {"float32": "float_data", "complex64": "float_data", "float64": "double_data", "complex128": "double_data",
          "int64": "int64_data", "uint64": "uint64_data", "uint32": "uint64_data"}  # fmt: skip


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name, name))


def typed(array, name, tensor):
    """The same tensor with its elements in the field for their type."""
    result = TensorProto(name=tensor.name, data_type=tensor.data_type, dims=tensor.dims)
    field = FIELDS.get(name, "int32_data")
    if name.startswith("complex"):
        elements = array.view(np.float32 if name == "complex64" else np.float64).tolist()
    elif field != "int32_data" or array.dtype.kind in "iub" and array.dtype.itemsize * array.size == len(tensor.raw_data):
        elements = array.astype(object).tolist()
    else:
        width = np.uint16 if len(tensor.raw_data) == 2 * array.size else np.uint8
        elements = np.frombuffer(tensor.raw_data, width).tolist()
    getattr(result, field).extend(int(e) if field.startswith("int32") else e for e in elements)
    return result


def write(name, tensors):
    outputs = [helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in tensors]
    graph = helper.make_graph([], name, [], outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=10)
    (folder / f"{name}.onnx").write_bytes(model.SerializeToString())


raw, fields = [], []
for name, values in VALUES.items():
    array = np.array(values, dtype(name))
    tensor = numpy_helper.from_array(array, name)
    raw.append(tensor)
    fields.append(typed(array, name, tensor))
strings = helper.make_tensor("string", TensorProto.STRING, (2,), [b"a", "\u00fc".encode()])
write("raw", [*raw, strings])
write("typed", [*fields, strings])

external = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=(512,), data_location=TensorProto.EXTERNAL)
for key, text in {"location": "data/weights.bin", "offset": "64", "length": "2048"}.items():
    external.external_data.add(key=key, value=text)
(folder / "data").mkdir(exist_ok=True)
(folder / "data" / "weights.bin").write_bytes(bytes(64) + np.arange(512, dtype=np.float32).tobytes())
write("external", [external])
write("large", [numpy_helper.from_array(np.arange(1024, dtype=np.float32), "w")])

sparse = helper.make_sparse_tensor(
    helper.make_tensor("s", TensorProto.FLOAT, (2,), [5.0, 6.0]),
    helper.make_tensor("", TensorProto.INT64, (2, 2), [0, 1, 1, 2]),
    (2, 3),
)
graph = helper.make_graph(
    [helper.make_node("Identity", ["s"], ["y"])],
    "sparse", [], [helper.make_tensor_value_info("y", TensorProto.FLOAT, (2, 3))], sparse_initializer=[sparse],
)  # fmt: skip
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=10)
(folder / "sparse.onnx").write_bytes(model.SerializeToString())
