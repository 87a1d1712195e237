//===- LayerCode.cpp - Machine code and times of nodes ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Report/Layers.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace onnxc;

/// Adds the sections that are loaded.
static void addSections(const object::ELFObjectFileBase &file,
                        LayerReport &report) {
  for (object::ELFSectionRef section : file.sections()) {
    uint64_t flags = section.getFlags();
    if (!(flags & ELF::SHF_ALLOC) || section.getType() == ELF::SHT_NOBITS)
      continue;
    (flags & ELF::SHF_EXECINSTR ? report.codeBytes : report.constantBytes) +=
        int64_t(section.getSize());
  }
}

void onnxc::collectCode(ArrayRef<target::CodeFile> files, StringRef suffix,
                        LayerReport &report) {
  StringMap<int64_t> sizes;
  for (const target::CodeFile &code : files) {
    auto file = object::ObjectFile::createELFObjectFile(
        MemoryBufferRef(StringRef(code.bytes.data(), code.bytes.size()), ""));
    if (!file) {
      consumeError(file.takeError());
      continue;
    }
    auto &elf = cast<object::ELFObjectFileBase>(**file);
    addSections(elf, report);
    for (object::ELFSymbolRef symbol : elf.symbols()) {
      Expected<StringRef> name = symbol.getName();
      if (name && symbol.getELFType() == ELF::STT_FUNC)
        sizes[*name] = int64_t(symbol.getSize());
      consumeError(name.takeError());
    }
  }
  // The code of a kernel that several launches share counts for the first.
  for (const LayerLaunch &launch : report.launches) {
    auto size = sizes.find((launch.function + suffix).str());
    if (size == sizes.end() || !launch.mainLayer)
      continue;
    report.layers[*launch.mainLayer].codeBytes += size->second;
    size->second = 0;
  }
}

/// The launches of the profile, or functions that were sampled.
static const json::Array *rowsOf(const json::Object &profile) {
  const json::Array *launches = profile.getArray("launches");
  return launches ? launches : profile.getArray("functions");
}

/// The node of a row with most operations; null if it names none of the model.
static Layer *layerOf(const json::Object &row, const StringMap<size_t> &numbers,
                      LayerReport &report) {
  const json::Array *nodes = row.getArray("nodes");
  Layer *found = nullptr;
  for (const json::Value &value : nodes ? *nodes : json::Array()) {
    const json::Object *node = value.getAsObject();
    auto name = node ? node->getString("name") : std::nullopt;
    auto number = name ? numbers.find(*name) : numbers.end();
    if (number == numbers.end())
      continue;
    Layer *layer = &report.layers[number->second];
    if (!found || layer->operations > found->operations)
      found = layer;
  }
  return found;
}

Error onnxc::collectTimes(StringRef text, LayerReport &report) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return createStringError("is not JSON: " + toString(value.takeError()));
  const json::Object *profile = value->getAsObject();
  const json::Array *rows = profile ? rowsOf(*profile) : nullptr;
  auto total = profile ? profile->getNumber("milliseconds") : std::nullopt;
  if (!rows || !total)
    return createStringError("is not the output of `onnx-run profile --json`");
  StringMap<size_t> numbers;
  for (auto [number, layer] : enumerate(report.layers))
    numbers.try_emplace(layer.name, number);
  bool isKnown = false;
  for (const json::Value &entry : *rows) {
    const json::Object *row = entry.getAsObject();
    auto time = row ? row->getNumber("milliseconds") : std::nullopt;
    Layer *layer = time ? layerOf(*row, numbers, report) : nullptr;
    if (!layer)
      continue;
    // The rates of all launches of the node, by their times.
    double before = layer->milliseconds.value_or(0), sum = before + *time;
    auto addRate = [&](StringRef name, std::optional<double> &rate) {
      if (auto own = row->getNumber(name); own && sum > 0)
        rate = (rate.value_or(0) * before + *own * *time) / sum;
    };
    addRate("roofline_share", layer->rooflineShare);
    addRate("gflops", layer->gflops);
    layer->milliseconds = sum;
    isKnown = true;
  }
  if (!isKnown)
    return createStringError("names no node of this model");
  report.milliseconds = total;
  return Error::success();
}
