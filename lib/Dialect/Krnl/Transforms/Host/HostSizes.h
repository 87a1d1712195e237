//===- HostSizes.h - Facts about host sizes ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_TRANSFORMS_HOSTSIZES_H
#define ONNXC_DIALECT_KRNL_TRANSFORMS_HOSTSIZES_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace onnxc::krnl {

/// A size, or what sizes are computed to: a number, or the size of a dimension.
struct HostSize {
  mlir::OpFoldResult number;
  mlir::Value tensor;
  int64_t dim = 0;

  bool operator==(const HostSize &other) const;
};

/// Where sizes come from. A program may have operations added, but none taken
/// away or changed as long as this remembers what it has found: a branch asks
/// on both ways, and one behind the other that is twice as often each time.
class HostSizes {
public:
  /// The size of a dimension of a tensor of the host. Looks through what only
  /// passes a size on; a cast may claim one that nobody has checked.
  HostSize ofTensor(mlir::Value tensor, int64_t dim);

  /// An index of the host; that of a dimension as such.
  HostSize of(mlir::OpFoldResult number);

  /// Is x >= y, whatever the sizes of the inputs are? Follows sums, products
  /// with constants, and largest of two.
  bool isAtLeast(const HostSize &x, const HostSize &y);

private:
  HostSize find(mlir::Value tensor, int64_t dim);
  std::optional<HostSize> ofBranch(mlir::Value tensor, int64_t dim);

  llvm::DenseMap<std::pair<mlir::Value, int64_t>, HostSize> found;
};

/// Sizes that are known to be equal at some position of the program.
class SizeFacts {
public:
  explicit SizeFacts(HostSizes &sizes) : sizes(sizes) {}

  /// Adds what `condition` implies.
  void add(mlir::Value condition);
  void add(const HostSize &x, const HostSize &y) { equal.push_back({x, y}); }

  bool areEqual(const HostSize &x, const HostSize &y) const;

  /// For what holds in a region only.
  size_t mark() const { return equal.size(); }
  void forgetSince(size_t mark) { equal.truncate(mark); }

private:
  HostSizes &sizes;
  llvm::SmallVector<std::pair<HostSize, HostSize>> equal;
};

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_TRANSFORMS_HOSTSIZES_H
