# ===- suite-counts.py - How utils/run-suites reads counts ------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
import importlib.machinery
import importlib.util
import pathlib
import tempfile

path = pathlib.Path(__file__).resolve().parents[3] / "utils" / "run-suites"
loader = importlib.machinery.SourceFileLoader("run_suites", str(path))
suites = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_suites", loader))
loader.exec_module(suites)

text = "1 passed, 1 failed\nmore\n12 passed, 3 failed, 4 skipped\n"
assert suites.from_last_line("x", text) == (12, 3, 4)
assert suites.from_last_line("x", "nothing\n") is None
print("last line counts")

with tempfile.TemporaryDirectory() as folder:
    suites.LOGS = pathlib.Path(folder)
    report = '<testsuites><testsuite tests="9" failures="2" skipped="3"/></testsuites>'
    (suites.LOGS / "x.xml").write_text(report)
    assert suites.from_lit_report("x", "") == (4, 2, 3)
    assert suites.from_lit_report("absent", "") is None
print("lit report counts")

assert suites.judge("x", suites.from_last_line, "", 0) == (0, 1, 0)
assert suites.judge("x", suites.from_last_line, "5 passed, 0 failed", 1) == (5, 1, 0)
assert suites.judge("x", suites.from_last_line, "5 passed, 0 failed", 0) == (5, 0, 0)
print("silence and a bad status are failures")
