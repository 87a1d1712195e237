//===- ONNXTypes.cpp - Types of the onnx dialect ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace onnxc::onnx;

#define GET_TYPEDEF_CLASSES
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.cpp.inc"

void ONNXDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
/// A row for each element type that ONNX has.
struct ElementType {
  unsigned number;
  StringLiteral spelling;
  unsigned rawBits;
  Type (*get)(MLIRContext *);
};
} // namespace

template <unsigned width, IntegerType::SignednessSemantics signedness>
static Type getInteger(MLIRContext *context) {
  return IntegerType::get(context, width, signedness);
}

template <typename FloatTy>
static Type getFloat(MLIRContext *context) {
  return FloatTy::get(context);
}

template <typename FloatTy>
static Type getComplex(MLIRContext *context) {
  return ComplexType::get(FloatTy::get(context));
}

static constexpr auto Signless = IntegerType::Signless;
static constexpr auto Unsigned = IntegerType::Unsigned;

static constexpr ElementType elementTypes[] = {
    {1, "float", 32, getFloat<Float32Type>},
    {2, "uint8", 8, getInteger<8, Unsigned>},
    {3, "int8", 8, getInteger<8, Signless>},
    {4, "uint16", 16, getInteger<16, Unsigned>},
    {5, "int16", 16, getInteger<16, Signless>},
    {6, "int32", 32, getInteger<32, Signless>},
    {7, "int64", 64, getInteger<64, Signless>},
    {8, "string", 0, getFloat<onnxc::onnx::StringType>},
    {9, "bool", 8, getInteger<1, Signless>},
    {10, "float16", 16, getFloat<Float16Type>},
    {11, "double", 64, getFloat<Float64Type>},
    {12, "uint32", 32, getInteger<32, Unsigned>},
    {13, "uint64", 64, getInteger<64, Unsigned>},
    {14, "complex64", 64, getComplex<Float32Type>},
    {15, "complex128", 128, getComplex<Float64Type>},
    {16, "bfloat16", 16, getFloat<BFloat16Type>},
    {17, "float8e4m3fn", 8, getFloat<Float8E4M3FNType>},
    {18, "float8e4m3fnuz", 8, getFloat<Float8E4M3FNUZType>},
    {19, "float8e5m2", 8, getFloat<Float8E5M2Type>},
    {20, "float8e5m2fnuz", 8, getFloat<Float8E5M2FNUZType>},
    {21, "uint4", 4, getInteger<4, Unsigned>},
    {22, "int4", 4, getInteger<4, Signless>},
    {23, "float4e2m1", 4, getFloat<Float4E2M1FNType>},
    {24, "float8e8m0", 8, getFloat<Float8E8M0FNUType>},
    {25, "uint2", 2, getInteger<2, Unsigned>},
    {26, "int2", 2, getInteger<2, Signless>},
    {27, "float6e2m3", 6, getFloat<Float6E2M3FNType>},
    {28, "float6e3m2", 6, getFloat<Float6E3M2FNType>},
};

unsigned onnxc::onnx::getElementTypeNumber(Type type) {
  for (const ElementType &row : elementTypes)
    // The type of strings is had only where its dialect is loaded.
    if (row.rawBits == 0 ? isa<onnxc::onnx::StringType>(type)
                         : row.get(type.getContext()) == type)
      return row.number;
  return 0;
}

Type onnxc::onnx::getElementTypeByNumber(MLIRContext *context, int64_t number) {
  if (number < 1 || number > static_cast<int64_t>(std::size(elementTypes)))
    return Type();
  const ElementType &row = elementTypes[number - 1];
  assert(row.number == number && "the table is sorted without gaps");
  return row.get(context);
}

unsigned onnxc::onnx::getRawBitWidth(Type elementType) {
  unsigned number = getElementTypeNumber(elementType);
  return number == 0 ? 0 : elementTypes[number - 1].rawBits;
}

