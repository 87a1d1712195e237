//===- Artefact.cpp - The last step: files ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Driver/Artefact.h"

#include "CompilationInfo.h"
#include "KernelImages.h"
#include "NodeTable.h"
#include "RefitTable.h"
#include "RunBudget.h"
#include "onnxc/Pipeline/RuntimeFolder.h"
#include "onnxc/Report/Layers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Dialect/Krnl/IR/CustomNodes.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/RealTime.h"
#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Support/NewFile.h"
#include "onnxc/Target/Artefact/Descriptor.h"
#include "onnxc/Target/Artefact/Header.h"
#include "onnxc/Target/Artefact/Link.h"
#include "onnxc/Target/Artefact/RealTime.h"
#include "onnxc/Target/Artefact/Weights.h"
#include "onnxc/Target/IR/Target.h"
#include "onnxc/Target/NVPTX/DeviceTools.h"
#include "onnxc/Version.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::target;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

llvm::Error onnxc::writeOutput(const CompileOptions &options,
                               const Events &events, Writer write,
                               llvm::function_ref<llvm::Error()> finish) {
  if (options.output == "-") {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (llvm::Error error = write(os))
      return error;
    if (events.output)
      events.output(text);
    return llvm::Error::success();
  }
  return writeFile(options.output, [&](raw_ostream &os) -> llvm::Error {
    if (llvm::Error error = write(os))
      return error;
    os.flush();
    bool isWhole = !static_cast<llvm::raw_fd_ostream &>(os).has_error();
    return isWhole && finish ? finish() : llvm::Error::success();
  });
}

llvm::Error onnxc::writeOutput(const CompileOptions &options,
                               const Events &events, StringRef text) {
  return writeOutput(options, events, [&](raw_ostream &os) {
    os << text;
    return llvm::Error::success();
  });
}

/// An identifier from the name of the output.
static std::string outputName(const CompileOptions &options) {
  return cIdentifier(path::stem(options.output));
}

/// The tag of the model. The functions of a header find the model by it, and so
/// does the linker in an archive.
static std::string tagOf(const CompileOptions &options) {
  return options.tag.empty() && hasHeader(options) ? outputName(options)
                                                   : options.tag;
}

/// The beginning of names in C.
static std::string prefixOf(const CompileOptions &options) {
  std::string tag = tagOf(options);
  return tag.empty() ? outputName(options) : cIdentifier(tag);
}

/// Returns true for an object that needs no runtime.
static bool hasOwnHooks(ModuleOp module, const CompileOptions &options) {
  return module->hasAttr(krnl::realTimeAttrName) && options.emit != "lib";
}

/// Adds a level to the report; the levels have one list of weights.
static void fillReport(ModuleOp level, Report &report) {
  report.weightsBytes = weightsBytes(level);
  for (auto function : level.getOps<LLVM::LLVMFuncOp>()) {
    report.kernels +=
        function->hasAttr(krnl::KrnlDialect::kernelAttrName) ? 1 : 0;
    if (auto arena = function->getAttrOfType<IntegerAttr>(arenaAttrName))
      report.arenaBytes = std::max(report.arenaBytes, arena.getInt());
    if (auto formula =
            function->getAttrOfType<StringAttr>(arenaFormulaAttrName))
      report.arenaFormula = formula.str();
  }
}

/// Writes the file that `make` makes: for a pipe, a device or the standard
/// output it is made in memory first.
static llvm::Error writeMade(const ArtefactInputs &inputs, unsigned mode,
                             llvm::function_ref<llvm::Error(NewFile &)> make) {
  const std::string &output = inputs.options.output;
  bool toStream = output == "-" || isStream(output);
  if (toStream && inputs.options.externalWeights)
    return llvm::createStringError(
        std::errc::invalid_argument,
        "--weights=external needs a file to write to");
  NewFile file = toStream ? NewFile::inMemory("model") : NewFile(output, mode);
  if (llvm::Error error = file.create())
    return error;
  if (llvm::Error error = make(file))
    return error;
  uint64_t size = 0;
  if (!fs::file_size(file.path(), size))
    inputs.report.artefactBytes = int64_t(size);
  if (llvm::Error error =
          checkFlash(inputs.options, inputs.events, inputs.report))
    return error;
  if (llvm::Error error = inputs.files.check())
    return error;
  if (!toStream)
    return file.keep();
  auto bytes = file.read();
  if (!bytes)
    return bytes.takeError();
  return writeOutput(
      inputs.options, inputs.events,
      StringRef((*bytes)->getBufferStart(), (*bytes)->getBufferSize()));
}

