//===- CompilationInfo.cpp - What an artefact says of itself ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CompilationInfo.h"

#include "RefitTable.h"

#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Dialect/Krnl/IR/RealTime.h"
#include "onnxc/Support/ByteCount.h"
#include "onnxc/Target/IR/Target.h"
#include "onnxc/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::target;
namespace path = llvm::sys::path;

/// An attribute of the model as a member of a JSON object: texts, numbers, and
/// dictionaries of them.
static void addAttribute(llvm::json::OStream &json, NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  auto key = llvm::json::fixUTF8(name);
  if (auto text = dyn_cast<StringAttr>(attribute.getValue()))
    json.attribute(key, llvm::json::fixUTF8(text.getValue()));
  else if (auto number = dyn_cast<IntegerAttr>(attribute.getValue()))
    json.attribute(key, number.getInt());
  else if (auto entries = dyn_cast<DictionaryAttr>(attribute.getValue()))
    json.attributeObject(key, [&] {
      for (NamedAttribute entry : entries)
        addAttribute(json, entry);
    });
}

/// The kernels for devices, with their sizes; empty without.
static std::string deviceImages(ArrayRef<DeviceImages> levels) {
  SmallVector<std::string> images;
  for (const DeviceImages &level : levels)
    for (const DeviceImage &image : level.images)
      images.push_back(nameOf(image) + " (" +
                       sizeText(int64_t(image.bytes.size())) + ")");
  return llvm::join(images, ", ");
}

std::string onnxc::compilationInfo(ArrayRef<ModuleOp> levels,
                                   const ArtefactInputs &inputs,
                                   const ModelInfo &info) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  ModuleOp model = levels.front()->getParentOfType<ModuleOp>();
  auto names = llvm::map_to_vector(levels, levelName);
  json.object([&] {
    json.attribute("compiler", "onnx-compile " ONNXC_VERSION);
    json.attribute("level", int64_t(inputs.options.level));
    json.attribute("triple", hostTarget(levels.front()).getTriple());
    json.attribute("cpu", llvm::join(names, ","));
    if (levels.front()->hasAttr(krnl::realTimeAttrName))
      json.attribute("realtime", true);
    if (std::string images = deviceImages(info.deviceImages); !images.empty()) {
      json.attribute("device", inputs.options.device);
      json.attribute("tf32", inputs.options.tf32);
      json.attribute("device_images", images);
    }
    json.attribute("model",
                   llvm::json::fixUTF8(path::filename(inputs.input.path)));
    if (!info.weightsFile.empty()) {
      json.attribute("weights_file", llvm::json::fixUTF8(info.weightsFile));
      json.attribute("weights_blake3",
                     llvm::toHex(info.weightsDigest, /*LowerCase=*/true));
    }
    if (!model)
      return;
    if (inputs.options.refit)
      json.attributeObject("refit", [&] {
        writeRefitTable(json, levels.front(), inputs.options);
      });
    for (NamedAttribute attribute : model->getDiscardableAttrs())
      addAttribute(json, attribute);
  });
  return text;
}
