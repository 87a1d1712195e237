//===- ExchangeWords.h - Registers of the threads of a warp -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_EXCHANGEWORDS_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_EXCHANGEWORDS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace onnxc::krnl {

/// The word of 32 bits of the thread whose number differs in the bits of
/// `distance`. All threads of a warp have to get there.
mlir::Value exchangeWord(mlir::ImplicitLocOpBuilder &b, mlir::Value word,
                         int64_t distance);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_DEVICE_EXCHANGEWORDS_H
