//===- TensorProtoFile.cpp - .pb files of ONNX test data --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads the wire format of TensorProto itself: eleven fields are no reason to
// link the onnx library.
//
//===----------------------------------------------------------------------===//

#include "ProtoWire.h"
#include "onnxc/Values/Tensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

namespace {

/// The fields of a TensorProto, before its elements are assembled.
struct Proto {
  OM_DATA_TYPE type = ONNX_TYPE_UNDEFINED;
  std::vector<int64_t> dims;
  std::vector<uint64_t> numbers; ///< of the typed fields; floats as bits
  unsigned numberBytes = 0;      ///< 4 for float_data, 8 for double_data
  std::deque<std::string> strings;
  StringRef raw;
  bool hasRaw = false;
  bool external = false;
  std::string name;
};

} // namespace

/// Numbers are those of TensorProto in onnx.proto.
static bool takeField(const Field &field, Proto &proto) {
  std::vector<uint64_t> dims;
  switch (field.number) {
  case 1:
    if (!readNumbers(field, 0, dims))
      return false;
    for (uint64_t dim : dims)
      proto.dims.push_back(int64_t(dim));
    return true;
  case 2:
    // A number that no type has must not become a value of the enumeration.
    if (typeName(int64_t(field.value)) != "unknown")
      proto.type = OM_DATA_TYPE(field.value);
    return true;
  case 4:
    proto.numberBytes = 4;
    return readNumbers(field, 4, proto.numbers);
  case 5:
  case 7:
  case 11:
    return readNumbers(field, 0, proto.numbers);
  case 6:
    proto.strings.push_back(field.bytes.str());
    return true;
  case 8:
    proto.name = field.bytes.str();
    return true;
  case 9:
    proto.raw = field.bytes;
    proto.hasRaw = true;
    return true;
  case 10:
    proto.numberBytes = 8;
    return readNumbers(field, 8, proto.numbers);
  case 14:
    proto.external = field.value == 1;
    return true;
  default:
    return true; // other fields, such as documentation
  }
}

/// Bits of an element in raw_data.
static unsigned packedBits(OM_DATA_TYPE type) {
  switch (type) {
  case ONNX_TYPE_INT4:
  case ONNX_TYPE_UINT4:
  case ONNX_TYPE_FLOAT4E2M1:
    return 4;
  case ONNX_TYPE_INT2:
  case ONNX_TYPE_UINT2:
    return 2;
  case ONNX_TYPE_FLOAT6E2M3:
  case ONNX_TYPE_FLOAT6E3M2:
    return 6;
  default:
    return unsigned(elementBytes(type)) * 8;
  }
}

/// Elements of less than a byte, lowest bits first, to a byte each.
static void unpack(StringRef packed, unsigned bits, Tensor &tensor) {
  bool isSigned =
      tensor.type == ONNX_TYPE_INT4 || tensor.type == ONNX_TYPE_INT2;
  for (size_t i = 0; i < tensor.bytes.size(); ++i) {
    size_t byte = i * bits / 8;
    unsigned window = uint8_t(packed[byte]);
    if (byte + 1 < packed.size())
      window |= unsigned(uint8_t(packed[byte + 1])) << 8;
    unsigned value = window >> (i * bits % 8) & ((1u << bits) - 1);
    if (isSigned && value >> (bits - 1))
      value |= 0xffu << bits;
    tensor.bytes[i] = char(value);
  }
}

/// The bytes that raw_data would have held.
static std::string rawOfNumbers(const Proto &proto, OM_DATA_TYPE type) {
  unsigned width = proto.numberBytes
                       ? proto.numberBytes
                       : std::clamp<unsigned>(packedBits(type) / 8, 1, 8);
  std::string raw;
  for (uint64_t number : proto.numbers)
    raw.append(reinterpret_cast<const char *>(&number), width);
  return raw;
}

Expected<Tensor> run::readTensorProto(StringRef path, StringRef content) {
  Proto proto;
  for (StringRef rest = content; !rest.empty();) {
    Field field;
    if (!readField(rest, field) || !takeField(field, proto))
      return failure("%s is not a TensorProto", path.str().c_str());
  }
  Tensor tensor;
  tensor.type = proto.type;
  tensor.shape = proto.dims;
  tensor.name = proto.name;
  if (proto.type == ONNX_TYPE_UNDEFINED || proto.external ||
      typeName(proto.type) == "unknown")
    return failure("%s: %s", path.str().c_str(),
                   proto.external ? "external data is not supported here"
                                  : "no TensorProto of a known type");
  if (proto.type == ONNX_TYPE_STRING) {
    if (!tensor.allocate(int64_t(proto.strings.size())) ||
        proto.strings.size() != tensor.strings.size())
      return failure("%s: wrong number of strings", path.str().c_str());
    tensor.strings = std::move(proto.strings);
    return tensor;
  }
  std::string made;
  StringRef raw = proto.raw;
  unsigned bits = packedBits(tensor.type);
  if (!proto.hasRaw) {
    raw = made = rawOfNumbers(proto, proto.type);
    bits = bits == 6 ? 8 : bits; // these have a number each
  }
  if (!tensor.allocate(int64_t(raw.size() * 8 / bits)))
    return failure("%s: fewer elements than the shape needs",
                   path.str().c_str());
  if (packedBits(tensor.type) < 8)
    unpack(raw, bits, tensor);
  else
    llvm::copy(raw.take_front(tensor.bytes.size()), tensor.bytes.begin());
  return tensor;
}

//===----------------------------------------------------------------------===//
// Any file
//===----------------------------------------------------------------------===//

/// Raw bytes: type from the model; one unknown dimension from the size.
static Expected<Tensor> readRaw(StringRef path, StringRef content,
                                const OMArgument *expected) {
  if (!expected || expected->rank < 0 || elementBytes(expected->type) == 0)
    return failure("%s: raw bytes need an input of known type and rank",
                   path.str().c_str());
  Tensor tensor;
  tensor.type = OM_DATA_TYPE(expected->type);
  tensor.shape.assign(expected->shape, expected->shape + expected->rank);
  int64_t known = elementBytes(expected->type);
  int64_t *unknown = nullptr;
  for (int64_t &dim : tensor.shape) {
    if (dim >= 0) {
      known *= dim;
      continue;
    }
    if (unknown)
      return failure("%s: raw bytes do not determine two unknown dimensions",
                     path.str().c_str());
    unknown = &dim;
  }
  if (unknown)
    *unknown = known > 0 ? int64_t(content.size()) / known : 0;
  if (!tensor.allocate(int64_t(content.size())) ||
      tensor.bytes.size() != content.size())
    return failure("%s has %zu bytes, which do not fit %s", path.str().c_str(),
                   content.size(),
                   typeText(expected->type,
                            ArrayRef(expected->shape, size_t(expected->rank)),
                            expected->symbols)
                       .c_str());
  llvm::copy(content, tensor.bytes.begin());
  return tensor;
}

Expected<Tensor> run::readTensor(StringRef path, const OMArgument *expected) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!file)
    return failure("cannot read %s: %s", path.str().c_str(),
                   file.getError().message().c_str());
  StringRef content = (*file)->getBuffer();
  if (path.ends_with(".npy"))
    return readNumpy(path, content, expected);
  if (path.ends_with(".pb"))
    return readTensorProto(path, content);
  return readRaw(path, content, expected);
}
