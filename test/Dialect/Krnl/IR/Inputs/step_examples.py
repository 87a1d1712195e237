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
    wanted = "[a-z_]+" if mnemonic == "only" else re.escape(mnemonic)
    example = re.search(rf"`(([a-z]+): )?({wanted})(\([^`]*)`", body)
    if not example:
        sys.exit(f"the description of {name}Step has no example of {mnemonic}")
    limit, op, step, arguments = example.groups()
    attribute = f"#krnl.{step}<{arguments}>"
    print(f"// CHECK: {f'#krnl.only<{op}, {attribute}>' if limit else attribute}")
    print(f'"test.op"() {{step = #krnl.recipe<[{limit or ""}{step}{arguments}]>}} : () -> ()')
print(f"// {len(steps)} steps")
