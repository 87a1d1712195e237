//===- DataTypes.h - Element types by ONNX's numbers -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_DATATYPES_H
#define ONNXC_SUPPORT_DATATYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace onnxc {

/// TensorProto.DataType of an integer type: signless means signed, and one bit
/// is bool.
inline int64_t integerTypeNumber(mlir::IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return 9;
  case 2:
    return isUnsigned ? 25 : 26;
  case 4:
    return isUnsigned ? 21 : 22;
  case 8:
    return isUnsigned ? 2 : 3;
  case 16:
    return isUnsigned ? 4 : 5;
  case 32:
    return isUnsigned ? 12 : 6;
  case 64:
    return isUnsigned ? 13 : 7;
  default:
    return 0;
  }
}

/// TensorProto.DataType of an element type, 0 if it has none. Strings, which
/// each dialect spells its own way, are the caller's business.
inline int64_t dataTypeNumber(mlir::Type type) {
  using namespace mlir;
  return llvm::TypeSwitch<Type, int64_t>(type)
      .Case([](IntegerType t) { return integerTypeNumber(t); })
      .Case([](IndexType) { return 7; })
      .Case([](Float32Type) { return 1; })
      .Case([](Float16Type) { return 10; })
      .Case([](Float64Type) { return 11; })
      .Case([](BFloat16Type) { return 16; })
      .Case([](ComplexType t) { return t.getElementType().isF32() ? 14 : 15; })
      .Case([](Float8E4M3FNType) { return 17; })
      .Case([](Float8E4M3FNUZType) { return 18; })
      .Case([](Float8E5M2Type) { return 19; })
      .Case([](Float8E5M2FNUZType) { return 20; })
      .Case([](Float4E2M1FNType) { return 23; })
      .Case([](Float8E8M0FNUType) { return 24; })
      .Case([](Float6E2M3FNType) { return 27; })
      .Case([](Float6E3M2FNType) { return 28; })
      .Default([](Type) { return 0; });
}

/// Bytes of one element in memory: narrow types take a whole byte, strings,
/// objects and index a pointer or word.
inline int64_t elementBytes(mlir::Type type) {
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type))
    return 2 * elementBytes(complex.getElementType());
  if (type.isIntOrFloat())
    return (type.getIntOrFloatBitWidth() + 7) / 8;
  return 8;
}

} // namespace onnxc

#endif // ONNXC_SUPPORT_DATATYPES_H
