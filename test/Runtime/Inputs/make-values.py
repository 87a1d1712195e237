# ===- make-values.py - Files for onnx-run.test -----------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# make-values.py FOLDER: inputs x and b of the fake model in several formats,
# and right and wrong outputs.
# ===------------------------------------------------------------------------===#
import pathlib
import sys

import numpy as np
from onnx import numpy_helper

folder = pathlib.Path(sys.argv[1])
data_set = folder / "test_data_set_0"
data_set.mkdir(parents=True, exist_ok=True)


def write_proto(path, array):
    path.write_bytes(numpy_helper.from_array(array).SerializeToString())


x = np.arange(8, dtype=np.float32).reshape(2, 4)
b = np.array([0, 1], dtype=np.float32)
y = (x + b[:, None]) * np.array([1, 2, 3, 4], dtype=np.float32)
wrong = y.copy()
wrong[1, 1] += 0.5
np.save(folder / "x.npy", x)
np.save(folder / "x-fortran.npy", np.asfortranarray(x))
(folder / "x.bin").write_bytes(x.tobytes())
np.save(folder / "b.npy", b)
write_proto(folder / "b.pb", b)
np.save(folder / "right.npy", y)
np.save(folder / "wrong.npy", wrong)
write_proto(data_set / "input_0.pb", x)
write_proto(data_set / "input_1.pb", b)
write_proto(data_set / "output_0.pb", y)
write_proto(data_set / "output_1.pb", np.array(y.sum(), dtype=np.float32))
