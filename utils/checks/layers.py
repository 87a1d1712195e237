# ===- layers.py - The layers of the compiler ------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Checks of the layers and of the positions of facts."""

import re

from .tree import CXX

# The layers of lib/ and include/onnxc/, lowest first, and the layers below that each of
# them includes; the longest folder counts, and Version.h is of the layer Version. The
# headers of the runtime are open to all. docs/Architecture.md says what the layers are for.
LAYERS = {
    "Version": "",
    "Support": "Version",
    "Values": "",
    "Target/IR": "",
    "Dialect/ONNX/IR": "Support",
    "Schema": "Dialect/ONNX/IR Support",
    "Importer": "Dialect/ONNX/IR Schema Support",
    "Exporter": "Dialect/ONNX/IR Schema Support",
    "Dialect/ONNX/Transforms": "Dialect/ONNX/IR Schema Support Target/IR",
    "Dialect/ONNX/Ranks": "Dialect/ONNX/IR Dialect/ONNX/Transforms Schema",
    "Training": "Dialect/ONNX/IR Dialect/ONNX/Transforms Importer",
    "Dialect/Krnl/IR": "Support Target/IR",
    "Dialect/Krnl/Transforms": "Dialect/Krnl/IR Support Target/IR",
    "Dialect/Krnl/Emit": "Dialect/Krnl/IR Support Target/IR",
    "Conversion/ExpandMath": "Target/IR",
    "Conversion/ONNXToKrnl": "Dialect/Krnl/IR Dialect/ONNX/IR Support Target/IR",
    "Conversion/KrnlToLLVM": "Dialect/Krnl/IR Dialect/ONNX/IR Support Target/IR",
    "Recipe": "Conversion/ExpandMath Dialect/Krnl/IR Dialect/Krnl/Transforms Dialect/ONNX/IR "
    "Dialect/ONNX/Transforms Support Target/IR",
    "Target": "Support Target/IR",
    "Target/Code": "Target Target/IR",
    "Target/NVPTX": "Dialect/Krnl/IR Support Target/Code Target/IR",
    "Target/CPU": "Dialect/Krnl/IR Support Target/Code Target/IR Target/NVPTX",
    "Target/Artefact": "Conversion/KrnlToLLVM Dialect/Krnl/IR Dialect/ONNX/IR Support Target/CPU "
    "Target/Code Target/IR Target/NVPTX Version",
    "Pipeline": "Conversion/ExpandMath Conversion/KrnlToLLVM Conversion/ONNXToKrnl Dialect/Krnl/Emit "
    "Dialect/Krnl/IR Dialect/Krnl/Transforms Dialect/ONNX/IR Dialect/ONNX/Ranks Dialect/ONNX/Transforms "
    "Importer Recipe Schema Support Target Target/Artefact Target/CPU Target/IR Target/NVPTX Training",
    "Report": "Dialect/Krnl/IR Dialect/Krnl/Transforms Dialect/ONNX/IR Dialect/ONNX/Transforms Importer "
    "Pipeline Recipe Support Target/CPU Target/IR Target/NVPTX",
    "Driver": "Conversion/KrnlToLLVM Dialect/Krnl/IR Dialect/ONNX/IR Exporter Importer Pipeline Recipe "
    "Report Schema Support Target Target/Artefact Target/CPU Target/IR Target/NVPTX Version",
    "Check": "Dialect/Krnl/IR Dialect/ONNX/IR Dialect/ONNX/Transforms Driver Pipeline Recipe Report Support "
    "Target/IR",
    "Explain": "Dialect/Krnl/IR Dialect/ONNX/IR Driver Importer Pipeline Recipe Report Support Target/CPU "
    "Target/IR Target/NVPTX",
    "Compile": "Check Explain",
}
# What LAYERS does not allow but is included, with the reason.
OTHER_INCLUDES = {
    ("include/onnxc/Target/IR/Target.td", "Dialect/Krnl/IR/KrnlDialect.td"): "the attribute is of the krnl dialect",
}


def layer_of(path):
    """The layer of a file below lib/ or include/onnxc/; None for one of no layer."""
    folder = path.rpartition(".")[0]
    while folder and folder not in LAYERS:
        folder = folder.rpartition("/")[0]
    return folder or None


def includes_of_layers(tree):
    """Yields the name, line, path below lib/ or include/onnxc/ and included path of each include between them."""
    include = re.compile(r'^\s*#?\s*include "onnxc/([^"]+)"', re.M)
    for name in tree.of(*CXX, ".td"):
        path = re.match(r"(?:lib|include/onnxc)/(.+)", name)
        for found in include.finditer(tree.texts[name]) if path else ():
            if f"runtime/include/onnxc/{found[1]}" not in tree.texts:
                yield name, tree.texts[name].count("\n", 0, found.start(1)) + 1, path[1], found[1]


