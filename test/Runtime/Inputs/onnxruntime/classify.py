# ===- classify.py - Classify images with a model ----------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""One image after the other, as most scripts do it. Usage: classify.py MODEL IMAGES..."""

import sys

import numpy as np
import onnxruntime as ort

session = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
input_ = session.get_inputs()[0]
output_name = session.get_outputs()[0].name
print(input_.name, input_.type, input_.shape, "->", [(o.name, o.type, o.shape) for o in session.get_outputs()])
print(session.get_providers(), session.get_modelmeta().graph_name, session.get_modelmeta().producer_name)
print(ort.get_device(), "CPUExecutionProvider" in ort.get_available_providers())
for path in sys.argv[2:]:
    image = np.load(path).astype(np.float32)
    image = image.reshape([1 if isinstance(n, str) else n for n in input_.shape])
    probabilities = session.run([output_name], {input_.name: image})[0]
    top = np.argsort(probabilities[0])[::-1][:3]
    print(int(top[0]), round(float(probabilities[0, top[0]]), 4), probabilities.dtype, probabilities.shape)
