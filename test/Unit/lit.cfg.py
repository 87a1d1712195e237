# ===- lit.cfg.py - The GoogleTest programs --------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
import os

import lit.formats

config.name = "onnx-compile-unit"
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.suffixes = []
config.test_source_root = os.path.join(config.onnxc_build_dir, "test", "Unit")
config.test_exec_root = config.test_source_root
for name in ("HOME", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# Absurd sizes are what some tests ask for.
for sanitizer in ("ASAN", "TSAN"):
    config.environment[f"{sanitizer}_OPTIONS"] = "allocator_may_return_null=1"
