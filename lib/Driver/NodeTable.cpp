//===- NodeTable.cpp - Nodes in an artefact --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "NodeTable.h"

#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Target/CPU/Emit.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace onnxc;

/// A node: the attributes of its name and its operator.
using Node = std::pair<Attribute, Attribute>;
using Nodes = llvm::MapVector<Node, int64_t>;

static ArrayRef<Attribute> launchesOf(ModuleOp level) {
  auto launches = level->getAttrOfType<ArrayAttr>(krnl::launchesAttrName);
  return launches ? launches.getValue() : ArrayRef<Attribute>();
}

/// Calls `visit` with each node of a launch.
static void forEachNode(DictionaryAttr launch,
                        llvm::function_ref<void(Node)> visit) {
  auto nodes = launch.getAs<ArrayAttr>("nodes");
  for (size_t i = 0; nodes && i + 1 < nodes.size(); i += 2)
    visit({nodes[i], nodes[i + 1]});
}

/// Names of the model may be any bytes.
static std::string textOf(Attribute attribute) {
  auto text = dyn_cast<StringAttr>(attribute);
  return llvm::json::fixUTF8(text ? text.getValue() : "");
}

/// Numbers in lists and dictionaries.
static void writeNumbers(llvm::json::OStream &json, Attribute attribute) {
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return json.value(number.getInt());
  if (auto list = dyn_cast<ArrayAttr>(attribute))
    return json.array([&] {
      for (Attribute part : list)
        writeNumbers(json, part);
    });
  json.object([&] {
    for (NamedAttribute entry : cast<DictionaryAttr>(attribute)) {
      json.attributeBegin(entry.getName());
      writeNumbers(json, entry.getValue());
      json.attributeEnd();
    }
  });
}

static void writeLaunch(llvm::json::OStream &json, DictionaryAttr launch,
                        StringRef suffix, const Nodes &numbers) {
  json.object([&] {
    if (auto function = launch.getAs<FlatSymbolRefAttr>("function")) {
      // Functions of the runtime are the same for all levels.
      bool isKernel = function.getValue().starts_with("kernel_");
      json.attribute("function",
                     (function.getValue() + (isKernel ? suffix : "")).str());
    }
    if (auto region = launch.getAs<IntegerAttr>("region"))
      json.attribute("region", region.getInt());
    if (Attribute work = launch.get("work")) {
      json.attributeBegin("work");
      writeNumbers(json, work);
      json.attributeEnd();
    }
    json.attributeArray("nodes", [&] {
      forEachNode(launch, [&](Node node) { json.value(numbers.lookup(node)); });
    });
  });
}

/// Writes the peak rates of a device: a multiply-add is two operations, factors
/// of 8 bits have twice the rate of those of 16.
static void writePeaks(llvm::json::OStream &json,
                       const target::Processor &device) {
  double gigahertz = double(device.cores * device.megahertz) * 1e-3;
  double vectors =
      2 * gigahertz * double(device.fmaPerCycle * device.warpThreads);
  double matrices = 2 * gigahertz * double(device.matrixProducts);
  json.attributeObject("peaks", [&] {
    json.attributeObject("gops_by_type", [&] {
      json.attribute("f32", vectors);
      json.attribute("f16", matrices);
      json.attribute("bf16", matrices);
      json.attribute("i8", 2 * matrices);
    });
    json.attribute("gbytes_per_second", gigahertz * device.memoryBytesPerCycle);
  });
}

std::string onnxc::nodeTable(ArrayRef<ModuleOp> levels) {
  Nodes numbers;
  for (ModuleOp level : levels)
    for (Attribute launch : launchesOf(level))
      forEachNode(cast<DictionaryAttr>(launch), [&](Node node) {
        numbers.insert({node, int64_t(numbers.size())});
      });
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("schema", 1);
    json.attributeArray("nodes", [&] {
      for (const auto &[node, number] : numbers)
        json.array([&] {
          json.value(textOf(node.first));
          json.value(textOf(node.second));
        });
    });
    json.attributeArray("levels", [&] {
      for (ModuleOp level : levels)
        json.object([&] {
          json.attribute("cpu", target::levelName(level));
          if (level->hasAttr(krnl::TargetAttr::hostAttrName))
            writePeaks(json, krnl::TargetAttr::processorOf(level));
          json.attributeArray("launches", [&] {
            for (Attribute launch : launchesOf(level))
              writeLaunch(json, cast<DictionaryAttr>(launch),
                          target::levelSuffix(level), numbers);
          });
        });
    });
  });
  return text;
}
