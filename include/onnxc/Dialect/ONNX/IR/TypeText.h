//===- TypeText.h - Types in messages for users ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_TYPETEXT_H
#define ONNXC_DIALECT_ONNX_IR_TYPETEXT_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir {
class Diagnostic;
} // namespace mlir

namespace onnxc::onnx {

/// The type as users read it, and the tools of the runtime print it:
/// "f32[1, 3, ?]", "bool[...]" of any rank, "seq(string[?])". Types that no
/// model has are as MLIR prints them.
std::string typeText(mlir::Type type);

/// The text of a tensor type whose sizes are written in `dims`, "[batch, 3]".
std::string typeText(mlir::Type type, llvm::StringRef dims);

/// The reason to refuse a tensor of the type: its bytes are above
/// maxTensorBytes.
std::string tooLargeText(mlir::RankedTensorType type);

/// The message without its location and notes, types as above.
std::string messageText(mlir::Diagnostic &diagnostic);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_TYPETEXT_H
