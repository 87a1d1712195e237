//===- DimSpace.h - Canonical expressions over dimensions ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Sizes are AffineExprs over symbols, which stand for the dimensions of graph
// inputs and of results whose size depends on data. Every expression made here
// is in one normal form, a polynomial over atoms (a symbol, or a floor division
// that does not simplify), so that two expressions known to be equal are the
// same AffineExpr:
//
//   2 * (h + 1) - 2                 -> h * 2
//   (h * 4 + 6) floordiv 2          -> h * 2 + 3
//   ((h - 1) floordiv 2) floordiv 2 -> (h - 1) floordiv 4
//
// Sizes that are no polynomial (a maximum, a broadcast of two unknown sizes)
// is a symbol defined by its arguments; equal definitions are one symbol.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_TRANSFORMS_DIMSPACE_H
#define ONNXC_DIALECT_ONNX_TRANSFORMS_DIMSPACE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>

namespace onnxc::onnx {

/// The meaning of a symbol of a DimSpace.
struct DimSymbol {
  enum class Kind {
    Input,     ///< A named dimension of graph inputs; equal names, equal sizes.
    Result,    ///< Dimension `dim` of `value`, known only when it exists.
    Element,   ///< Element `dim` of the integer tensor `value`.
    Max,       ///< The larger of two arguments.
    Min,       ///< The smaller of two arguments.
    Broadcast, ///< args[0] == 1 ? args[1] : args[0].
    FloorDiv   ///< args[0] floordiv args[1], the divisor not constant.
  };
  Kind kind;
  std::string name;
  mlir::Value value;
  unsigned dim = 0;
  llvm::SmallVector<mlir::AffineExpr, 2> args;
  /// The symbols and constants that its definition is written with.
  unsigned size = 1;
};

class DimPolynomial;

/// The symbols of one analysis and the algebra over them. A null expression
/// means "unknown" and makes every result that uses it unknown, as does an
/// overflow, or more than `maxSize` symbols and constants: an analysis of sums
/// over all of a model takes the square of its length, and where definitions
/// are used twice each level doubles the text.
class DimSpace {
public:
  static constexpr unsigned maxSize = 128;

  explicit DimSpace(mlir::MLIRContext *context) : context(context) {}

  mlir::AffineExpr constant(int64_t value) const;
  /// The symbol for the input dimension called `name`, first seen at
  /// dimension `dim` of `value`.
  mlir::AffineExpr input(llvm::StringRef name, mlir::Value value, unsigned dim);
  /// The symbol of a dynamic size. The same value and dimension always give the
  /// same symbol.
  mlir::AffineExpr result(mlir::Value value, unsigned dim);
  /// The symbol of an element of an integer tensor. The same value and index
  /// always give the same symbol.
  mlir::AffineExpr element(mlir::Value value, unsigned index);

  mlir::AffineExpr add(mlir::AffineExpr a, mlir::AffineExpr b);
  mlir::AffineExpr sub(mlir::AffineExpr a, mlir::AffineExpr b);
  mlir::AffineExpr mul(mlir::AffineExpr a, mlir::AffineExpr b);
  /// Rounds towards minus infinity. Unknown if `b` is the constant zero.
  mlir::AffineExpr floorDiv(mlir::AffineExpr a, mlir::AffineExpr b);
  mlir::AffineExpr ceilDiv(mlir::AffineExpr a, int64_t b);
  mlir::AffineExpr max(mlir::AffineExpr a, mlir::AffineExpr b);
  mlir::AffineExpr min(mlir::AffineExpr a, mlir::AffineExpr b);
  /// The size that two dimensions broadcast to.
  mlir::AffineExpr broadcast(mlir::AffineExpr a, mlir::AffineExpr b);
  /// a / b where the model promises that nothing remains (Reshape's -1).
  mlir::AffineExpr exactDiv(mlir::AffineExpr a, mlir::AffineExpr b);

  /// Notes that a tensor of each run has this size: a run in which it is
  /// negative fails.
  void noteSize(mlir::AffineExpr size) { sizes.insert(size); }

  /// Returns true only if no value of the symbols makes `expr` negative in a
  /// run that does not fail. Sizes are never negative; elements of tensors may
  /// be.
  bool isNonNegative(mlir::AffineExpr expr) const;

  /// "(h - 1) floordiv 2 + 1". Equal texts are equal expressions.
  std::string text(mlir::AffineExpr expr);
  /// The expression whose text() this is; null if there was none.
  mlir::AffineExpr fromText(llvm::StringRef text) const;

  const DimSymbol &symbol(unsigned position) const { return symbols[position]; }
  unsigned numSymbols() const { return symbols.size(); }

private:
  mlir::AffineExpr addSymbol(DimSymbol symbol);
  mlir::AffineExpr defined(DimSymbol::Kind kind, llvm::StringRef name,
                           mlir::AffineExpr a, mlir::AffineExpr b);
  bool isCutBelow(mlir::AffineExpr expr, mlir::AffineExpr whole) const;
  std::string uniqueName(llvm::StringRef base);
  std::string print(mlir::AffineExpr expr, int precedence) const;
  /// The symbols and constants that `expr` is written with.
  unsigned sizeOf(mlir::AffineExpr expr) const;
  /// Null if there is none, or its size is above maxSize.
  mlir::AffineExpr toExpr(const std::optional<DimPolynomial> &polynomial) const;

  mlir::MLIRContext *context;
  llvm::SmallVector<DimSymbol> symbols;
  llvm::StringMap<unsigned> byName;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> byResult;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> byElement;
  llvm::StringMap<mlir::AffineExpr> byText;
  llvm::DenseSet<mlir::AffineExpr> sizes;
};

/// The number that `expr` is, if it is one.
std::optional<int64_t> constantValue(mlir::AffineExpr expr);

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_TRANSFORMS_DIMSPACE_H
