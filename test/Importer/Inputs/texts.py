# ===- texts.py - Attributes with texts that mean nothing -------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   texts.py BUILD FOLDER
#
# Gives every attribute of the dialect's operators that is a text one that means
# nothing. The compiler must refuse it, unless the attribute is in FREE.
# ===------------------------------------------------------------------------===//
import pathlib
import re
import subprocess
import sys

import onnx
from onnx import helper

BAD = "no such text"
DOMAINS = {"ml": "ai.onnx.ml", "training": "ai.onnx.preview.training", "microsoft": "com.microsoft"}
# Texts that are data, or a language of their own.
FREE = {
    "Constant.value_string", "Einsum.equation", "RegexFullMatch.pattern", "StringNormalizer.locale", "StringSplit.delimiter",
    "ai.onnx.ml.CategoryMapper.default_string", "ai.onnx.ml.LabelEncoder.default_string",
    "ai.onnx.preview.training.Gradient.y", "com.microsoft.Tokenizer.pad_value", "com.microsoft.Tokenizer.tokenexp",
    # Names of operators, which their bodies look up.
    "com.microsoft.FusedConv.activation", "com.microsoft.FusedGemm.activation",
    "com.microsoft.FusedMatMulActivation.activation", "com.microsoft.NhwcFusedConv.activation",
    # Refused with a reason where they ask for what is not supported.
    "com.microsoft.GroupQueryAttention.k_quant_type", "com.microsoft.GroupQueryAttention.v_quant_type",
    "com.microsoft.QMoE.quant_type",
}  # fmt: skip
# Versions of these are deprecated; old.onnx has one.
REMOVED = {"Upsample"}


def text_attributes(classes):
    """(domain, operator, attribute) of all that are texts, by the definitions of the dialect."""
    for mnemonic, body in re.findall(r'ONNX_Op<"([^"]+)"(.*?)(?=\nclass |\Z)', classes, re.S):
        prefix, _, name = mnemonic.rpartition(".")
        for attribute in re.findall(r"[ <]StrAttr[^\n]*?:\$(\w+)", body):
            if name not in REMOVED:
                yield DOMAINS.get(prefix, prefix), name, attribute


def model_of(nodes, opsets):
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, None)
    outputs = [helper.make_empty_tensor_value_info(n.output[0]) for n in nodes]
    graph = helper.make_graph(nodes, "g", [x], outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(d, v) for d, v in opsets.items()])


def messages(model, path):
    onnx.save(model, path)
    return subprocess.run(["onnx-compile", "--emit=onnx-basic", path, "-o", "-"], capture_output=True, text=True).stderr


def check(domain, name, attribute, folder):
    """What is wrong with how the compiler takes the attribute, or None."""
    node = helper.make_node(name, ["x"], ["y"], "culprit", domain=domain, **{attribute: BAD})
    newest = {"": onnx.defs.onnx_opset_version(), "ai.onnx.ml": 5}
    errors = messages(model_of([node], {**newest, domain: newest.get(domain, 1)}), folder / "new.onnx")
    full = f"{domain}.{name}" if domain else name
    found = f"'culprit' ({full}): attribute '{attribute}' is '{BAD}', but must be one of " in errors
    if found == (f"{full}.{attribute}" in FREE):
        return f"{full}.{attribute} is {'refused' if found else 'taken'}: {errors[:200]}"
    return None


def main():
    build, folder = map(pathlib.Path, sys.argv[1:3])
    folder.mkdir(parents=True, exist_ok=True)
    attributes = list(text_attributes((build / "include/onnxc/Dialect/ONNX/IR/ONNXOpClasses.td").read_text()))
    problems = [p for a in attributes if (p := check(*a, folder))]
    print("\n".join([*problems, f"{len(attributes)} attributes checked, {len(problems)} failed"]), flush=True)
    sampled = helper.make_node("GridSample", ["x", "x"], ["y"], "sampled", mode="linear")
    print(messages(model_of([sampled], {"": 16}), folder / "old.onnx"))
    larger = helper.make_node("Upsample", ["x", "x"], ["y"], "larger", mode="lanczos")
    print(messages(model_of([larger], {"": 9}), folder / "old.onnx"))
    return len(problems) > 0


if __name__ == "__main__":
    sys.exit(main())
