//===- HostSizes.h - Facts about host sizes ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_HOST_HOSTSIZES_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_HOST_HOSTSIZES_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace onnxc::krnl {

/// A size, or a value computed from sizes: a number, or the size of a
/// dimension.
struct HostSize {
  mlir::OpFoldResult number;
  mlir::Value tensor;
  int64_t dim = 0;

  bool operator==(const HostSize &other) const;
};

/// Finds the definitions of sizes, and caches them: while it is used,
/// operations may be added to the program, but none erased or changed. Without
/// the cache, queries of both blocks of consecutive branches would take
/// exponential time.
class HostSizes {
public:
  /// The size of a dimension of a tensor of the host. Looks through ops that
  /// preserve a size; that of a cast may be unchecked.
  HostSize ofTensor(mlir::Value tensor, int64_t dim);

  /// An index of the host; that of a dimension as such.
  HostSize of(mlir::OpFoldResult number);

  /// Returns true if x >= y is known for all sizes of the inputs. Follows sums,
  /// products with constants, and maximums of two.
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

  /// Adds the equalities that `condition` implies.
  void add(mlir::Value condition);
  void add(const HostSize &x, const HostSize &y) { equal.push_back({x, y}); }

  bool areEqual(const HostSize &x, const HostSize &y) const;

  /// For facts that hold in a region only.
  size_t mark() const { return equal.size(); }
  void forgetSince(size_t mark) { equal.truncate(mark); }

private:
  HostSizes &sizes;
  llvm::SmallVector<std::pair<HostSize, HostSize>> equal;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_HOST_HOSTSIZES_H
