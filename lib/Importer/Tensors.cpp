//===- Tensors.cpp - Tensors of models as attributes -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Tensors.h"

#include "ExternalData.h"
#include "ModelFile.h"
#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Dialect/ONNX/IR/TensorAttr.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <cstring>

using namespace mlir;
using namespace onnxc::importer;
using ::onnx::SparseTensorProto;
using ::onnx::TensorProto;
using onnxc::onnx::BlobStore;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static FailureOr<RankedTensorType> importTensorType(ImportState &state,
                                                    int32_t dataType,
                                                    ArrayRef<int64_t> dims,
                                                    std::string &why) {
  const onnxc::Limits &limits = state.limits;
  Type element = onnxc::onnx::getElementTypeByNumber(state.context, dataType);
  if (!element) {
    why = "its element type " + std::to_string(dataType) + " does not exist";
    return failure();
  }
  if (static_cast<int64_t>(dims.size()) > limits.rank) {
    why = "its rank " + std::to_string(dims.size()) + " exceeds " +
          std::to_string(limits.rank);
    return failure();
  }
  uint64_t count = 1;
  bool overflows = false;
  for (int64_t size : dims) {
    if (size < 0 || size > limits.dimension) {
      why = "its dimension " + std::to_string(size) + " is out of range";
      return failure();
    }
    bool overflow = false;
    count =
        llvm::SaturatingMultiply(count, static_cast<uint64_t>(size), &overflow);
    overflows |= overflow;
  }
  unsigned width = std::max(onnxc::onnx::getRawBitWidth(element), 8u);
  if (overflows || count > limits.bytes / (width / 8)) {
    why = "it has more elements than any file could hold";
    return failure();
  }
  return RankedTensorType::get(dims, element);
}

//===----------------------------------------------------------------------===//
// Where the bytes are
//===----------------------------------------------------------------------===//

static std::string sizeMismatch(uint64_t found, uint64_t expected,
                                RankedTensorType type) {
  return "it holds " + std::to_string(found) + " bytes, but " +
         onnxc::onnx::getONNXSpelling(type) + " of " +
         std::to_string(type.getNumElements()) + " elements takes " +
         std::to_string(expected);
}

/// The elements of `values`, each cut to `bytesEach`.
template <typename Values>
static std::vector<char> cutElements(const Values &values, unsigned bytesEach) {
  std::vector<char> bytes;
  bytes.reserve(static_cast<size_t>(values.size()) * bytesEach);
  for (auto value : values) {
    const char *start = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), start, start + bytesEach);
  }
  return bytes;
}

/// 6-bit elements, one per number, in the packed form of `raw_data`.
template <typename Values>
static std::vector<char> packSixBits(const Values &values) {
  std::vector<char> bytes(llvm::divideCeil(values.size() * 6, 8), 0);
  uint64_t position = 0;
  for (auto value : values)
    for (unsigned bit = 0; bit < 6; ++bit, ++position)
      if (value >> bit & 1)
        bytes[position / 8] |= static_cast<char>(1u << (position % 8));
  return bytes;
}

/// The bytes of the field for this element type.
static std::vector<char> typedBytes(const TensorProto &proto, unsigned width) {
  switch (proto.data_type()) {
  case TensorProto::FLOAT:
  case TensorProto::COMPLEX64:
    return cutElements(proto.float_data(), 4);
  case TensorProto::DOUBLE:
  case TensorProto::COMPLEX128:
    return cutElements(proto.double_data(), 8);
  case TensorProto::INT64:
    return cutElements(proto.int64_data(), 8);
  case TensorProto::UINT64:
  case TensorProto::UINT32:
    return cutElements(proto.uint64_data(), width / 8);
  default:
    if (width == 6)
      return packSixBits(proto.int32_data());
    // Elements of less than a byte come as one number per full byte.
    return cutElements(proto.int32_data(), std::max(width, 8u) / 8);
  }
}

