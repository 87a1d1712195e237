//===- SizeFormula.h - Sizes as sums of products ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// For people to read: how many bytes an arena takes, by the names of the
// model's dimensions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_SIZEFORMULA_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_SIZEFORMULA_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace onnxc::krnl {

/// A sum of products of names, which are never negative, with coefficients.
class SizeFormula {
public:
  SizeFormula() = default;
  SizeFormula(int64_t constant);
  /// Long names become dots.
  static SizeFormula named(llvm::StringRef name);

  SizeFormula plus(const SizeFormula &other, int64_t scale = 1) const;
  /// A product of too many terms becomes a name of its own.
  SizeFormula times(const SizeFormula &other) const;
  /// The quotient; nothing if `other` is no number that divides every
  /// coefficient.
  std::optional<SizeFormula> dividedBy(const SizeFormula &other) const;
  /// A formula that is at least as large as both: it has the larger coefficient
  /// of each product.
  SizeFormula atLeast(const SizeFormula &other) const;

  /// 64 + 4096*batch*seq
  std::string text() const;
  /// Returns false if names were too long for a reader to distinguish.
  bool isReadable() const;

private:
  std::map<std::vector<std::string>, int64_t> terms;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_MEMORY_SIZEFORMULA_H
