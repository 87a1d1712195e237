//===- ValueRanges.h - Values that need less than 64 bits ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_CHECK_VALUERANGES_H
#define ONNXC_LIB_CHECK_VALUERANGES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

#include <map>
#include <optional>
#include <string>

namespace onnxc {

/// The results of a node that have elements of 64 bits.
struct WideResults {
  /// The range of the integers, signed; no value where it is not known.
  std::optional<mlir::ConstantIntRanges> range;
  /// All integers have a known range, and all floats are computed from values
  /// of 32 bits alone.
  bool isKnown = true;
  bool hasFloats = false, hasIntegers = false;
  /// An operator of the node has 64 bits where its schema allows other types:
  /// the results of ArgMax are int64 in every model.
  bool isChosen = false;
};

/// Finds the results with elements of 64 bits in a module of the phase onnx, by
/// the names of nodes. The arguments of bodies of Loop and Scan are not known.
std::map<std::string, WideResults> findWideResults(mlir::ModuleOp module);

} // namespace onnxc

#endif // ONNXC_LIB_CHECK_VALUERANGES_H
