# ===- page_gaps.py - What a dialect has and its page lacks -----*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   page_gaps.py PAGE.md FILE.td...
#
# Prints the operations, attributes and types of the files that have no heading on the page, and how
# many have one. Ends with 1 if some have none.
# ===------------------------------------------------------------------------===//
import re
import sys

page, *files = sys.argv[1:]
# ### `krnl.alloc` (::onnxc::krnl::AllocOp), ### BlockStepAttr, ### StrType
headings = set(re.findall(r"^### .*?(\w+)\)?$", open(page).read(), re.M))
# Classes, by what follows their name: an alias of other types has no class.
KINDS = r"(?:Krnl_Op|Krnl_Attr|Krnl_Step|Krnl_Type|Op<Krnl_Dialect|AttrDef<Krnl_Dialect|TypeDef<Krnl_Dialect)\b"
found = 0
missing = []
for name in files:
    for defined in re.findall(rf"^def Krnl_(\w+)\s*:\s*{KINDS}", open(name).read(), re.M):
        heading = defined + "Attr" if defined.endswith("Step") else defined
        found += heading in headings
        if heading not in headings:
            missing.append(f"{page} has no heading for {defined} of {name}")
print(*missing, f"{found} headings", sep="\n")
sys.exit(bool(missing))
