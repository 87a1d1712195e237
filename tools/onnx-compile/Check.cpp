//===- Check.cpp - onnx-compile check MODEL --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Console.h"
#include "Subcommand.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <cstdio>

/// The exit status for warnings where they are to fail.
static constexpr int exitWarnings = 3;

static bool hasWarnings(OMCompiler *compiler) {
  auto facts = llvm::json::parse(omCompilerGetFindings(compiler, "json"));
  if (!facts) {
    llvm::consumeError(facts.takeError());
    return false;
  }
  return facts->getAsObject()->getInteger("warnings").value_or(0) > 0;
}

/// The value of --output, which is for the model of --minimal alone.
static std::string takeOutput(CommandLine &line) {
  std::string output;
  for (auto &[key, value] : line.options)
    if (key == "output")
      output = std::move(value);
  llvm::erase_if(line.options,
                 [](const auto &option) { return option.first == "output"; });
  return output;
}

static int printFindings(OMCompiler *compiler, const CommandLine &line,
                         OM_COMPILE_STATUS status) {
  if (status != OM_COMPILE_OK && status != OM_COMPILE_REJECTED)
    return status;
  std::fputs(
      omCompilerGetFindings(compiler, line.has("json") ? "json" : "text"),
      stdout);
  bool fails = status == OM_COMPILE_OK && line.has("fail-on-warnings") &&
               hasWarnings(compiler);
  return fails ? exitWarnings : status;
}

static int checkModel(CommandLine &line) {
  std::string output = takeOutput(line), node = line.valueOf("minimal");
  if (line.has("minimal") != !output.empty())
    return usageError(line, "--minimal=NODE and -o FILE require each other");
  return withCompiler(line, [&](OMCompiler *compiler, Console &) -> int {
    std::string bytes;
    const std::string &model = line.operands.front();
    if (model == "-" && !readInput(bytes))
      return OM_COMPILE_USAGE;
    const char *data = model == "-" ? bytes.data() : nullptr;
    if (!output.empty())
      return omCompilerCutNode(compiler, data, bytes.size(), model.c_str(),
                               node.c_str(), output.c_str());
    return printFindings(
        compiler, line,
        omCompilerCheck(compiler, data, bytes.size(), model.c_str()));
  });
}

static constexpr OwnOption options[] = {
    {"json", "", "print the findings as JSON"},
    {"fail-on-warnings", "", "end with status 3 if there is a warning"},
    {"minimal", "NODE",
     "write a model of this node alone to -o FILE, with its constants; its "
     "other operands become inputs"},
};

/// The options that the command lacks, since it writes nothing that they are
/// about.
static constexpr llvm::StringLiteral without[] = {
    "emit", "resume",      "emit-recipes", "weights", "explain-recipes",
    "tag",  "emit-header", "runtime-dir",  "profile", "strip",
    "debug"};

extern const Subcommand checkCommand;
const Subcommand checkCommand = {
    "check",
    "list the nodes that fail or cost time",
    "MODEL",
    "Reports all findings in one run and writes no artefact. Errors reject the "
    "model.\nWarnings are about performance: functions of the runtime, loops "
    "that are not\nvectorized, elements of 64 bits, dynamic sizes. Notes are "
    "informative. Each\nfinding has the node with its operator, operator set "
    "and types, the reason, and\na remedy.\n\n"
    "  onnx-compile check model.onnx               lists the findings\n"
    "  onnx-compile check model.onnx --dim batch=8 checks with a fixed size\n"
    "  onnx-compile check model.onnx --json        prints JSON\n"
    "  onnx-compile check model.onnx --minimal=conv1 -o conv1.onnx\n"
    "                                              writes a model of one "
    "node\n",
    options,
    without,
    "3 warnings (--fail-on-warnings)",
    checkModel};
