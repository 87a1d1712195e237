//===- Report.cpp - onnx-compile report MODEL ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CompareReports.h"
#include "Console.h"
#include "ReportValues.h"
#include "Subcommand.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

/// Writes the page; an error of the system is one of usage.
static int writePage(const std::string &path, const std::string &page) {
  if (path == "-") {
    std::fputs(page.c_str(), stdout);
    return OM_COMPILE_OK;
  }
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (!code) {
    file << page;
    file.close();
    code = file.error();
    file.clear_error();
    // A part of a page is none; a device stays.
    if (code && llvm::sys::fs::is_regular_file(path))
      (void)llvm::sys::fs::remove(path);
  }
  if (!code)
    return OM_COMPILE_OK;
  std::fprintf(stderr, "onnx-compile: error: cannot write %s: %s\n",
               path.c_str(), code.message().c_str());
  return OM_COMPILE_USAGE;
}

/// The page with the tensors of a snapshot in it, as JSON.
static std::string withSnapshot(llvm::StringRef page, const std::string &json) {
  auto [before, after] = page.split(">null</script>");
  std::string text = (before + ">").str();
  llvm::raw_string_ostream os(text);
  // No name ends the element.
  llvm::interleave(llvm::split(json, '<'), os, "\\u003c");
  os << "</script>" << after;
  return text;
}

/// report --compare OLD NEW.
static int compareFiles(CommandLine &line) {
  if (line.operands.size() != 2 || line.has("html") || line.has("profile") ||
      line.has("snapshot"))
    return usageError(line, "--compare: expected two files that "
                            "`onnx-compile report --json` has written, and "
                            "no option but --json");
  return compareReports(line.operands[0], line.operands[1], line.has("json"));
}

/// Writes the report of a compilation in the forms that the options name.
static int writeReport(const CommandLine &line, OMCompiler *compiler,
                       const std::string &snapshot) {
  int status = OM_COMPILE_OK;
  if (line.has("html"))
    status = writePage(line.valueOf("html"),
                       withSnapshot(omCompilerGetReport(compiler, "html"),
                                    snapshot.empty() ? "null" : snapshot));
  if (line.has("json") || !line.has("html"))
    std::fputs(
        omCompilerGetReport(compiler, line.has("json") ? "json" : "nodes"),
        stdout);
  return status;
}

static int reportModel(CommandLine &line) {
  if (line.has("compare"))
    return compareFiles(line);
  if (line.operands.size() != 1)
    return usageError(line, "expected one model, but got '" + line.operands[0] +
                                "' and '" + line.operands[1] +
                                "'; two reports need --compare");
  if (line.has("snapshot") && !line.has("html"))
    return usageError(line, "--snapshot=FOLDER needs --html=FILE");
  if (line.has("html") &&
      llvm::sys::fs::equivalent(line.valueOf("html"), line.operands[0]))
    return usageError(line, "--html would replace the model");
  std::string snapshot;
  if (line.has("snapshot")) {
    llvm::Expected<std::string> json = readSnapshot(line.valueOf("snapshot"));
    if (!json) {
      std::fprintf(stderr, "onnx-compile: error: --snapshot: %s\n",
                   llvm::toString(json.takeError()).c_str());
      return OM_COMPILE_USAGE;
    }
    snapshot = std::move(*json);
  }
  line.options.insert(line.options.begin(), {"output", "-"});
  line.options.emplace_back("explain-nodes", "true");
  line.options.emplace_back("explain-recipes", "true");
  if (line.has("profile"))
    line.options.emplace_back("times", line.valueOf("profile"));
  return withCompiler(line, [&](OMCompiler *compiler, Console &console) {
    omCompilerSetOutputHandler(compiler, nullptr, nullptr);
    int status = compileInput(compiler, line.operands.front());
    if (status != OM_COMPILE_OK)
      return status;
    console.finish(compiler);
    return writeReport(line, compiler, snapshot);
  });
}

static constexpr OwnOption options[] = {
    {"json", "", "print JSON instead of text"},
    {"html", "FILE",
     "write a page with graph, nodes and memory, which needs no other file"},
    {"snapshot", "FOLDER",
     "show the tensors of `onnx-run --snapshot=FOLDER` on the page of --html"},
    {"profile", "FILE",
     "show the times of `onnx-run profile --json` of the model"},
    {"compare", "", "show the differences of two reports in JSON"},
};

static constexpr llvm::StringLiteral without[] = {
    "emit-recipes", "explain-nodes", "explain-recipes",
    "profile",      "resume",        "times"};

extern const Subcommand reportCommand;
const Subcommand reportCommand = {
    "report",
    "show work, memory, weights and code of each node of a model",
    "MODEL [OTHER]",
    "The model is compiled; the artefact is kept if -o names it.\n\n"
    "  onnx-compile report model.onnx                     prints a table\n"
    "  onnx-compile report model.onnx --html=model.html   writes a page\n"
    "  onnx-compile report model.onnx --dim batch=8 --max-ram=512K\n"
    "                                                     fails above 512 KiB\n"
    "  onnx-compile report --compare old.json new.json    compares builds\n",
    options,
    without,
    "4 over --max-ram, --max-flash or --max-latency",
    reportModel};