static FailureOr<TypedAttr> importStrings(const TensorProto &proto,
                                          RankedTensorType type,
                                          std::string &why) {
  if (proto.string_data_size() != type.getNumElements()) {
    why = "it holds " + std::to_string(proto.string_data_size()) +
          " strings, but its shape asks for " +
          std::to_string(type.getNumElements());
    return failure();
  }
  SmallVector<StringRef> strings(proto.string_data().begin(),
                                 proto.string_data().end());
  return cast<TypedAttr>(DenseStringElementsAttr::get(type, strings));
}

/// Bytes of a mapped file, as dense elements if they are few.
static FailureOr<TypedAttr>
importMapped(ImportState &state, std::shared_ptr<llvm::MemoryBuffer> file,
             StringRef name, uint64_t offset, uint64_t size,
             RankedTensorType type, std::string &why) {
  uint64_t expected = *onnxc::onnx::getRawSize(type);
  if (size != expected) {
    why = sizeMismatch(size, expected, type);
    return failure();
  }
  if (offset > file->getBufferSize() || size > file->getBufferSize() - offset) {
    why = "bytes " + std::to_string(offset) + " to " +
          std::to_string(offset + size) + " lie past the end of the file (" +
          std::to_string(file->getBufferSize()) + " bytes)";
    return failure();
  }
  if (size <= onnxc::onnx::maxInlineBytes)
    return onnxc::onnx::makeTensorAttr(
        type, std::vector<char>(file->getBufferStart() + offset,
                                file->getBufferStart() + offset + size));
  Attribute blob =
      BlobStore::get(state.context)
          .addMapped(std::move(file), name, offset, size, type, &why);
  if (!blob)
    return failure();
  return cast<TypedAttr>(blob);
}

/// A number of an external data entry, `otherwise` if there is none.
static FailureOr<uint64_t> externalNumber(const TensorProto &proto,
                                          StringRef key, uint64_t otherwise,
                                          std::string &why) {
  uint64_t number = otherwise;
  for (const auto &entry : proto.external_data())
    if (key == entry.key() &&
        StringRef(entry.value()).getAsInteger(10, number)) {
      why = "the " + key.str() + " of its external data, " +
            quote(entry.value()) + ", is not a number";
      return failure();
    }
  return number;
}

