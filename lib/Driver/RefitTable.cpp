//===- RefitTable.cpp - Where an artefact has which weights ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RefitTable.h"

#include "onnxc/Dialect/ONNX/IR/NamedWeights.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Target/Artefact/Weights.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace mlir;
using namespace onnxc;

importer::ImportOptions onnxc::importOptionsOf(const CompileOptions &options) {
  importer::ImportOptions import;
  import.shapes = options.shapes;
  import.dims = options.dims;
  import.from = options.from;
  import.to = options.to;
  import.taps = options.taps;
  import.refit = options.refit;
  import.limits = options.limits;
  return import;
}

//===----------------------------------------------------------------------===//
// The hash of a graph
//===----------------------------------------------------------------------===//

namespace {

/// Hands the text of operations to a hash, an operation at a time.
class GraphHasher {
public:
  void add(Operation &op) {
    if (isa<onnx::ConstantOp>(op) && op.getNumResults() == 1)
      return; // part of its uses
    line << op.getName();
    for (NamedAttribute attribute : op.getAttrDictionary()) {
      line << ' ' << attribute.getName().strref() << '=';
      add(attribute.getValue());
    }
    for (Value operand : op.getOperands())
      addOperand(operand);
    for (Value result : op.getResults())
      define(result);
    end();
    for (Region &region : op.getRegions())
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments())
          define(argument);
        end();
        for (Operation &inner : block)
          add(inner);
        line << "end";
        end();
      }
  }

  std::string final() {
    return llvm::toHex(hasher.final(), /*LowerCase=*/true);
  }

private:
  /// A blob is its contents or the name of a weight, wherever it is.
  void add(Attribute attribute) {
    auto blob = dyn_cast<onnx::BlobAttr>(attribute);
    if (!blob)
      line << attribute;
    else
      line << "blob " << blob.getHash() << ' ' << blob.getSize() << ' '
           << blob.getType();
  }

  void addOperand(Value value) {
    line << " (";
    auto constant = value.getDefiningOp<onnx::ConstantOp>();
    if (!constant)
      line << numbers.lookup(value);
    else
      for (NamedAttribute attribute : constant->getAttrDictionary())
        add(attribute.getValue());
    line << ')';
  }

  void define(Value value) {
    numbers.try_emplace(value, numbers.size() + 1);
    line << ' ' << value.getType();
  }

  void end() {
    line << '\n';
    hasher.update(text);
    text.clear();
  }

  llvm::BLAKE3 hasher;
  std::string text;
  llvm::raw_string_ostream line{text};
  llvm::DenseMap<Value, size_t> numbers;
};

} // namespace

void onnxc::recordGraphHash(ModuleOp module) {
  GraphHasher hasher;
  for (Operation &op : *module.getBody())
    hasher.add(op);
  module->setAttr(graphHashAttrName,
                  StringAttr::get(module.getContext(), hasher.final()));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

template <typename T>
static std::string textOf(T printed) {
  std::string text;
  llvm::raw_string_ostream(text) << printed;
  return text;
}

static void writeOptions(llvm::json::OStream &json,
                         const CompileOptions &options) {
  auto write = [&](StringRef key, const Twine &value) {
    json.array([&] {
      json.value(key);
      json.value(llvm::json::fixUTF8(value.str()));
    });
  };
  for (const auto &[name, sizes] : options.shapes) {
    auto text = llvm::map_range(sizes, [](int64_t size) {
      return size < 0 ? std::string("?") : std::to_string(size);
    });
    write("shape", name + ":" + llvm::join(text, "x"));
  }
  for (const auto &[name, size] : options.dims)
    write("dim", name + "=" + Twine(size));
  if (!options.from.empty())
    write("from", llvm::join(options.from, ","));
  if (!options.to.empty())
    write("to", llvm::join(options.to, ","));
  if (!options.taps.empty())
    write("taps", llvm::join(options.taps, ","));
}

static void writeWeight(llvm::json::OStream &json, StringRef name,
                        DictionaryAttr entry) {
  json.object([&] {
    json.attribute("name", llvm::json::fixUTF8(name));
    json.attribute("offset", entry.getAs<IntegerAttr>("offset").getInt());
    json.attribute("type", textOf(entry.getAs<TypedAttr>("value").getType()));
    if (Attribute layout = entry.get("layout"))
      json.attribute("layout", textOf(layout));
  });
}

void onnxc::writeRefitTable(llvm::json::OStream &json, ModuleOp module,
                            const CompileOptions &options) {
  json.attribute("weights_bytes", target::weightsBytes(module));
  json.attributeArray("options", [&] { writeOptions(json, options); });
  auto entries = module->getAttrOfType<ArrayAttr>(target::weightsAttrName);
  const auto *weights = onnx::NamedWeights::find(module.getContext());
  json.attributeArray("weights", [&] {
    if (entries && weights)
      for (auto entry : entries.getAsRange<DictionaryAttr>())
        if (StringRef name = weights->nameOf(entry.get("value")); !name.empty())
          writeWeight(json, name, entry);
  });
}
