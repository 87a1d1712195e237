//===- ModelFile.cpp - Parsing model files ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "ModelFile.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

#include <array>

using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::SparseTensorProto;
using ::onnx::StringStringEntryProto;
using ::onnx::TensorProto;

namespace {
/// The messages on the way from a model to its tensors.
enum class Message {
  Other,
  Model,
  Graph,
  Node,
  Attribute,
  SparseTensor,
  Tensor,
  Function
};

struct Field {
  Message parent;
  uint32_t number;
  Message child;
};

/// Walks the wire format and writes the same message without large tensors.
class Slimmer {
public:
  Slimmer(llvm::StringRef file, int maxNesting)
      : file(file), maxNesting(maxNesting) {}

  /// Appends `bytes`, a message of kind `kind`, to `out`. False if they are
  /// not well-formed.
  bool slim(llvm::StringRef bytes, Message kind, int depth, std::string &out);

  bool isTooDeep = false;

private:
  bool slimDelimited(llvm::StringRef content, Message kind, uint32_t tag,
                     int depth, std::string &out);
  void noteMapped(llvm::StringRef content, std::string &out);

  llvm::StringRef file;
  int maxNesting;
};
} // namespace

static constexpr Field fields[] = {
    {Message::Model, ModelProto::kGraphFieldNumber, Message::Graph},
    {Message::Model, ModelProto::kFunctionsFieldNumber, Message::Function},
    {Message::Graph, GraphProto::kNodeFieldNumber, Message::Node},
    {Message::Graph, GraphProto::kInitializerFieldNumber, Message::Tensor},
    {Message::Graph, GraphProto::kSparseInitializerFieldNumber,
     Message::SparseTensor},
    {Message::Node, NodeProto::kAttributeFieldNumber, Message::Attribute},
    {Message::Attribute, AttributeProto::kTFieldNumber, Message::Tensor},
    {Message::Attribute, AttributeProto::kGFieldNumber, Message::Graph},
    {Message::Attribute, AttributeProto::kSparseTensorFieldNumber,
     Message::SparseTensor},
    {Message::SparseTensor, SparseTensorProto::kValuesFieldNumber,
     Message::Tensor},
    {Message::SparseTensor, SparseTensorProto::kIndicesFieldNumber,
     Message::Tensor},
    {Message::Function, FunctionProto::kNodeFieldNumber, Message::Node},
    {Message::Function, FunctionProto::kAttributeProtoFieldNumber,
     Message::Attribute},
};

/// Tensors up to this size are parsed as they are.
static constexpr size_t keptBytes = 1024;

static Message childOf(Message parent, uint32_t number) {
  for (const Field &field : fields)
    if (field.parent == parent && field.number == number)
      return field.child;
  return Message::Other;
}

/// Takes a base-128 number off the front.
static std::optional<uint64_t> takeVarint(llvm::StringRef &bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    uint8_t byte = static_cast<uint8_t>(bytes.front());
    bytes = bytes.drop_front();
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80)
      return value;
  }
  return std::nullopt;
}

static void putVarint(uint64_t value, std::string &out) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

static void putDelimited(uint32_t tag, llvm::StringRef content,
                         std::string &out) {
  putVarint(tag, out);
  putVarint(content.size(), out);
  out.append(content.data(), content.size());
}

/// Takes the value of a field that is not delimited off the front.
static bool skipScalar(unsigned wireType, llvm::StringRef &bytes) {
  size_t size = wireType == 1 ? 8 : 4;
  if (wireType == 0)
    return takeVarint(bytes).has_value();
  // Groups (3 and 4) were never part of the format.
  if ((wireType != 1 && wireType != 5) || bytes.size() < size)
    return false;
  bytes = bytes.drop_front(size);
  return true;
}

void Slimmer::noteMapped(llvm::StringRef content, std::string &out) {
  StringStringEntryProto note;
  note.set_key(mappedDataKey);
  note.set_value(std::to_string(content.data() - file.data()) + "," +
                 std::to_string(content.size()));
  std::string text = note.SerializeAsString();
  putDelimited(TensorProto::kExternalDataFieldNumber << 3 | 2, text, out);
}

bool Slimmer::slimDelimited(llvm::StringRef content, Message kind, uint32_t tag,
                            int depth, std::string &out) {
  uint32_t number = tag >> 3;
  if (kind == Message::Tensor && number == TensorProto::kRawDataFieldNumber &&
      content.size() > keptBytes) {
    noteMapped(content, out);
    return true;
  }
  Message child = childOf(kind, number);
  if (child == Message::Other) {
    putDelimited(tag, content, out);
    return true;
  }
  std::string slimmed;
  if (!slim(content, child, depth + 1, slimmed))
    return false;
  putDelimited(tag, slimmed, out);
  return true;
}

bool Slimmer::slim(llvm::StringRef bytes, Message kind, int depth,
                   std::string &out) {
  if (depth > maxNesting) {
    isTooDeep = true;
    return false;
  }
  while (!bytes.empty()) {
    const char *start = bytes.data();
    std::optional<uint64_t> tag = takeVarint(bytes);
    if (!tag || *tag >> 32 || *tag >> 3 == 0)
      return false;
    if ((*tag & 7) != 2) {
      if (!skipScalar(*tag & 7, bytes))
        return false;
      out.append(start, bytes.data() - start);
      continue;
    }
    std::optional<uint64_t> size = takeVarint(bytes);
    if (!size || *size > bytes.size())
      return false;
    if (!slimDelimited(bytes.take_front(*size), kind,
                       static_cast<uint32_t>(*tag), depth, out))
      return false;
    bytes = bytes.drop_front(*size);
  }
  return true;
}

std::optional<std::string> onnxc::importer::parseModel(llvm::StringRef bytes,
                                                       int maxNesting,
                                                       ModelProto &model) {
  if (bytes.empty())
    return "the file is empty";
  if (bytes.starts_with("version https://git-lfs.github.com/spec/"))
    return "it is a pointer of Git LFS, not the model: fetch the model with "
           "'git lfs pull'";
  // Between two graphs lie a node and an attribute.
  int maxMessages = 3 * maxNesting + 8;
  Slimmer slimmer(bytes, maxMessages);
  std::string slimmed;
  if (!slimmer.slim(bytes, Message::Model, 0, slimmed))
    return slimmer.isTooDeep
               ? "its graphs are nested more than " +
                     std::to_string(maxNesting) +
                     " deep; --limit=nesting=N allows more"
               : "it is not an ONNX model, or the file is truncated or damaged";
  // Silences the messages that protobuf prints on errors.
  google::protobuf::LogSilencer silence;
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t *>(slimmed.data()),
      static_cast<int>(slimmed.size()));
  stream.SetRecursionLimit(maxMessages + 64);
  if (slimmed.size() > INT32_MAX)
    return "what it holds beside large tensors exceeds 2 GiB";
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return "it is not an ONNX model, or the file is truncated or damaged";
  return std::nullopt;
}

std::optional<std::pair<uint64_t, uint64_t>>
onnxc::importer::mappedData(const TensorProto &tensor) {
  for (const StringStringEntryProto &entry : tensor.external_data()) {
    if (entry.key() != mappedDataKey)
      continue;
    auto [offset, size] = llvm::StringRef(entry.value()).split(',');
    std::pair<uint64_t, uint64_t> range;
    if (!offset.getAsInteger(10, range.first) &&
        !size.getAsInteger(10, range.second))
      return range;
  }
  return std::nullopt;
}
