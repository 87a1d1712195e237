# ===- step_examples.py - Examples of recipe steps as recipes ---*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   step_examples.py FILE.td...
#
# Writes an operation with a recipe for each step, which is the example of its description, and
# what FileCheck is to find. Ends with 1 if a description has none.
# ===------------------------------------------------------------------------===//
import re
import sys

text = "".join(open(name).read() for name in sys.argv[1:])
steps = re.findall(r'^def Krnl_(\w+)Step\s*: Krnl_Step<"\w+", "(\w+)".*?> \{(.*?)^\}', text, re.M | re.S)
for name, mnemonic, body in steps:
    prefix = r"\w+: " if mnemonic == "only" else re.escape(mnemonic) + r"\("
    example = re.search(rf"`({prefix}[^`]*)`", body)
    if not example:
        sys.exit(f"the description of {name}Step has no example of {mnemonic}")
    arguments = "<exp, #krnl.vectorize<(c, 16)>>" if mnemonic == "only" else f"<{example[1][len(mnemonic) :]}>"
    print(f"// CHECK: #krnl.{mnemonic}{arguments}")
    print(f'"test.op"() {{step = #krnl.recipe<[{example[1]}]>}} : () -> ()')
print(f"// {len(steps)} steps")
