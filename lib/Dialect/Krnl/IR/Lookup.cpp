//===- Lookup.cpp - How a target looks bytes up in a table ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/Lookup.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

int64_t LookupForm::operations(int64_t bytes) const {
  // The instruction for each part of the table, and for each but the first one
  // that finds its bytes and one that joins its results to those before.
  return (3 * (tableBytes / partBytes) - 2) *
         int64_t(llvm::divideCeil(bytes, lanes));
}

std::optional<LookupForm> lookupFormOf(TargetAttr target, int64_t lanes) {
  if (StringRef name = target.getInstruction("table", 64); !name.empty())
    return LookupForm{128, 64, name};
  std::optional<LookupForm> widest;
  for (int64_t size : {16, 32, 64}) {
    StringRef name = target.getInstruction("shuffle", size);
    if (name.empty())
      continue;
    widest = LookupForm{16, size, name};
    if (size >= lanes)
      break;
  }
  return widest;
}

LogicalResult LookupOp::verify() {
  int64_t size = getTable().size();
  if (size != tableBytes)
    return emitOpError("expects a table of ")
           << tableBytes << " bytes, but got " << size;
  return success();
}

} // namespace onnxc::krnl
