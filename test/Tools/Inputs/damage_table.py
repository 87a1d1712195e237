# ===- damage_table.py - An offset that is beyond all weights -----------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""damage_table.py MODEL.so OUT.so"""

import pathlib
import re
import sys

data = pathlib.Path(sys.argv[1]).read_bytes()
found = max(re.finditer(rb'"offset":(\d+)', data), key=lambda match: len(match[1]))
pathlib.Path(sys.argv[2]).write_bytes(data[: found.start(1)] + b"9" * len(found[1]) + data[found.end(1) :])
