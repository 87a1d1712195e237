//===- Outputs.cpp - The files that a compilation writes --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Driver/Outputs.h"

#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Support/NewFile.h"
#include "onnxc/Target/IR/Levels.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace onnxc;
namespace path = llvm::sys::path;

static bool isFile(StringRef name) {
  return !name.empty() && name != "-" && !isStream(name);
}

/// One file, or one for each of several levels.
static SmallVector<std::string> filesOf(StringRef name,
                                        ArrayRef<krnl::TargetAttr> levels) {
  if (levels.size() < 2 || !isFile(name))
    return {name.str()};
  return llvm::map_to_vector(levels, [&](krnl::TargetAttr level) {
    return target::fileOfTarget(name, level.getCpu());
  });
}

/// The file beside the artefact with another extension; empty if that is none.
static std::string besideArtefact(StringRef output, StringRef extension) {
  if (!isFile(output))
    return "";
  SmallString<128> name(output);
  path::replace_extension(name, extension);
  return name.str().str();
}

std::string onnxc::defaultOutput(const Input &input,
                                 const CompileOptions &options) {
  SmallString<128> output(input.path == "-" ? "model.onnx" : input.path);
  StringRef suffix = options.emit == "lib"       ? ".so"
                     : options.emit == "asm"     ? ".s"
                     : options.emit == "obj"     ? ".o"
                     : options.emit == "static"  ? ".a"
                     : options.emit == "ptx"     ? ".ptx"
                     : options.emit == "sass"    ? ".sass"
                     : options.emit == modelKind ? ".simplified.onnx"
                                                 : "";
  if (suffix.empty())
    return "-";
  path::replace_extension(output, suffix);
  return output.str().str();
}

bool onnxc::hasHeader(const CompileOptions &options) {
  bool isCode = options.emit == "lib" || options.emit == "obj";
  return options.emit == "static" || (isCode && options.emitHeader);
}

SmallVector<std::string> Outputs::all() const {
  SmallVector<std::string> files(artefacts);
  for (const std::string &file : {header, weights, constants})
    if (!file.empty())
      files.push_back(file);
  llvm::append_range(files, recipes);
  return files;
}

Outputs onnxc::outputsOf(const CompileOptions &options,
                         ArrayRef<krnl::TargetAttr> levels) {
  Outputs outputs;
  bool isBinary = options.emit == "lib" || options.emit == "obj" ||
                  options.emit == "static";
  SmallVector<krnl::TargetAttr> devices;
  if (options.emitsKernels())
    llvm::copy_if(
        levels, std::back_inserter(devices),
        [](krnl::TargetAttr level) { return level.getProcessor().isDevice(); });
  outputs.artefacts = filesOf(options.output, devices);
  if (hasHeader(options))
    outputs.header = besideArtefact(options.output, ".h");
  if (isBinary && options.externalWeights)
    outputs.weights = besideArtefact(options.output, ".weights");
  if (isFile(options.output) && !llvm::is_contained(codeKinds, options.emit))
    outputs.constants =
        options.output + (options.emit == modelKind ? ".data" : ".blobs");
  if (isFile(options.emitRecipes))
    outputs.recipes = filesOf(options.emitRecipes, levels);
  return outputs;
}

/// The file itself, whichever way it is named.
static std::string placeOf(StringRef file) {
  SmallString<128> name(resolveLinks(file)), folder;
  (void)llvm::sys::fs::make_absolute(name);
  path::remove_dots(name);
  if (!llvm::sys::fs::real_path(path::parent_path(name), folder))
    path::append(folder, path::filename(name));
  return (folder.empty() ? name : folder).str().str();
}

llvm::Error onnxc::checkOutputs(const Outputs &outputs) {
  llvm::StringSet<> names;
  for (const std::string &file : outputs.all()) {
    if (!isFile(file))
      continue;
    if (!names.insert(placeOf(file)).second)
      return llvm::createStringError(
          std::make_error_code(std::errc::invalid_argument),
          "two outputs of the compilation have the name '" + file +
              "': give each a name of its own");
    if (llvm::Error error = NewFile(file).create())
      return error;
  }
  return llvm::Error::success();
}
