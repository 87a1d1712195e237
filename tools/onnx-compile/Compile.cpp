//===- Compile.cpp - onnx-compile MODEL and simplify MODEL -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Console.h"
#include "Subcommand.h"

#include <cstdio>

static bool printsRecipes(const CommandLine &line) {
  return llvm::is_contained(
      line.options, std::pair<std::string, std::string>("emit-recipes", "-"));
}

static int compileModel(CommandLine &line) {
  std::string format = line.valueOf("report");
  if (line.has("report")) {
    if (format.empty())
      format = "text";
    if (format != "text" && format != "json")
      return usageError(line, "--report: expected text or json, but got '" +
                                  format + "'");
    line.options.emplace_back("explain-recipes", "true");
    line.options.emplace_back("explain-nodes", "true");
  }
  constexpr char bothPrinted[] = "the report and another output both go to the "
                                 "standard output: give that one a file";
  if (line.has("report") && printsRecipes(line))
    return usageError(line, bothPrinted);
  std::string report;
  int status = withCompiler(line, [&](OMCompiler *compiler, Console &console) {
    const char *model = line.operands.front().c_str();
    if (line.has("report") &&
        llvm::StringRef(omCompilerOutputFor(compiler, model)) == "-")
      return usageError(line, bothPrinted);
    int status = compileInput(compiler, model);
    if (status != OM_COMPILE_OK)
      return status;
    console.finish(compiler);
    if (!format.empty())
      report = omCompilerGetReport(compiler, format.c_str());
    return status;
  });
  // An interrupt ends the process while nobody reads on.
  std::fputs(report.c_str(), stdout);
  return status;
}

static int simplifyModel(CommandLine &line) {
  line.options.emplace_back("emit", "model");
  return compileModel(line);
}

static constexpr OwnOption options[] = {
    {"report", "[=json]",
     "print sizes, recipes and times to the standard output"},
};

extern const Subcommand compileCommand;
const Subcommand compileCommand = {
    "",
    "Compiles an ONNX model to a shared object that needs only libc and libm.",
    "MODEL",
    "MODEL is a file, or - for the standard input; a file of the name of a "
    "command\nis ./NAME.\n\n"
    "  onnx-compile model.onnx                 writes model.so, for this "
    "machine\n"
    "  onnx-compile model.onnx --emit=onnx     prints the model with all "
    "shapes\n"
    "  onnx-compile model.onnx --dim batch=8   fixes a named dimension\n",
    options,
    {},
    "4 over --max-ram, --max-flash or --max-latency",
    compileModel};

/// Of code, and of what follows after the simplification.
static constexpr llvm::StringLiteral without[] = {
    "emit",        "resume",        "device",       "cuda-code",
    "tf32",        "recipes",       "emit-recipes", "explain-recipes",
    "times",       "explain-nodes", "max-ram",      "max-flash",
    "max-latency", "refit",         "tag",          "emit-header",
    "realtime",    "profile",       "strip",        "debug"};

extern const Subcommand simplifyCommand;
const Subcommand simplifyCommand = {
    "simplify",
    "write the simplified model as ONNX",
    "MODEL",
    "Constants are folded, shapes are inferred and redundant nodes removed:\n"
    "the result has standard operators and gives the same outputs.\n\n"
    "  onnx-compile simplify model.onnx        writes model.simplified.onnx\n"
    "  onnx-compile simplify model.onnx --dim batch=8 -o small.onnx\n",
    options,
    without,
    "",
    simplifyModel};
