//===- ModelFacts.h - Facts of a compiled model for its author -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_CHECK_MODELFACTS_H
#define ONNXC_LIB_CHECK_MODELFACTS_H

#include "ValueRanges.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace onnxc {

/// Sizes that are not known are compared with such ones.
inline constexpr int64_t assumedSize = 64;

/// One fact about a node of the model.
struct Fact {
  std::string kind, node, reason, hint;
  /// The share of the estimated work of the model, 0 to 1.
  double share = 0;
};

/// The dynamic sizes of inputs.
struct DynamicSizes {
  /// The inputs that have a dimension, by its name.
  std::map<std::string, std::vector<std::string>> names;
  /// The shape of an input with dimensions that have no name, by the name of
  /// the input: with dynamic sizes as the assumed one, and as --shape has it,
  /// 1x3xSIZE.
  std::map<std::string, std::pair<std::vector<int64_t>, std::string>> shapes;
};

/// Finds the dynamic sizes in the module of the model as it was imported.
DynamicSizes findDynamicSizes(mlir::ModuleOp module);
/// Nodes whose results have data-dependent sizes, of a module of
/// the phase onnx.
std::vector<Fact> findDataDependentSizes(mlir::ModuleOp module);

/// Finds nodes that run without vectors or as functions of the runtime, in a
/// target's module of the phase krnl; the latter stay on the host of a device.
std::vector<Fact> findSlowNodes(mlir::ModuleOp module);
/// Finds the branches and loops of a device's host program that are nodes for
/// which `isControlFlow` returns true, in a module of the phase krnl; nothing
/// without a device.
std::vector<Fact>
findHostControlFlow(mlir::ModuleOp module,
                    llvm::function_ref<bool(llvm::StringRef)> isControlFlow);
/// Finds nodes that compute with elements of 64 bits, in a target's module of
/// the phase krnl. Nodes whose results are known to need 64 bits are left out.
std::vector<Fact>
findWideTypes(mlir::ModuleOp module,
              const std::map<std::string, WideResults> &results);

/// Kernels of a module, but for those on ways that are hardly ever taken.
struct KernelCount {
  size_t all = 0;
  /// The number of kernels with a loop of dynamic extent.
  size_t dynamic = 0;
};
KernelCount countKernels(mlir::ModuleOp module);

} // namespace onnxc

#endif // ONNXC_LIB_CHECK_MODELFACTS_H
