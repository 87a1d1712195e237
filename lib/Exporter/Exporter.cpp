//===- Exporter.cpp - From the onnx dialect to model files -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Exporter/Exporter.h"

#include "GraphExporter.h"
#include "OldestVersion.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/InputSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include "onnx/checker.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

using namespace mlir;
using namespace onnxc::exporter;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

/// The oldest version of the file format that has all written fields, but for
/// types that a model brings along with its own version.
static constexpr int64_t oldestFormat = 8;

static StringRef textAttr(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<StringAttr>(name);
  return attr ? attr.getValue() : StringRef();
}

static void setMetadata(ModuleOp module, ModelProto &model) {
  auto version = module->getAttrOfType<IntegerAttr>("onnx.ir_version");
  model.set_ir_version(std::max(version ? version.getInt() : 0, oldestFormat));
  model.set_producer_name("onnx-compile");
  if (StringRef domain = textAttr(module, "onnx.domain"); !domain.empty())
    model.set_domain(domain.str());
  if (StringRef doc = textAttr(module, "onnx.doc_string"); !doc.empty())
    model.set_doc_string(doc.str());
  if (StringRef doc = textAttr(module, "onnx.graph_doc_string"); !doc.empty())
    model.mutable_graph()->set_doc_string(doc.str());
  if (auto number = module->getAttrOfType<IntegerAttr>("onnx.model_version"))
    model.set_model_version(number.getInt());
  auto entries = module->getAttrOfType<DictionaryAttr>("onnx.metadata");
  if (!entries)
    return;
  for (NamedAttribute entry : entries) {
    auto text = dyn_cast<StringAttr>(entry.getValue());
    if (!text)
      continue;
    auto *property = model.add_metadata_props();
    property->set_key(entry.getName().str());
    property->set_value(text.getValue().str());
  }
}

/// Puts the names of dimensions where they are unknown.
static void nameDims(DictionaryAttr attrs, ValueInfoProto &info) {
  ArrayAttr dims = onnxc::onnx::declaredDims(attrs);
  if (!dims || !info.type().has_tensor_type())
    return;
  auto *shape = info.mutable_type()->mutable_tensor_type()->mutable_shape();
  if (shape->dim_size() != static_cast<int>(dims.size()))
    return;
  for (auto [index, dim] : llvm::enumerate(dims.getAsRange<StringAttr>())) {
    auto *proto = shape->mutable_dim(static_cast<int>(index));
    if (!proto->has_dim_value() && !dim.getValue().empty())
      proto->set_dim_param(dim.getValue().str());
  }
}

/// The operator sets that the model came with, by domain.
static std::map<std::string, int> wantedOpsets(ModuleOp module) {
  std::map<std::string, int> result;
  auto opsets = module->getAttrOfType<DictionaryAttr>("onnx.opset");
  for (NamedAttribute entry :
       opsets ? opsets.getValue() : ArrayRef<NamedAttribute>())
    if (auto version = dyn_cast<IntegerAttr>(entry.getValue())) {
      StringRef domain = entry.getName();
      result[domain == "ai.onnx" ? "" : domain.str()] =
          static_cast<int>(version.getInt());
    }
  return result;
}

static std::string nameOf(DictionaryAttr attrs, StringRef kind, unsigned i) {
  auto name = attrs ? attrs.getAs<StringAttr>("onnx.name") : StringAttr();
  return name ? name.str() : (kind + Twine(i)).str();
}

/// The names of the outputs. An input that is an output as well, and a result
/// that is an output twice, keep their name.
static SmallVector<std::string> outputNames(func::FuncOp function,
                                            ExportState &state) {
  SmallVector<std::string> names;
  ValueRange values = function.front().getTerminator()->getOperands();
  for (auto [i, value] : llvm::enumerate(values)) {
    std::string name = nameOf(function.getResultAttrDict(i), "output", i);
    bool isInput =
        isa<BlockArgument>(value) && state.names.lookup(value) == name;
    bool isRepeated =
        isMadeIn(function.front(), value) &&
        llvm::any_of(llvm::enumerate(names), [&](auto other) {
          return other.value() == name && values[other.index()] == value;
        });
    names.push_back(isInput || isRepeated ? name : state.uniqueName(name));
  }
  return names;
}

static LogicalResult exportEntry(func::FuncOp function, ExportState &state,
                                 GraphProto &graph) {
  StringRef name =
      textAttr(function->getParentOfType<ModuleOp>(), "onnx.model_name");
  graph.set_name(name.empty() ? "main_graph" : name.str());
  for (BlockArgument argument : function.getArguments()) {
    DictionaryAttr attrs = function.getArgAttrDict(argument.getArgNumber());
    std::string input =
        state.uniqueName(nameOf(attrs, "input", argument.getArgNumber()));
    state.names[argument] = input;
    ValueInfoProto &info = *graph.add_input();
    info.set_name(input);
    onnxc::schema::toProto(argument.getType(), *info.mutable_type());
    nameDims(attrs, info);
  }
  SmallVector<std::string> outputs = outputNames(function, state);
  if (failed(GraphExporter(state, graph).run(function.front(), outputs)))
    return failure();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    nameDims(function.getResultAttrDict(i),
             *graph.mutable_output(static_cast<int>(i)));
  return success();
}

static uint64_t countBytes(func::FuncOp function) {
  uint64_t bytes = 0;
  function.walk([&](Operation *op) {
    if (op->getName().getStringRef() != "onnx.Constant")
      return;
    SmallVector<char> scratch;
    bytes += onnxc::onnx::constantBytes(
                 onnxc::onnx::constantValue(op->getResult(0)), scratch)
                 .size();
  });
  return bytes;
}

