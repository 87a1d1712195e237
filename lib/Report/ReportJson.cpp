//===- ReportJson.cpp - Report of a compilation as JSON ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Report/JsonTexts.h"
#include "onnxc/Report/Report.h"

using namespace onnxc;

static void writeRecipe(llvm::json::OStream &json,
                        const ReportedRecipe &recipe) {
  json.attribute("kind", recipe.kind);
  writeText(json, "choices", recipe.choices);
  json.attribute("cycles", recipe.cycles);
}

static void writeRecipes(llvm::json::OStream &json,
                         llvm::ArrayRef<RecipeChoice> recipes) {
  for (const RecipeChoice &choice : recipes)
    json.object([&] {
      writeText(json, "kernel", choice.kernel);
      json.attribute("candidates", int64_t(choice.numCandidates));
      writeRecipe(json, choice.taken);
      json.attributeArray("others", [&] {
        for (const ReportedRecipe &other : choice.others)
          json.object([&] { writeRecipe(json, other); });
      });
    });
}

template <typename Range>
static void writeNumbers(llvm::json::OStream &json, llvm::StringRef name,
                         const Range &numbers) {
  json.attributeArray(name, [&] {
    for (auto number : numbers)
      json.value(int64_t(number));
  });
}

static void writeLayer(llvm::json::OStream &json, const Layer &layer) {
  writeText(json, "name", layer.name);
  writeText(json, "op", layer.op);
  json.attribute("graph", int64_t(layer.graph));
  writeTexts(json, "types", layer.types);
  writeTexts(json, "results", layer.results);
  writeNumbers(json, "inputs", layer.inputs);
  json.attribute("multiply_adds", layer.multiplyAdds);
  json.attribute("operations", layer.operations);
  json.attribute("parameters", layer.parameters);
  json.attribute("weight_bytes", layer.weightBytes);
  json.attribute("stored_bytes", layer.storedBytes);
  json.attribute("activation_bytes", layer.activationBytes);
  json.attribute("code_bytes", layer.codeBytes);
  json.attribute("cycles", layer.cycles);
  if (layer.milliseconds)
    json.attribute("milliseconds", *layer.milliseconds);
  if (layer.gflops)
    json.attribute("gflops", *layer.gflops);
  if (layer.rooflineShare)
    json.attribute("roofline_share", *layer.rooflineShare);
  writeNumbers(json, "launches", layer.launches);
}

static void writeGraphs(llvm::json::OStream &json, const LayerReport &report) {
  json.attributeArray("inputs", [&] {
    for (const LayerInput &input : report.inputs)
      json.object([&] {
        writeText(json, "name", input.name);
        writeText(json, "type", input.type);
      });
  });
  json.attributeArray("graphs", [&] {
    for (const LayerGraph &graph : report.graphs)
      json.object([&] {
        json.attribute("name", graph.name);
        writeOptional(json, "layer", graph.layer);
        writeNumbers(json, "outputs", graph.outputs);
      });
  });
}

static void writeMemory(llvm::json::OStream &json, const LayerReport &report) {
  json.attributeArray("launches", [&] {
    for (const LayerLaunch &launch : report.launches)
      json.object([&] {
        json.attribute("function", launch.function);
        writeNumbers(json, "layers", launch.layers);
        writeOptional(json, "main_layer", launch.mainLayer);
        json.attribute("cycles", launch.cycles);
        json.attribute("on_device", launch.isOnDevice);
        if (launch.isOnDevice)
          json.attribute("microseconds", launch.microseconds);
      });
  });
  json.attributeArray("arena", [&] {
    for (const ArenaSlotUse &slot : report.arena)
      json.object([&] {
        json.attribute("offset", slot.offset);
        json.attribute("bytes", slot.bytes);
        json.attribute("first_launch", slot.first);
        json.attribute("last_launch", slot.last);
        writeNumbers(json, "layers", slot.layers);
      });
  });
}

