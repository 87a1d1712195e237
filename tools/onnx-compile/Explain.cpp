//===- Explain.cpp - onnx-compile explain MODEL NODE -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Console.h"
#include "Subcommand.h"

#include <cstdio>

static int explainNode(CommandLine &line) {
  return withCompiler(line, [&](OMCompiler *compiler, Console &) -> int {
    std::string bytes;
    const std::string &model = line.operands[0], &node = line.operands[1];
    if (model == "-" && !readInput(bytes))
      return OM_COMPILE_USAGE;
    OM_COMPILE_STATUS status = omCompilerExplain(
        compiler, model == "-" ? bytes.data() : nullptr, bytes.size(),
        model.c_str(), node.c_str(), line.has("asm"));
    if (status == OM_COMPILE_OK)
      std::fputs(omCompilerGetExplanation(compiler,
                                          line.has("json") ? "json" : "text"),
                 stdout);
    return status;
  });
}

static constexpr OwnOption options[] = {
    {"json", "", "print the explanation as JSON"},
    {"asm", "", "include the assembly of the kernels"},
};

/// The options that the command lacks, since it writes nothing that they are
/// about.
static constexpr llvm::StringLiteral without[] = {
    "output",       "emit",        "resume",
    "emit-recipes", "weights",     "explain-recipes",
    "tag",          "emit-header", "profile",
    "strip",        "debug"};

extern const Subcommand explainCommand;
const Subcommand explainCommand = {
    "explain",
    "show how a node is compiled",
    "MODEL NODE",
    "NODE is the name of a node, or of a tensor for the node that computes "
    "it.\n"
    "Prints the rewrites of the node, the nodes that it is fused with and why\n"
    "it is not fused with adjacent ones, its algorithm, layout and recipe "
    "with\n"
    "the rejected candidates, the loops of its kernels, their work, and the\n"
    "parts that are not vectorized.\n\n"
    "  onnx-compile explain model.onnx conv1         prints the explanation\n"
    "  onnx-compile explain model.onnx conv1 --asm   adds the machine code\n"
    "  onnx-compile explain model.onnx conv1 --json  prints JSON\n",
    options,
    without,
    "",
    explainNode};
