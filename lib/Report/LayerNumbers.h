//===- LayerNumbers.h - The numbers of nodes in a report --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_REPORT_LAYERNUMBERS_H
#define ONNXC_LIB_REPORT_LAYERNUMBERS_H

#include "onnxc/Report/Report.h"
#include "onnxc/Support/NodeLocations.h"
#include "llvm/ADT/StringMap.h"

namespace onnxc {

/// Numbers of nodes by name and operator.
class LayerNumbers {
public:
  explicit LayerNumbers(llvm::ArrayRef<Layer> layers) {
    for (auto [number, layer] : llvm::enumerate(layers))
      numbers.try_emplace(keyOf(layer.name, layer.op), number);
  }

  /// The nodes of a location that are in the model.
  llvm::SmallVector<size_t> of(mlir::Location loc) const {
    llvm::SmallVector<size_t> found;
    for (const NodeName &node : nodesOf(loc))
      if (auto at = numbers.find(keyOf(node.name, node.op));
          at != numbers.end())
        found.push_back(at->second);
    return found;
  }

private:
  static std::string keyOf(llvm::StringRef name, llvm::StringRef op) {
    return (op + "\n" + name).str();
  }

  llvm::StringMap<size_t> numbers;
};

} // namespace onnxc

#endif // ONNXC_LIB_REPORT_LAYERNUMBERS_H