/// Assembly of all files.
static llvm::Error writeAssembly(ArrayRef<CodeFile> files,
                                 const ArtefactInputs &inputs) {
  std::string text;
  for (const CodeFile &file : files)
    text.append(file.bytes.begin(), file.bytes.end());
  return writeOutput(inputs.options, inputs.events, text);
}

/// The side file model.weights beside the artefact. It appears first: should
/// the artefact not follow, one of an earlier compilation refuses this file.
static llvm::Expected<WeightsDigest>
writeSideFile(ModuleOp module, StringRef name, const ArtefactInputs &inputs) {
  NewFile output(name);
  if (llvm::Error error = output.create())
    return std::move(error);
  int64_t bytes = weightsBytes(module);
  if (llvm::Error error = output.reserve(bytes))
    return std::move(error);
  if (failed(writeWeights(module, output.handle(), 0, inputs.events.cancel)))
    return output.failed(std::make_error_code(std::errc::io_error));
  llvm::Expected<WeightsDigest> digest = sealWeights(output.handle(), bytes);
  if (!digest)
    return output.failed(llvm::errorToErrorCode(digest.takeError()));
  if (llvm::Error error = inputs.files.check())
    return std::move(error);
  if (llvm::Error error = output.keep())
    return std::move(error);
  return digest;
}

/// Passes the custom operator libraries. A module that was read from a file
/// may need one that is not there.
static llvm::Error addCustomLibraries(ModuleOp module,
                                      const ArtefactInputs &inputs,
                                      LinkOptions &link) {
  llvm::StringSet<> known;
  for (const CustomLibrary &library : inputs.customLibraries) {
    link.customLibraries.push_back({library.getPath(), library.isShared()});
    for (const CustomLibrary::Entry &entry : library.getEntries())
      known.insert(entry.name);
  }
  auto nodes = module->getAttrOfType<ArrayAttr>(krnl::customNodesAttrName);
  if (!nodes)
    return llvm::Error::success();
  for (auto node : nodes.getAsRange<DictionaryAttr>()) {
    auto entry = node.getAs<StringAttr>("library");
    if (!known.contains(entry.getValue()))
      return llvm::createStringError(
          "node '" + node.getAs<StringAttr>("node").getValue() + "' (" +
          node.getAs<StringAttr>("domain").getValue() + "." +
          node.getAs<StringAttr>("op_type").getValue() +
          ") is computed by the library with the function '" +
          entry.getValue() + "'; give it with --custom-op-lib");
  }
  return llvm::Error::success();
}

/// Adds the entry point of a real-time model, which is described by its header,
/// and passes its weights to the linker.
static llvm::Error addEntry(ModuleOp module, const ArtefactInputs &inputs,
                            std::vector<CodeFile> &files, LinkOptions &link) {
  const std::atomic<bool> *cancel = inputs.events.cancel;
  if (inputs.options.externalWeights)
    return llvm::createStringError(
        std::errc::invalid_argument,
        "--weights=external: a real-time run maps no file");
  link.weightsBytes = inputs.report.weightsBytes;
  link.writeWeights = [module, cancel](int file, int64_t offset) {
    return writeWeights(module, file, offset, cancel);
  };
  FailureOr<CodeFile> entry =
      emitRealTimeEntry(module, prefixOf(inputs.options), link.weightsBytes,
                        inputs.options.level);
  if (failed(entry))
    return llvm::createStringError("cannot make the entry point");
  files.push_back(std::move(*entry));
  return llvm::Error::success();
}

/// Adds the descriptor of the model to `files`. The weights are in a side file
/// of the output then, or written by `link`.
static llvm::Error describe(ArrayRef<ModuleOp> levels,
                            const ArtefactInputs &inputs,
                            std::vector<CodeFile> &files, LinkOptions &link) {
  ModuleOp module = levels.front(); // has the weights of all
  if (hasOwnHooks(module, inputs.options))
    return addEntry(module, inputs, files, link);
  const std::atomic<bool> *cancel = inputs.events.cancel;
  ModelInfo info;
  info.tag = tagOf(inputs.options);
  info.deviceImages = inputs.deviceImages;
  info.weightsBytes = inputs.report.weightsBytes;
  if (info.weightsBytes && inputs.options.externalWeights) {
    StringRef side = inputs.outputs.weights;
    info.weightsFile = path::filename(side).str();
    llvm::Expected<WeightsDigest> digest = writeSideFile(module, side, inputs);
    if (!digest)
      return digest.takeError();
    info.weightsDigest = *digest;
  } else {
    link.weightsBytes = info.weightsBytes;
    link.writeWeights = [module, cancel](int file, int64_t offset) {
      return writeWeights(module, file, offset, cancel);
    };
  }
  info.compilationInfo = compilationInfo(levels, inputs, info);
  // A text that is nowhere else in the artefact, until its contents are known.
  link.seal = llvm::toHex(
      llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(info.compilationInfo)),
      /*LowerCase=*/true);
  info.compilationInfo.insert(1, "\"content_blake3\":\"" + link.seal + "\",");
  FailureOr<CodeFile> descriptor =
      emitDescriptor(levels, info, inputs.options.level);
  if (failed(descriptor))
    return llvm::createStringError("cannot describe the model");
  files.push_back(std::move(*descriptor));
  return llvm::Error::success();
}

