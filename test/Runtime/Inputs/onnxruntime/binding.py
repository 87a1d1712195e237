# ===- binding.py - Bind inputs and outputs to memory ------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Inputs and outputs in memory of the caller. Usage: binding.py MODEL IMAGES..."""

import sys

import numpy as np
import onnxruntime as ort

images = np.concatenate([np.load(path).astype(np.float32).reshape(1, 1, 8, 8) for path in sys.argv[2:]])
session = ort.InferenceSession(sys.argv[1], ort.SessionOptions())
binding = session.io_binding()

# Values that the library allocates.
x = ort.OrtValue.ortvalue_from_numpy(images, "cpu", 0)
y = ort.OrtValue.ortvalue_from_shape_and_type([len(images), 10], np.float32, "cpu", 0)
print(x.shape(), x.data_type(), x.element_type(), x.device_name(), x.is_tensor(), x.tensor_size_in_bytes())
binding.bind_ortvalue_input("image", x)
binding.bind_ortvalue_output("probabilities", y)
session.run_with_iobinding(binding)
print(y.numpy().argmax(1), binding.get_outputs()[0].shape())

# Memory of the script's own.
result = np.empty((len(images), 10), np.float32)
binding.clear_binding_inputs()
binding.clear_binding_outputs()
binding.bind_input("image", "cpu", 0, np.float32, images.shape, images.ctypes.data)
binding.bind_output("probabilities", "cpu", 0, np.float32, result.shape, result.ctypes.data)
binding.synchronize_inputs()
session.run_with_iobinding(binding, ort.RunOptions())
binding.synchronize_outputs()
print(result.argmax(1))

# An output that the run allocates.
binding = session.io_binding()
binding.bind_cpu_input("image", images[::-1].copy())
binding.bind_output("probabilities")
session.run_with_iobinding(binding)
(probabilities,) = binding.copy_outputs_to_cpu()
print(probabilities.argmax(1))
(value,) = session.run_with_ort_values(None, {"image": x})
print(value.numpy().argmax(1), value.shape())
