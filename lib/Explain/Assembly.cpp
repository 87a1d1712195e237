//===- Assembly.cpp - The code of the kernels of a node ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"

#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Target/CPU/Emit.h"
#include "onnxc/Target/IR/Target.h"
#include "onnxc/Target/NVPTX/DeviceCode.h"
#include "onnxc/Target/NVPTX/DeviceTools.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// How a text of several functions writes each of them.
struct AssemblyForm {
  /// What comes before and after the name in the first line of a function.
  StringRef beforeName, afterName;
  /// The beginning of the line after the function, unless it is the last one.
  StringRef end;
  /// The beginning of a comment.
  StringRef comment;
  /// Directives declare what the instructions use.
  bool hasDeclarations = false;
};

} // namespace

static constexpr AssemblyForm processorForm{"", ":", ".Lfunc_end", "#"},
    ptxForm{".visible .entry ", "(", "// .globl", "//",
            /*hasDeclarations=*/true},
    sassForm{".text.", ":", "//------", "//"};

/// The lines of a function, without those that hold no instruction.
static std::string instructionsOf(StringRef assembly, StringRef name,
                                  const AssemblyForm &form) {
  std::string text;
  std::string first = (form.beforeName + name + form.afterName).str();
  bool isInside = false;
  for (StringRef line : llvm::split(assembly, '\n')) {
    StringRef bare = line.trim();
    bool isFirst = line.starts_with(first);
    isInside |= isFirst;
    if (isInside && bare.starts_with(form.end))
      break;
    bool isDirective =
        bare.starts_with(".") && !bare.contains(":") && !form.hasDeclarations;
    if (isInside && !isDirective && !bare.empty() &&
        !bare.starts_with(form.comment))
      text += line.str() + "\n";
  }
  return text;
}

/// The functions that launches of the nodes call.
static llvm::SetVector<StringRef>
functionsOf(ModuleOp level, function_ref<bool(StringRef)> isNode) {
  llvm::SetVector<StringRef> names;
  auto launches = level->getAttrOfType<ArrayAttr>(krnl::launchesAttrName);
  for (Attribute each :
       launches ? launches.getValue() : ArrayRef<Attribute>()) {
    auto launch = cast<DictionaryAttr>(each);
    auto of = launch.getAs<ArrayAttr>("nodes");
    auto function = launch.getAs<FlatSymbolRefAttr>("function");
    for (size_t i = 0; function && of && i + 1 < of.size(); i += 2)
      if (isNode(cast<StringAttr>(of[i]).getValue()))
        names.insert(function.getValue());
  }
  return names;
}

static void addFunction(StringRef symbol, StringRef assembly,
                        const AssemblyForm &form, Explanation &explanation) {
  std::string text = instructionsOf(assembly, symbol, form);
  if (!text.empty())
    explanation.functions.push_back({symbol.str(), std::move(text)});
}

/// The instructions of the kernels; empty where a program is not there or,
/// after a warning, fails.
static std::string sassOf(ModuleOp level, StringRef ptx) {
  llvm::Expected<target::AssembledKernels> assembled =
      target::assembleKernels(ptx, krnl::TargetAttr::of(level).getCpu());
  llvm::Expected<std::string> text =
      assembled ? target::disassembleKernels(assembled->cubin)
                : assembled.takeError();
  if (text)
    return std::move(*text);
  llvm::handleAllErrors(
      text.takeError(), [](const target::MissingProgram &) {},
      [&](const llvm::ErrorInfoBase &error) {
        level.emitWarning() << "PTX instead of the instructions of the device: "
                            << error.message();
      });
  return "";
}

/// Adds those of the functions that a device runs.
static LogicalResult addDeviceCode(ModuleOp level, unsigned optimization,
                                   ArrayRef<StringRef> names,
                                   Explanation &explanation) {
  auto isWanted = [&](Operation *symbol) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(symbol);
    return !function || llvm::is_contained(names, function.getName());
  };
  FailureOr<target::CodeFile> file =
      target::emitDeviceCode(level, optimization, isWanted);
  if (failed(file))
    return failure();
  StringRef ptx(file->bytes.data(), file->bytes.size());
  std::string sass = sassOf(level, ptx);
  for (StringRef name : names)
    addFunction(name, sass.empty() ? ptx : StringRef(sass),
                sass.empty() ? ptxForm : sassForm, explanation);
  return success();
}

LogicalResult onnxc::addAssembly(ModuleOp level, unsigned optimization,
                                 function_ref<bool(StringRef)> isNode,
                                 Explanation &explanation) {
  SmallVector<StringRef> names, deviceNames;
  for (StringRef name : functionsOf(level, isNode)) {
    Operation *function = level.lookupSymbol(name);
    bool isDevice = function && target::isOfDevice(function);
    (isDevice ? deviceNames : names).push_back(name);
  }
  if (!deviceNames.empty() &&
      failed(addDeviceCode(level, optimization, deviceNames, explanation)))
    return failure();
  auto isWanted = [&](Operation *op) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    return function && llvm::is_contained(names, function.getName());
  };
  FailureOr<std::vector<target::CodeFile>> files =
      target::emitCode(level, optimization, target::CodeKind::Assembly,
                       /*debugFile=*/"", isWanted);
  if (failed(files))
    return failure();
  std::string suffix = target::levelSuffix(level);
  for (StringRef name : names)
    for (const target::CodeFile &file : *files)
      addFunction((name + suffix).str(),
                  StringRef(file.bytes.data(), file.bytes.size()),
                  processorForm, explanation);
  return success();
}