/// Adds the descriptor of the model to `files`, with a section for the nodes
/// that kernels come from unless they are stripped.
static llvm::Error describeWithNodes(ArrayRef<ModuleOp> levels,
                                     const ArtefactInputs &inputs,
                                     std::vector<CodeFile> &files,
                                     LinkOptions &link) {
  if (llvm::Error error = describe(levels, inputs, files, link))
    return error;
  if (inputs.options.strip)
    return llvm::Error::success();
  return addSection(files.back(), nodesSection, nodeTable(levels));
}

/// One object for programs to link. A module without an entry point, which a
/// file may be resumed from, is just its code.
static llvm::Error writeObject(ArrayRef<ModuleOp> levels,
                               std::vector<CodeFile> files,
                               const ArtefactInputs &inputs) {
  return writeMade(inputs, 0666, [&](NewFile &file) -> llvm::Error {
    LinkOptions link;
    if (ModuleOp(levels.front()).lookupSymbol(mainEntryName))
      if (llvm::Error error = describeWithNodes(levels, inputs, files, link))
        return error;
    return joinObjects(files, link, file);
  });
}

/// Writes an archive of the object and the runtime.
static llvm::Error writeStatic(ArrayRef<ModuleOp> levels,
                               std::vector<CodeFile> files,
                               const ArtefactInputs &inputs) {
  ModuleOp module = levels.front();
  if (!module.lookupSymbol(mainEntryName))
    return llvm::createStringError("the module has no entry point");
  krnl::TargetAttr target = hostTarget(module);
  LinkOptions link;
  link.tag = tagOf(inputs.options);
  if (!hasOwnHooks(module, inputs.options)) {
    link.runtimeDir = findRuntimeFor(inputs.options, target.getTriple());
    if (llvm::Error error = checkRuntime(link.runtimeDir, target))
      return error;
  }
  return writeMade(inputs, 0666, [&](NewFile &file) -> llvm::Error {
    if (llvm::Error error = describeWithNodes(levels, inputs, files, link))
      return error;
    return archiveObjects(files, link, file);
  });
}

/// The header beside the artefact, which gets its name after that.
static llvm::Expected<NewFile> makeHeader(ModuleOp module,
                                          const ArtefactInputs &inputs) {
  const CompileOptions &options = inputs.options;
  StringRef name = inputs.outputs.header;
  if (name.empty())
    return llvm::createStringError(
        std::errc::invalid_argument,
        "a header needs a file beside which it is written");
  NewFile file(name);
  if (llvm::Error error = file.create())
    return std::move(error);
  if (llvm::Error error = file.append(headerText(
          module, prefixOf(options), tagOf(options),
          path::filename(inputs.input.path), hasOwnHooks(module, options))))
    return std::move(error);
  return file;
}

static llvm::Error link(ArrayRef<ModuleOp> levels, std::vector<CodeFile> files,
                        const ArtefactInputs &inputs, NewFile &output) {
  ModuleOp module = levels.front();
  const CompileOptions &options = inputs.options;
  LinkOptions link;
  link.output = options.output;
  link.tag = tagOf(options);
  link.strip = options.strip;
  link.debug = options.debug;
  link.profile = options.profile;
  krnl::TargetAttr target = hostTarget(module);
  link.runtimeDir = findRuntimeFor(options, target.getTriple());
  if (llvm::Error error = checkRuntime(link.runtimeDir, target))
    return error;
  if (llvm::Error error = addCustomLibraries(module, inputs, link))
    return error;
  if (llvm::Error error = describeWithNodes(levels, inputs, files, link))
    return error;
  auto libraries = linkArtefact(files, link, output);
  if (!libraries)
    return libraries.takeError();
  inputs.report.libraries = std::move(*libraries);
  return llvm::Error::success();
}