static FailureOr<TypedAttr> importExternal(ImportState &state,
                                           const TensorProto &proto,
                                           RankedTensorType type,
                                           std::string &why) {
  std::string location;
  for (const auto &entry : proto.external_data())
    if (entry.key() == "location")
      location = entry.value();
  if (location.empty()) {
    why = "its external data has no location";
    return failure();
  }
  if (state.baseDirectory.empty()) {
    why = "its data is in " + quote(location) +
          ", but a model in memory has no folder";
    return failure();
  }
  std::string reason;
  llvm::SmallString<128> path(state.baseDirectory);
  llvm::sys::path::append(path, location);
  std::shared_ptr<llvm::MemoryBuffer> &file = state.dataFiles[location];
  if (!file) {
    if (state.options.opensFile)
      state.options.opensFile(path);
    file = mapBeneath(state.baseDirectory, location, reason);
    state.budget.addModelBytes(file ? file->getBufferSize() : 0);
  }
  if (!file) {
    why = "its data cannot be read from " + quote(location) + ": " + reason;
    return failure();
  }
  FailureOr<uint64_t> offset = externalNumber(proto, "offset", 0, why);
  FailureOr<uint64_t> size =
      externalNumber(proto, "length", *onnxc::onnx::getRawSize(type), why);
  if (failed(offset) || failed(size))
    return failure();
  FailureOr<TypedAttr> attr =
      importMapped(state, file, path, *offset, *size, type, why);
  if (failed(attr))
    why = "its data in " + quote(location) + " does not fit: " + why;
  return attr;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

FailureOr<TypedAttr> onnxc::importer::importTensor(ImportState &state,
                                                   const TensorProto &proto,
                                                   std::string &why) {
  SmallVector<int64_t> dims(proto.dims().begin(), proto.dims().end());
  FailureOr<RankedTensorType> type =
      importTensorType(state, proto.data_type(), dims, why);
  if (failed(type))
    return failure();
  if (proto.has_segment()) {
    why = "it is stored in segments, which nothing writes";
    return failure();
  }
  if (proto.data_type() == TensorProto::STRING)
    return importStrings(proto, *type, why);
  if (auto range = mappedData(proto); range && state.modelBytes)
    return importMapped(state, state.modelBytes, state.modelFile, range->first,
                        range->second, *type, why);
  if (proto.data_location() == TensorProto::EXTERNAL)
    return importExternal(state, proto, *type, why);
  std::vector<char> bytes;
  if (proto.has_raw_data())
    bytes.assign(proto.raw_data().begin(), proto.raw_data().end());
  else
    bytes =
        typedBytes(proto, onnxc::onnx::getRawBitWidth(type->getElementType()));
  uint64_t expected = *onnxc::onnx::getRawSize(*type);
  if (bytes.size() != expected) {
    why = sizeMismatch(bytes.size(), expected, *type);
    return failure();
  }
  return onnxc::onnx::makeTensorAttr(*type, std::move(bytes));
}

/// Sizes and strides of the positions that `indices` names in `type`.
static FailureOr<SmallVector<int64_t>> flatPositions(TypedAttr indices,
                                                     RankedTensorType type,
                                                     int64_t count,
                                                     std::string &why) {
  auto indexType = cast<RankedTensorType>(indices.getType());
  bool isFlat = indexType.getRank() == 1;
  int64_t columns = isFlat ? 1 : type.getRank();
  if (!indexType.getElementType().isInteger(64) ||
      indexType.getNumElements() != count * columns ||
      (!isFlat && indexType.getRank() != 2)) {
    why = "its indices do not fit its values";
    return failure();
  }
  SmallVector<char> scratch;
  ArrayRef<char> bytes = onnxc::onnx::constantBytes(indices, scratch);
  SmallVector<int64_t> positions;
  for (int64_t row = 0; row < count; ++row) {
    int64_t position = 0;
    for (int64_t column = 0; column < columns; ++column) {
      int64_t index;
      std::memcpy(&index, bytes.data() + 8 * (row * columns + column), 8);
      int64_t size = isFlat ? type.getNumElements() : type.getDimSize(column);
      if (index < 0 || index >= size) {
        why = "its index " + std::to_string(index) + " is out of range";
        return failure();
      }
      position = position * size + index;
    }
    positions.push_back(position);
  }
  return positions;
}

FailureOr<TypedAttr> onnxc::importer::importSparseTensor(
    ImportState &state, const SparseTensorProto &proto, std::string &why) {
  FailureOr<TypedAttr> values = importTensor(state, proto.values(), why);
  if (failed(values))
    return failure();
  FailureOr<TypedAttr> indices = importTensor(state, proto.indices(), why);
  if (failed(indices))
    return failure();
  SmallVector<int64_t> dims(proto.dims().begin(), proto.dims().end());
  FailureOr<RankedTensorType> type =
      importTensorType(state, proto.values().data_type(), dims, why);
  if (failed(type))
    return failure();
  unsigned width = onnxc::onnx::getRawBitWidth(type->getElementType());
  std::optional<uint64_t> size = onnxc::onnx::getRawSize(*type);
  if (width % 8 != 0 || width == 0 || !size) {
    why = "it is sparse, and of a type that is not supported so";
    return failure();
  }
  // The dense form is held in memory.
  if (*size > state.budget.foldedBytesLeft()) {
    why = "it is sparse, and its dense form of " + std::to_string(*size) +
          " bytes takes more than what is left for constants that the compiler "
          "makes; --limit=folded-bytes=N allows more";
    return failure();
  }
  state.budget.addFoldedBytes(*size);
  auto valueType = cast<RankedTensorType>((*values).getType());
  FailureOr<SmallVector<int64_t>> positions =
      flatPositions(*indices, *type, valueType.getNumElements(), why);
  if (failed(positions))
    return failure();
  SmallVector<char> scratch;
  ArrayRef<char> source = onnxc::onnx::constantBytes(*values, scratch);
  std::vector<char> bytes(*size, 0);
  for (auto [row, position] : llvm::enumerate(*positions))
    std::memcpy(&bytes[position * (width / 8)], &source[row * (width / 8)],
                width / 8);
  return onnxc::onnx::makeTensorAttr(*type, std::move(bytes));
}
