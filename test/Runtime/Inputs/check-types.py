# ===- check-types.py - Every element type through onnx-run -----------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# check-types.py ONNX-RUN FAKE-MODEL FOLDER: identity_TYPE of the fake model
# from a .pb and a .npy file, compared with both.
# ===------------------------------------------------------------------------===#
import pathlib
import subprocess
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

tool, model, folder = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)

SIGNED_SMALL = {"INT4": [-8, 7, -1, 0, 3], "INT2": [-2, 1, -1, 0, 1]}
for name, number in TensorProto.DataType.items():
    if name == "UNDEFINED":
        continue
    values = SIGNED_SMALL.get(name, [0, 1, 2, 1, 3])
    if name == "STRING":
        array = np.array(["a", "", "gr\u00fc\u00df", "'q'", "x y"], dtype=object)
    else:
        array = np.array(values).astype(helper.tensor_dtype_to_np_dtype(number))
    proto = folder / f"{name}.pb"
    proto.write_bytes(numpy_helper.from_array(array).SerializeToString())
    numpy = folder / f"{name}.npy"
    np.save(numpy, array.astype("U") if name == "STRING" else array, allow_pickle=False)
    if name.startswith("FLOAT6"):  # one number an element instead of raw_data
        single = folder / "x.pb"
        single.write_bytes(helper.make_tensor("x", number, array.shape, array).SerializeToString())
        numpy = single
    for source in [proto] if name in SIGNED_SMALL else [proto, numpy]:
        command = [tool, model, "--entry", f"identity_{name}", "--quiet", "--input", f"@{source}"]
        done = subprocess.run([*command, "--expect", f"@{proto}", "--save", folder], capture_output=True, text=True)
        assert done.returncode == 0, (name, done.stderr)
    saved = np.load(folder / "x.npy")
    if name == "STRING":
        assert saved.tolist() == array.tolist(), (name, saved)
    elif name not in SIGNED_SMALL:
        assert saved.tobytes() == array.tobytes(), (name, saved, array)
print("checked")