/// Writes an archive, an object or a shared object.
static llvm::Error writeBinary(ArrayRef<ModuleOp> levels,
                               std::vector<CodeFile> files,
                               const ArtefactInputs &inputs) {
  if (inputs.options.emit == "static")
    return writeStatic(levels, std::move(files), inputs);
  if (inputs.options.emit == "obj")
    return writeObject(levels, std::move(files), inputs);
  return writeMade(inputs, 0777, [&](NewFile &file) {
    return link(levels, std::move(files), inputs, file);
  });
}

/// The code of all levels.
static FailureOr<std::vector<CodeFile>> emitLevels(ArrayRef<ModuleOp> levels,
                                                   const ArtefactInputs &inputs,
                                                   CodeKind kind) {
  StringRef debugFile =
      inputs.options.debug ? path::filename(inputs.input.path) : "";
  std::vector<CodeFile> files;
  for (ModuleOp module : levels) {
    FailureOr<std::vector<CodeFile>> some =
        emitCode(module, inputs.options.level, kind, debugFile);
    if (failed(some))
      return failure();
    llvm::move(*some, std::back_inserter(files));
  }
  return files;
}

/// The kernels of a level as a text that the driver reads, or as instructions.
static llvm::Expected<std::string> deviceCode(const DeviceImages &level,
                                              StringRef emit) {
  const std::string &bytes = level.images.front().bytes;
  if (emit == "ptx")
    return bytes;
  return disassembleKernels(bytes);
}

/// Writes files of which none appears before all are complete.
static llvm::Error writeFiles(ArrayRef<std::string> names,
                              ArrayRef<std::string> texts,
                              const ArtefactInputs &inputs) {
  std::vector<NewFile> files;
  for (const auto &[name, text] : llvm::zip_equal(names, texts)) {
    NewFile &file = files.emplace_back(name);
    if (llvm::Error error = file.create())
      return error;
    if (llvm::Error error = file.append(text))
      return error;
  }
  if (llvm::Error error = inputs.files.check())
    return error;
  for (NewFile &file : files)
    if (llvm::Error error = file.keep())
      return error;
  return llvm::Error::success();
}

/// Writes the kernels of each device: to one output, or to a file of each.
static llvm::Error writeDeviceCode(ArrayRef<ModuleOp> levels,
                                   ArtefactInputs &inputs) {
  SmallVector<std::string> texts;
  for (auto [level, images] : llvm::zip_equal(levels, inputs.deviceImages)) {
    if (!hasDevice(level))
      continue;
    llvm::Expected<std::string> text = deviceCode(images, inputs.options.emit);
    if (!text)
      return text.takeError();
    texts.push_back(std::move(*text));
  }
  if (inputs.outputs.artefacts.size() > 1)
    return writeFiles(inputs.outputs.artefacts, texts, inputs);
  return writeOutput(inputs.options, inputs.events, llvm::join(texts, ""));
}

llvm::Error onnxc::writeArtefact(ArrayRef<ModuleOp> levels,
                                 ArtefactInputs inputs) {
  for (ModuleOp level : levels)
    fillReport(level, inputs.report);
  if (llvm::Error error =
          checkMemoryAndTime(inputs.options, inputs.events, inputs.report))
    return error;
  if (llvm::Error error = makeKernelImages(levels, inputs))
    return error;
  if (inputs.options.emitsKernels())
    return writeDeviceCode(levels, inputs);
  CodeKind kind =
      inputs.options.emit == "asm" ? CodeKind::Assembly : CodeKind::Object;
  FailureOr<std::vector<CodeFile>> files = emitLevels(levels, inputs, kind);
  if (failed(files))
    return llvm::createStringError("cannot make code");
  if (inputs.report.nodes.isKnown)
    collectCode(*files, target::levelSuffix(levels.back()),
                inputs.report.nodes);
  if (kind == CodeKind::Assembly)
    return writeAssembly(*files, inputs);
  const CompileOptions &options = inputs.options;
  bool isDropped = options.output == "-" && !inputs.events.output;
  if (isDropped || !hasHeader(options))
    return writeBinary(levels, std::move(*files), inputs);
  llvm::Expected<NewFile> header = makeHeader(levels.front(), inputs);
  if (!header)
    return header.takeError();
  if (llvm::Error error = writeBinary(levels, std::move(*files), inputs))
    return error;
  return header->keep();
}