def check_layers(tree):
    """No layer includes one that the table LAYERS does not give it, and the table is in order and has no more."""
    table = "the table LAYERS of utils/checks/layers.py"
    below = {layer: set(names.split()) for layer, names in LAYERS.items()}
    order = list(LAYERS)
    for layer, names in below.items():
        for name in sorted(names):
            if name not in order or order.index(name) >= order.index(layer):
                yield f"{table} lists {name} for {layer}, but not before it"
    files = {name: re.match(r"(?:lib|include/onnxc)/(.+)", name) for name in tree.of(*CXX, ".td")}
    layers = {name: layer_of(path[1]) for name, path in files.items() if path}
    for folder in sorted({name.rpartition("/")[0] for name, layer in layers.items() if not layer}):
        yield f"{table} has no row for {folder}"
    unused = {layer: below[layer].copy() for layer in layers.values() if layer}
    reasons = {key for key in OTHER_INCLUDES if key[0] in layers}
    for name, number, path, included in includes_of_layers(tree):
        layer, other = layers[name], layer_of(included)
        if not other:
            yield f"{name}:{number}: {table} has no row for {included}"
        elif (name, included) in OTHER_INCLUDES:
            reasons.discard((name, included))
        elif layer and other != layer and other not in below[layer]:
            yield f"{name}:{number}: the layer {layer} must not include {other} ({table})"
        elif layer:
            unused[layer].discard(other)
    for layer, names in unused.items():
        if names:
            yield f"{table} lists {' '.join(sorted(names))} for {layer}, which includes nothing of it"
    for name, included in sorted(reasons):
        yield f"{name} does not include {included} and needs no reason for it"


PROCESSORS = re.compile(
    r"\b(avx\w*|sse\d\w*|neon|\w*vnni\w*|vpdp\w*|znver\d|haswell|x86\w*|aarch64\w*|riscv\w*|isX86\w*|isAArch64\w*"
    r"|isRISCV\w*|getHostCPU\w*|_SC_LEVEL\w+|_SC_NPROCESSORS\w*|vectorBytes = \d|vectorRegs = \d)\b",
    re.I,
)


def check_processors_are_in_the_target(tree):
    """The compiler names processors, and sizes of their registers and caches, in lib/Target alone."""
    for name in tree.of(".cpp", ".h", ".td"):
        if not name.startswith(("lib/", "include/")) or name.startswith(("lib/Target/", "include/onnxc/Target/")):
            continue
        text = re.sub(r"\[\{.*?\}\]", lambda m: "\n" * m[0].count("\n"), tree.texts[name], flags=re.S)
        code = re.sub(r"//.*", "", text)
        for number, line in enumerate(code.split("\n"), 1):
            if found := PROCESSORS.search(line):
                yield f"{name}:{number} names {found[0]}; ask the target (docs/HowTo/AddATarget.md)"
        for found in re.finditer(r"((?:^ *//.*\n)+) *(?:static |inline )*constexpr [^;]*= *[^;]*\d", text, re.M):
            if re.search(r"\b([Cc]aches?|[Pp]rocessors?|registers|warps?|multiprocessors?|faster)\b", found[1]):
                number = text.count("\n", 0, found.end()) + 1
                yield f"{name}:{number} is a number of a processor; ask the target (docs/HowTo/AddATarget.md)"


# Files of lib/Recipe with bounds that are none of choices, each with its reason.
OTHER_BOUNDS = {
    "lib/Recipe/Cost/KernelWork.cpp": "estimates whose sums are exact",
    "lib/Recipe/RecipeReport.cpp": "rows of a report",
    "lib/Recipe/Passes/WriteRecipes.cpp": "bytes of a file",
}


BOUND = re.compile(r"constexpr [^;={]*\b((?:min|max|few|many|enough|small|short|long|most|least|usual|guessed)[A-Z]\w*) *=")


def check_bounds_of_recipes_are_in_one_file(tree):
    """Planners take the bounds of their choices from onnxc/Recipe/RecipeSpace.h."""
    for name in tree.of(".cpp", ".h"):
        if not name.startswith("lib/Recipe/"):
            continue
        found = list(BOUND.finditer(tree.texts[name]))
        if name in OTHER_BOUNDS and not found:
            yield f"{name} has no bound and needs no reason for one"
        for bound in found if name not in OTHER_BOUNDS else ():
            number = tree.texts[name].count("\n", 0, bound.start()) + 1
            yield f"{name}:{number} bounds choices by {bound[1]}: include/onnxc/Recipe/RecipeSpace.h has such numbers"
