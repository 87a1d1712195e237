# ===- bump-onnx.py - What utils/bump-onnx reports ------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""bump-onnx.py SCRIPT FOLDER: compares packages with each other, and with changed copies of themselves."""

import argparse
import copy
import importlib.machinery
import importlib.util
import json
import pathlib
import shutil
import sys

loader = importlib.machinery.SourceFileLoader("bump_onnx", sys.argv[1])
bump = importlib.util.module_from_spec(importlib.util.spec_from_loader("bump_onnx", loader))
loader.exec_module(bump)
scratch = pathlib.Path(sys.argv[2])
older_folder = bump.FOLDER / "1.22.0"
linked = json.loads(bump.in_package(None, bump.DESCRIBE))
older = json.loads(bump.in_package(older_folder, bump.DESCRIBE))
table = bump.TABLE.read_text()

same = bump.compare(bump.Package(linked), bump.Package(linked), table)
assert not bump.is_work(same), same

# From the older package to the linked one.
report = bump.compare(bump.Package(older), bump.Package(linked), table)
assert {"operator": "SwiGLU", "version": 28} in report["new_operators"], report["new_operators"]
assert report["lost_operators"] == [] and bump.is_work(report)

# A step whose row is taken out.
row = '  {"", "TopK", 1, 10, TopK_1_to_10},\n'
assert row in table
(step,) = bump.compare(bump.Package(linked), bump.Package(linked), table.replace(row, ""))["steps_without_rule"]
assert (step["operator"], step["from"], step["to"]) == ("TopK", 1, 10), step
assert step["changed"] == ["number of inputs", "attribute 'k'"], step

# A schema that loses a type, and one with another default.
changed = copy.deepcopy(linked)
for schema in changed["schemas"]:
    if (schema["name"], schema["version"]) == ("Relu", 14):
        schema["inputs"][0][2].remove("tensor(float16)")
    if (schema["name"], schema["version"]) == ("Elu", 22):
        schema["attributes"]["alpha"][2] = "2.0"
found = bump.compare(bump.Package(linked), bump.Package(changed), table)["changed_schemas"]
assert [(f["operator"], f["version"], f["changed"]) for f in found] == [
    ("Elu", 22, ["attribute 'alpha'"]), ("Relu", 14, ["input 'X' without tensor(float16)"])], found  # fmt: skip

# A case whose expected output is that of another one.
node = scratch / bump.packages.DATA / "node"
for name in ("test_relu", "test_abs"):
    shutil.copytree(older_folder / bump.packages.DATA / "node" / name, node / name)
outputs = [node / name / "test_data_set_0" / "output_0.pb" for name in ("test_relu", "test_abs")]
outputs[0].write_bytes(outputs[1].read_bytes())
cases = bump.run_cases(scratch, "1.22.0", argparse.Namespace(jobs=1, filter=None))
assert cases["passed"] == 1 and [f["case"] for f in cases["failed"]] == ["test_relu"], cases
assert bump.is_work(same | {"cases": cases})

# Cases that the package keeps as code alone, as the linked one does.
made = bump.node_cases(scratch / "none", "^test_relu$")
assert [c.name for c in made] == ["test_relu"], made
