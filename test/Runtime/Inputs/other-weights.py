# ===- other-weights.py - A model with other weights ---------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""other-weights.py MODEL OUTPUT: the initializers that --refit keeps apart get other numbers."""

import sys

import numpy as np
import onnx
from onnx import numpy_helper

model = onnx.load(sys.argv[1])
random = np.random.default_rng(1)
sizes = {name for node in model.graph.node if node.op_type in ("Resize", "Upsample") for name in node.input[1:]}
for tensor in model.graph.initializer:
    array = numpy_helper.to_array(tensor)
    if array.dtype in (np.float16, np.float32) and array.size > 1 and tensor.name not in sizes:
        other = (array * random.uniform(0.5, 1.5, array.shape)).astype(array.dtype)
        tensor.CopyFrom(numpy_helper.from_array(other, tensor.name))
onnx.save(model, sys.argv[2])