std::optional<uint64_t> onnxc::onnx::getRawSize(ShapedType type) {
  unsigned bits = getRawBitWidth(type.getElementType());
  if (bits == 0 || !type.hasStaticShape())
    return std::nullopt;
  bool overflow = false;
  uint64_t total = bits;
  for (int64_t size : type.getShape()) {
    if (size == 0)
      return 0;
    bool thisOverflow = false;
    total = llvm::SaturatingMultiply(total, static_cast<uint64_t>(size),
                                     &thisOverflow);
    overflow |= thisOverflow;
  }
  if (overflow)
    return std::nullopt;
  return llvm::divideCeil(total, 8);
}

//===----------------------------------------------------------------------===//
// Value types
//===----------------------------------------------------------------------===//

bool onnxc::onnx::isValueType(Type type) {
  return llvm::TypeSwitch<Type, bool>(type)
      .Case([](TensorType t) {
        return getElementTypeNumber(t.getElementType()) != 0;
      })
      .Case<SeqType, OptType, MapType, SparseType, NoneType>(
          [](Type) { return true; })
      .Default(false);
}

bool onnxc::onnx::mayBeSameUpToShape(Type a, Type b) {
  if (isa<NoneType>(a) || isa<NoneType>(b))
    return true;
  if (auto tensorA = dyn_cast<TensorType>(a)) {
    auto tensorB = dyn_cast<TensorType>(b);
    return tensorB && tensorA.getElementType() == tensorB.getElementType();
  }
  if (a.getTypeID() != b.getTypeID())
    return false;
  if (auto seq = dyn_cast<SeqType>(a))
    return mayBeSameUpToShape(seq.getElementType(),
                              cast<SeqType>(b).getElementType());
  if (auto opt = dyn_cast<OptType>(a))
    return mayBeSameUpToShape(opt.getElementType(),
                              cast<OptType>(b).getElementType());
  if (auto map = dyn_cast<MapType>(a))
    return map.getKeyType() == cast<MapType>(b).getKeyType() &&
           mayBeSameUpToShape(map.getValueType(),
                              cast<MapType>(b).getValueType());
  return a == b;
}

std::string onnxc::onnx::getONNXSpelling(Type type) {
  auto element = [](Type t) -> std::string {
    unsigned number = getElementTypeNumber(t);
    return number == 0 ? "?" : elementTypes[number - 1].spelling.str();
  };
  return llvm::TypeSwitch<Type, std::string>(type)
      .Case([&](TensorType t) {
        return "tensor(" + element(t.getElementType()) + ")";
      })
      .Case([&](SeqType t) {
        return "seq(" + getONNXSpelling(t.getElementType()) + ")";
      })
      .Case([&](OptType t) {
        return "optional(" + getONNXSpelling(t.getElementType()) + ")";
      })
      .Case([&](MapType t) {
        return "map(" + element(t.getKeyType()) + "," +
               getONNXSpelling(t.getValueType()) + ")";
      })
      .Case([&](SparseType t) {
        return "sparse_" + getONNXSpelling(t.getTensorType());
      })
      .Default([](Type) { return std::string("unknown"); });
}

static LogicalResult verifyElement(function_ref<InFlightDiagnostic()> emitError,
                                   Type element) {
  if (isValueType(element))
    return success();
  return emitError() << "expects a tensor of an ONNX element type or a "
                        "container of such, but got "
                     << element;
}

LogicalResult SeqType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type elementType) {
  return verifyElement(emitError, elementType);
}

LogicalResult OptType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type elementType) {
  return verifyElement(emitError, elementType);
}

LogicalResult MapType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type keyType, Type valueType) {
  auto integer = dyn_cast<IntegerType>(keyType);
  bool isKey = isa<onnxc::onnx::StringType>(keyType) ||
               (integer && integer.getWidth() >= 8 &&
                getElementTypeNumber(integer) != 0);
  if (!isKey)
    return emitError() << "expects a key that is an integer or !onnx.string, "
                          "but got "
                       << keyType;
  return verifyElement(emitError, valueType);
}
