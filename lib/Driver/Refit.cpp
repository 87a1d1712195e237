//===- Refit.cpp - Other weights for an artefact ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The artefact is copied, and the bytes of weights are written as a compilation
// writes them. The hashes in the copy are those of the new contents.
//
//===----------------------------------------------------------------------===//

#include "RefitTable.h"
#include "onnxc/Driver/Messages.h"
#include "onnxc/Driver/SourceFiles.h"

#include "mlir/AsmParser/AsmParser.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/NamedWeights.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "onnxc/Pipeline/Registration.h"
#include "onnxc/Support/Budget.h"
#include "onnxc/Support/NewFile.h"
#include "onnxc/Target/Artefact/Weights.h"
#include "onnxc/rt/model.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

using namespace mlir;
using namespace onnxc;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using target::WeightsDigest;

namespace {

/// An artefact and its record of its compilation.
struct Recorded {
  std::unique_ptr<llvm::MemoryBuffer> file;
  llvm::json::Value json = nullptr;
  int64_t weightsBytes = 0;

  StringRef bytes() const { return file->getBuffer(); }
  const llvm::json::Object &record() const { return *json.getAsObject(); }
  const llvm::json::Object &refit() const {
    return *record().getObject("refit");
  }
  StringRef text(StringRef key) const {
    return record().getString(key).value_or("");
  }
};

/// Bytes of a file that another text of the same length takes the place of.
struct Patch {
  std::string from, to;
};

} // namespace

static Error cannotRead(StringRef path, std::error_code code) {
  return createStringError(code,
                           "cannot read '" + path + "': " + code.message());
}

/// A device may never end.
static Expected<std::unique_ptr<llvm::MemoryBuffer>> open(StringRef path) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return cannotRead(path, code);
  if (!llvm::sys::fs::is_regular_file(status))
    return createStringError("cannot read '" + path +
                             "': it is not a regular file");
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return cannotRead(path, file.getError());
  return std::move(*file);
}

/// Reads the record, which begins with the hash of the contents.
static Expected<Recorded> readArtefact(StringRef path) {
  auto file = open(path);
  if (!file)
    return file.takeError();
  Recorded artefact{std::move(*file)};
  StringRef start = "{\"content_blake3\":\"";
  StringRef text = artefact.bytes();
  text = text.substr(std::min(text.find(start), text.size()));
  auto json = llvm::json::parse(text.take_until([](char c) { return c == 0; }));
  if (!json || !json->getAsObject()) {
    llvm::consumeError(json.takeError());
    return createStringError("'" + path + "' is not a compiled model");
  }
  artefact.json = std::move(*json);
  const llvm::json::Object *refit = artefact.record().getObject("refit");
  if (!refit || !refit->getArray("weights") ||
      artefact.text(graphHashAttrName).empty())
    return createStringError("'" + path +
                             "' was compiled without --refit: compile the "
                             "model again with this option");
  if (!refit->getArray("options"))
    return createStringError("the record of the artefact is damaged");
  artefact.weightsBytes = refit->getInteger("weights_bytes").value_or(0);
  return artefact;
}