/// The message of the library's checker, empty if it finds nothing wrong. It
/// need not see large weights, only that there are some of these names.
static std::string checkModel(ModelProto model, const ExportState &state) {
  for (const EmbeddedTensor &tensor : state.embedded) {
    TensorProto &stand = *model.mutable_graph()->add_initializer();
    stand.set_name(tensor.head.name());
    stand.set_data_type(tensor.head.data_type());
    stand.add_dims(0);
  }
  // Of the shapes the checker sees only whether there are any; a tensor of
  // unknown rank has none.
  for (auto *values : {model.mutable_graph()->mutable_input(),
                       model.mutable_graph()->mutable_output()})
    for (ValueInfoProto &value : *values)
      if (value.type().has_tensor_type())
        value.mutable_type()->mutable_tensor_type()->mutable_shape();
  try {
    ::onnx::checker::check_model(model);
    return "";
  } catch (const std::exception &error) {
    return error.what();
  }
}

/// The head of a field of `size` bytes.
static std::string fieldHead(int number, uint64_t size) {
  using google::protobuf::internal::WireFormatLite;
  using google::protobuf::io::CodedOutputStream;
  uint8_t bytes[20], *end = bytes;
  end = CodedOutputStream::WriteTagToArray(
      WireFormatLite::MakeTag(number,
                              WireFormatLite::WIRETYPE_LENGTH_DELIMITED),
      end);
  end = CodedOutputStream::WriteVarint64ToArray(size, end);
  return std::string(bytes, end);
}

/// Cuts the file where large weights come: the graph is the last field of the
/// model, and they are the last ones of the graph. Returns false where they do
/// not fit into one file.
static bool cutIntoPieces(ModelProto &model, const ExportState &state,
                          ExportedModel &result) {
  GraphProto graph;
  graph.Swap(model.mutable_graph());
  model.clear_graph();
  std::string start, text;
  if (!model.SerializeToString(&start) || !graph.SerializeToString(&text))
    return false;
  uint64_t size = text.size();
  SmallVector<std::string> heads;
  for (const EmbeddedTensor &tensor : state.embedded) {
    SmallVector<char> scratch;
    uint64_t bytes = onnxc::onnx::constantBytes(tensor.value, scratch).size();
    std::string head = tensor.head.SerializeAsString() +
                       fieldHead(TensorProto::kRawDataFieldNumber, bytes);
    heads.push_back(
        fieldHead(GraphProto::kInitializerFieldNumber, head.size() + bytes) +
        head);
    size += heads.back().size() + bytes;
  }
  result.pieces.push_back(
      {start + fieldHead(ModelProto::kGraphFieldNumber, size) + text, {}});
  for (auto [head, tensor] : llvm::zip_equal(heads, state.embedded))
    result.pieces.push_back({std::move(head), tensor.value});
  return start.size() + size < INT32_MAX;
}

FailureOr<ExportedModel>
onnxc::exporter::exportModel(ModuleOp module, const ExportOptions &options) {
  auto function = module.lookupSymbol<func::FuncOp>("main_graph");
  if (!function || !llvm::hasSingleElement(function.getBody()))
    return module.emitError("there is no function main_graph to export");
  ExportState state;
  state.usesDataFile = countBytes(function) > options.embeddedLimit;
  state.dataFile = options.dataFile;
  if (state.usesDataFile && state.dataFile.empty())
    return module.emitError("the weights do not fit into one file: give the "
                            "output a file name");
  state.wantedOpsets = wantedOpsets(module);
  ModelProto model;
  setMetadata(module, model);
  if (failed(exportEntry(function, state, *model.mutable_graph())))
    return failure();
  dropNewAttributes(*model.mutable_graph(), state.opsets);
  state.opsets.try_emplace("", std::max(state.wantedOpsets[""], 1));
  for (const auto &[domain, version] : state.opsets) {
    auto *import = model.add_opset_import();
    import->set_domain(domain);
    import->set_version(version);
  }
  std::string problem = state.usesDataFile ? "" : checkModel(model, state);
  if (!problem.empty())
    return module.emitError("the exported model is not valid: ") << problem;
  ExportedModel result;
  if (!cutIntoPieces(model, state, result))
    return module.emitError("the model is too large for one file");
  result.data = std::move(state.data);
  return result;
}

llvm::Error onnxc::exporter::writeModel(const ExportedModel &model,
                                        llvm::raw_ostream &os,
                                        const std::atomic<bool> *cancel) {
  for (const ExportedModel::Piece &piece : model.pieces) {
    if (cancel && *cancel)
      return llvm::createStringError("cancelled");
    os << piece.bytes;
    if (!piece.tensor)
      continue;
    SmallVector<char> scratch;
    ArrayRef<char> bytes = onnx::constantBytes(piece.tensor, scratch);
    os.write(bytes.data(), bytes.size());
  }
  return llvm::Error::success();
}

llvm::Error onnxc::exporter::writeData(const ExportedModel &model,
                                       llvm::raw_ostream &os,
                                       const std::atomic<bool> *cancel) {
  for (TypedAttr value : model.data) {
    if (cancel && *cancel)
      return llvm::createStringError("cancelled");
    os.write_zeros(
        llvm::offsetToAlignment(os.tell(), llvm::Align(dataAlignment)));
    SmallVector<char> scratch;
    ArrayRef<char> bytes = onnx::constantBytes(value, scratch);
    os.write(bytes.data(), bytes.size());
  }
  return llvm::Error::success();
}
