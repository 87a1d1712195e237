//===- DimPolynomial.h - Normal form of dimension expressions --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_DIMS_DIMPOLYNOMIAL_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_DIMS_DIMPOLYNOMIAL_H

#include "mlir/IR/AffineExpr.h"

#include <map>
#include <optional>
#include <vector>

namespace onnxc::onnx {

/// A sum of products of atoms with integer coefficients. An atom is a symbol
/// or a floor division by a constant; a product is sorted, with repetitions.
class DimPolynomial {
public:
  struct AtomLess {
    bool operator()(mlir::AffineExpr a, mlir::AffineExpr b) const;
  };
  using Product = std::vector<mlir::AffineExpr>;
  struct ProductLess {
    bool operator()(const Product &a, const Product &b) const;
  };
  using Terms = std::map<Product, int64_t, ProductLess>;

  /// The polynomial of an expression of symbols, constants, +, *, floordiv,
  /// ceildiv and mod by constants; nothing on overflow.
  static std::optional<DimPolynomial> get(mlir::AffineExpr expr);

  bool add(const DimPolynomial &other, int64_t scale);
  std::optional<DimPolynomial> times(const DimPolynomial &other) const;
  /// Division by a positive constant: divisible terms move out of it.
  std::optional<DimPolynomial> floorDiv(int64_t divisor,
                                        mlir::MLIRContext *context) const;
  /// The quotient if every term is a multiple of the one term of `other`.
  std::optional<DimPolynomial> exactDiv(const DimPolynomial &other) const;

  mlir::AffineExpr toExpr(mlir::MLIRContext *context) const;
  const Terms &getTerms() const { return terms; }

private:
  /// (x floordiv a + c) floordiv b -> (x + c * a) floordiv (a * b), where this
  /// is the dividend and `inner` its division.
  std::optional<DimPolynomial>
  flattenDivision(mlir::AffineBinaryOpExpr inner, int64_t divisor,
                  mlir::MLIRContext *context) const;
  bool addTerm(const Product &product, int64_t coefficient);

  Terms terms;
};

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_DIMS_DIMPOLYNOMIAL_H