static void writeDeviceKernel(llvm::json::OStream &json,
                              const DeviceKernel &kernel) {
  json.attribute("name", kernel.name);
  json.attribute("threads", kernel.threads);
  json.attribute("launches", kernel.launches);
  json.attribute("microseconds", kernel.microseconds);
  json.attribute("roofline_microseconds", kernel.rooflineMicroseconds);
  if (!kernel.resources)
    return;
  json.attribute("registers", kernel.resources->registers);
  json.attribute("spilled_bytes", kernel.resources->spilledBytes);
  json.attribute("stack_bytes", kernel.resources->stackBytes);
  json.attribute("shared_bytes", kernel.resources->sharedBytes);
  json.attribute("serialized", kernel.resources->isSerialized);
  json.attribute("occupancy", kernel.occupancy);
}

static void writeDevice(llvm::json::OStream &json, const Report &report) {
  const DeviceReport &device = report.device;
  json.attribute("name", device.name);
  json.attributeArray("images", [&] {
    for (const ReportedImage &image : device.images)
      json.object([&] {
        json.attribute("name", image.name);
        json.attribute("bytes", image.bytes);
      });
  });
  json.attributeArray("kernels", [&] {
    for (const DeviceKernel &kernel : device.kernels)
      json.object([&] { writeDeviceKernel(json, kernel); });
  });
  json.attributeObject("critical_path", [&] {
    json.attribute("microseconds", criticalMicroseconds(report));
    writeNumbers(json, "launches", device.criticalPath);
  });
  json.attributeArray("copies", [&] {
    for (const DeviceCopy &copy : device.copies)
      json.object([&] {
        json.attribute("to_device", copy.toDevice);
        writeOptional(json, "bytes", copy.bytes);
        json.attribute("times", copy.times);
        writeNumbers(json, "layers", copy.layers);
      });
  });
}

static void writeNodes(llvm::json::OStream &json, const LayerReport &report) {
  json.attribute("parameters", report.parameters);
  json.attribute("model_weight_bytes", report.weightBytes);
  json.attribute("code_bytes", report.codeBytes);
  json.attribute("constant_bytes", report.constantBytes);
  json.attribute("unknown_size", report.unknownSize);
  if (report.milliseconds)
    json.attribute("milliseconds", *report.milliseconds);
  json.attributeArray("layers", [&] {
    for (const Layer &layer : report.layers)
      json.object([&] { writeLayer(json, layer); });
  });
  writeGraphs(json, report);
  writeMemory(json, report);
}

/// Sizes in bytes of what was made and of a run.
static void writeSizes(llvm::json::OStream &json, const Report &report) {
  json.attribute("artefact_bytes", report.artefactBytes);
  json.attribute("weights_bytes", report.weightsBytes);
  // Null where it depends on the sizes of a run, by the formula.
  json.attribute("arena_bytes", report.arenaFormula.empty()
                                    ? llvm::json::Value(report.arenaBytes)
                                    : llvm::json::Value(nullptr));
  if (!report.arenaFormula.empty())
    writeText(json, "arena_formula", report.arenaFormula);
  json.attribute("peak_memory_bytes", report.peakMemory);
}

static void writeScalarKernel(llvm::json::OStream &json,
                              const ScalarKernel &kernel) {
  writeText(json, "node", kernel.node);
  writeText(json, "kernel", kernel.kernel);
  json.attribute("reason", kernel.reason);
  json.attribute("share", kernel.share);
}

std::string Report::json() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("schema", 1);
    writeText(json, "model", model);
    // The first one; programs that write one file need no list.
    writeText(json, "output", outputs.empty() ? "" : outputs.front());
    writeTexts(json, "outputs", outputs);
    json.attribute("target", target);
    json.attribute("kernels", int64_t(kernels));
    writeSizes(json, *this);
    writeTexts(json, "libraries", libraries);
    json.attributeArray("scalar_kernels", [&] {
      for (const ScalarKernel &kernel : scalarKernels)
        json.object([&] { writeScalarKernel(json, kernel); });
    });
    if (nodes.isKnown)
      writeNodes(json, nodes);
    if (!device.name.empty())
      json.attributeObject("device", [&] { writeDevice(json, *this); });
    json.attributeArray("recipes", [&] { writeRecipes(json, recipes); });
    json.attributeArray("steps", [&] {
      for (const auto &[name, seconds] : steps)
        json.object([&] {
          json.attribute("name", name);
          json.attribute("seconds", seconds);
        });
    });
  });
  return text + "\n";
}