/// The options that decide how a model is imported.
static Error takeOptions(const Recorded &artefact, CompileOptions &options) {
  const llvm::json::Array *entries = artefact.refit().getArray("options");
  for (const llvm::json::Value &entry : *entries) {
    const llvm::json::Array *pair = entry.getAsArray();
    std::optional<StringRef> key, value;
    if (pair && pair->size() == 2) {
      key = (*pair)[0].getAsString();
      value = (*pair)[1].getAsString();
    }
    if (!key || !value)
      return createStringError("the record of the artefact is damaged");
    if (Error error = setOption(options, *key, *value))
      return error;
  }
  options.refit = true;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The weights
//===----------------------------------------------------------------------===//

/// Returns true if the constant, stored so, is between the first and the last
/// byte of all weights.
static bool fits(RankedTensorType type, krnl::PackedLayoutAttr layout,
                 int64_t offset, int64_t weightsBytes) {
  std::optional<uint64_t> bytes = onnx::getRawSize(type);
  unsigned width = type.getElementType().isIntOrFloat()
                       ? type.getElementType().getIntOrFloatBitWidth()
                       : 0;
  if (!bytes || width == 0 || width % 8 != 0)
    return false;
  if (layout) {
    *bytes = width / 8;
    for (auto [dim, size, stride] : llvm::zip_equal(
             layout.getDims(), layout.getSizes(), layout.getStrides()))
      if (dim < 0 || dim >= type.getRank() || size <= 0 || stride <= 0 ||
          stride > weightsBytes)
        return false;
    for (int64_t size : layout.getStoredSizes())
      *bytes = llvm::SaturatingMultiply<uint64_t>(*bytes, size);
  }
  return offset >= 0 && offset <= weightsBytes &&
         *bytes <= uint64_t(weightsBytes - offset);
}

/// The entry of `krnl.weights` that the table of the artefact describes.
static Expected<DictionaryAttr> readEntry(const llvm::json::Value &json,
                                          int64_t weightsBytes, StringRef model,
                                          MLIRContext *context) {
  const llvm::json::Object *entry = json.getAsObject();
  std::optional<StringRef> name, typeText;
  std::optional<int64_t> offset;
  krnl::PackedLayoutAttr layout;
  if (entry) {
    name = entry->getString("name");
    typeText = entry->getString("type");
    offset = entry->getInteger("offset");
    if (auto text = entry->getString("layout"))
      layout = dyn_cast_or_null<krnl::PackedLayoutAttr>(
          parseAttribute(*text, context));
  }
  auto type =
      typeText
          ? dyn_cast_or_null<RankedTensorType>(parseType(*typeText, context))
          : RankedTensorType();
  bool isPlain = entry && !entry->get("layout");
  if (!name || !offset || !type || (!layout && !isPlain) ||
      !fits(type, layout, *offset, weightsBytes))
    return createStringError("the record of the artefact is damaged");
  const onnx::NamedWeights *weights = onnx::NamedWeights::find(context);
  onnx::BlobAttr blob =
      weights ? weights->lookup(*name, type) : onnx::BlobAttr();
  if (!blob)
    return createStringError("'" + model + "' has no initializer '" + *name +
                             "' of the size of " + onnx::typeText(type) +
                             ", which the artefact was compiled with");
  Builder builder(context);
  NamedAttrList attributes;
  attributes.set("offset", builder.getI64IntegerAttr(*offset));
  attributes.set("value", blob);
  if (layout)
    attributes.set("layout", layout);
  return attributes.getDictionary(context);
}

/// Gives the module of the new model the weights where the artefact has them.
static Error placeWeights(const Recorded &artefact, StringRef model,
                          ModuleOp module) {
  SmallVector<Attribute> entries;
  for (const llvm::json::Value &json : *artefact.refit().getArray("weights")) {
    Expected<DictionaryAttr> entry =
        readEntry(json, artefact.weightsBytes, model, module.getContext());
    if (!entry)
      return entry.takeError();
    entries.push_back(*entry);
  }
  recordGraphHash(module);
  auto hash = module->getAttrOfType<StringAttr>(graphHashAttrName);
  if (hash.getValue() != artefact.text(graphHashAttrName))
    return createStringError(
        "'" + model +
        "' differs from the model that was compiled in more than weights: in "
        "nodes, attributes, types, shapes, or constants that are integers, "
        "single numbers or sizes of Resize; compile it");
  module->setAttr(target::weightsAttrName,
                  ArrayAttr::get(module.getContext(), entries));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Writes `size` of `bytes` and the weights over them, which begin at `start`.
static Error writeWithWeights(StringRef bytes, int64_t start, ModuleOp module,
                              const Events &events, NewFile &output) {
  if (Error error = output.create())
    return error;
  if (Error error = output.append(bytes))
    return error;
  if (failed(
          target::writeWeights(module, output.handle(), start, events.cancel)))
    return output.failed(std::make_error_code(std::errc::io_error));
  return Error::success();
}

/// The new side file. The artefact has two copies of its hash, as a text and as
/// bytes.
static Error writeSideFile(const Recorded &artefact, StringRef path,
                           const CompileOptions &options, ModuleOp module,
                           const Events &events, std::vector<Patch> &patches) {
  StringRef name = artefact.text("weights_file");
  std::string old = artefact.text("weights_blake3").str(), oldBytes;
  SmallString<128> from(llvm::sys::path::parent_path(path));
  SmallString<128> to(llvm::sys::path::parent_path(options.output));
  llvm::sys::path::append(from, name);
  llvm::sys::path::append(to, name);
  auto side = open(from);
  if (!side)
    return side.takeError();
  if (name.contains('/') || !llvm::tryGetFromHex(old, oldBytes) ||
      int64_t((*side)->getBufferSize()) !=
          artefact.weightsBytes + int64_t(sizeof(OnnxcWeightsFooter)))
    return createStringError("'" + from + "' is not the file of weights of '" +
                             path + "'");
  NewFile output(to);
  if (Error error = writeWithWeights(
          (*side)->getBuffer().take_front(artefact.weightsBytes), 0, module,
          events, output))
    return error;
  auto digest = target::sealWeights(output.handle(), artefact.weightsBytes);
  if (!digest)
    return digest.takeError();
  patches.push_back({old, llvm::toHex(*digest, /*LowerCase=*/true)});
  patches.push_back({oldBytes, std::string(digest->begin(), digest->end())});
  return output.keep();
}

static Error patchFile(const NewFile &output, StringRef bytes,
                       const Patch &patch) {
  size_t at = bytes.find(patch.from);
  ssize_t written =
      at == StringRef::npos
          ? -1
          : ::pwrite(output.handle(), patch.to.data(), patch.to.size(), at);
  return written == ssize_t(patch.to.size())
             ? Error::success()
             : output.failed(std::make_error_code(std::errc::io_error));
}

/// Compares the contents with their hash, which is taken with zeros in its own
/// place.
static Error checkContents(const Recorded &artefact, StringRef path) {
  StringRef seal = artefact.text("content_blake3");
  auto [before, after] = artefact.bytes().split(seal);
  llvm::BLAKE3 hasher;
  hasher.update(before);
  hasher.update(std::string(seal.size(), '0'));
  hasher.update(after);
  auto digest = hasher.final<std::tuple_size_v<WeightsDigest>>();
  if (!seal.empty() && llvm::toHex(digest, /*LowerCase=*/true) == seal)
    return Error::success();
  return createStringError("'" + path +
                           "' is truncated or damaged: copy it again, or "
                           "compile the model again");
}

/// Writes the artefact and its hash.
static Error writeArtefact(const Recorded &artefact, StringRef path,
                           const CompileOptions &options, ModuleOp module,
                           const Events &events, Report &report) {
  if (Error error = checkContents(artefact, path))
    return error;
  bool hasSideFile = !artefact.text("weights_file").empty();
  int64_t start = 0;
  if (artefact.weightsBytes && !hasSideFile) {
    Expected<int64_t> found = target::findEmbeddedWeights(artefact.bytes());
    if (!found)
      return found.takeError();
    start = *found;
    if (start < 0 || start > int64_t(artefact.bytes().size()) ||
        artefact.weightsBytes > int64_t(artefact.bytes().size()) - start)
      return createStringError("the record of the artefact is damaged");
  }
  std::vector<Patch> patches;
  if (hasSideFile) {
    if (Error error =
            writeSideFile(artefact, path, options, module, events, patches))
      return error;
    module->removeAttr(target::weightsAttrName);
  }
  std::string seal = artefact.text("content_blake3").str();
  std::string zeros(seal.size(), '0');
  patches.push_back({seal, zeros});
  NewFile output(options.output, 0777);
  if (Error error =
          writeWithWeights(artefact.bytes(), start, module, events, output))
    return error;
  for (const Patch &patch : patches)
    if (Error error = patchFile(output, artefact.bytes(), patch))
      return error;
  report.artefactBytes = artefact.bytes().size();
  report.weightsBytes = artefact.weightsBytes;
  auto digest = target::digestOf(output.handle(), report.artefactBytes);
  if (!digest)
    return digest.takeError();
  if (Error error = patchFile(output, artefact.bytes(),
                              {seal, llvm::toHex(*digest, /*LowerCase=*/true)}))
    return error;
  return output.keep();
}

//===----------------------------------------------------------------------===//
// Refit
//===----------------------------------------------------------------------===//

Outcome onnxc::refit(StringRef path, const Input &model,
                     const CompileOptions &given, const Events &events,
                     Report &report) {
  auto fail = [&](Error error) {
    std::string message = llvm::toString(std::move(error));
    if (events.message)
      events.message({Severity::Error, "", message});
    return Outcome::Rejected;
  };
  CompileOptions options = given;
  if (options.output.empty())
    return fail(
        createStringError("expected the name of a file for the artefact"));
  if (Error error = SourceFiles(model).checkOutputs({options.output}))
    return fail(std::move(error));
  Expected<Recorded> artefact = readArtefact(path);
  if (!artefact)
    return fail(artefact.takeError());
  if (Error error = takeOptions(*artefact, options))
    return fail(std::move(error));
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Budget::start(&context, options.limits, events.cancel);
  MessageHandler handler(context, events, options.verbose);
  auto source =
      model.bytes ? importer::ImportSource::memory(*model.bytes, model.path, "")
                  : importer::ImportSource::file(model.path);
  auto module =
      importer::importModel(context, source, importOptionsOf(options));
  if (failed(module))
    return Outcome::Rejected;
  Error error = placeWeights(*artefact, model.path, **module);
  if (!error)
    error = writeArtefact(*artefact, path, options, **module, events, report);
  if (error)
    return fail(std::move(error));
  report.outputs = {options.output};
  return Outcome::Done;
}
