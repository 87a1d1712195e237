# ===- make-containers.py - Sequences, optionals and maps as test data ------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""make-containers.py FOLDER: writes rows.pb, other-rows.pb, some.pb, none.pb, words.pb, numbers.pb and bad files."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def write(name, message):
    (folder / name).write_bytes(message.SerializeToString())


def floats(*values):
    return np.array(values, np.float32)


def words(*keys):
    """A map to the lengths of its keys."""
    lengths = numpy_helper.from_list([np.float32(len(key)) for key in keys])
    return onnx.MapProto(key_type=8, string_keys=[key.encode() for key in keys], values=lengths)


rows = [floats(1, 2), floats(), floats(3)]
write("rows.pb", numpy_helper.from_list(rows))
write("other-rows.pb", numpy_helper.from_list([floats(1, 2), floats(), floats(4)]))
write("fewer-rows.pb", numpy_helper.from_list(rows[:2]))
write("doubles.pb", numpy_helper.from_list([np.zeros(2)]))
write("some.pb", numpy_helper.from_optional(rows))
write("none.pb", numpy_helper.from_optional(None))
write("words.pb", words("a", "bc"))
write("words-reversed.pb", words("bc", "a"))
write("wrong-kind.pb", onnx.SequenceProto(elem_type=3, sequence_values=[numpy_helper.from_list(rows)]))
write("too-few-keys.pb", onnx.MapProto(key_type=8, string_keys=[b"a"], values=numpy_helper.from_list(rows)))
(folder / "cut.pb").write_bytes(numpy_helper.from_list(rows).SerializeToString()[:-3])
np.save(folder / "row.npy", floats(1, 2))
