//===- RegionHash.h - Hashes of the contents of regions ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_REGIONHASH_H
#define ONNXC_SUPPORT_REGIONHASH_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/Hashing.h"

namespace onnxc {

/// Hashes all that is in the regions of `op`: equal where the regions are
/// equivalent but for locations, which MLIR's hash of an operation leaves out.
/// A value from outside is itself, one from inside is the number of its
/// definition. Of operations that `mayDiffer` names, the attributes do not
/// count.
llvm::hash_code
hashRegions(mlir::Operation *op,
            llvm::function_ref<bool(mlir::Operation *)> mayDiffer = nullptr);

} // namespace onnxc

#endif // ONNXC_SUPPORT_REGIONHASH_H
