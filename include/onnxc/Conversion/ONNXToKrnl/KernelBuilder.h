//===- KernelBuilder.h - Builds one krnl.kernel -----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Every ONNX operator that is generated code becomes one or more kernels, and
// this is the one code that knows how a kernel is put together: loops by
// name, operands outside and their images inside, `krnl.compute` ops over these
// loops, and the yield.
//
//   KernelBuilder k(rewriter, loc, "add");
//   AffineExpr i = k.loop("i", 4), j = k.loop("j", ShapedType::kDynamic);
//   Value a = k.input(lhs), b = k.input(rhs), o = k.output(type, sizes);
//   Value sum = k.generic({{a, {i, j}}, {b, {i, k.zero()}}}, {o, {i, j}}, {},
//                         [](OpBuilder &b, Location l, ValueRange args) {
//                           return arith::AddFOp::create(b, l, args[0],
//                                                        args[1]).getResult();
//                         });
//   rewriter.replaceOp(op, k.finish({sum}));
//===----------------------------------------------------------------------===//

#ifndef ONNXC_CONVERSION_ONNXTOKRNL_KERNELBUILDER_H
#define ONNXC_CONVERSION_ONNXTOKRNL_KERNELBUILDER_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace onnxc::krnl {

class KernelBuilder {
public:
  /// A tensor and, for each of its dimensions, where it is read or written as
  /// an affine expression over the loops of this kernel.
  struct Access {
    mlir::Value tensor;
    llvm::SmallVector<mlir::AffineExpr> at;
  };
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;
  using MultiBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

  /// The kernel is inserted at `host`'s insertion point by finish().
  KernelBuilder(mlir::OpBuilder &host, mlir::Location loc,
                llvm::StringRef name);
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder &) = delete;
  KernelBuilder &operator=(const KernelBuilder &) = delete;

  /// Declares a loop; `extent` is ShapedType::kDynamic when only known at run
  /// time: it is then the size of the first operand dimension that is accessed
  /// by just this loop, and may have a limit, see LoopAttr. The expression
  /// stands for the loop in accesses.
  mlir::AffineExpr loop(llvm::StringRef name, int64_t extent,
                        int64_t limit = 0);
  /// Declares a loop whose extent is a host index value.
  mlir::AffineExpr loop(llvm::StringRef name, mlir::Value extent);
  /// One loop per dimension of `type`, named d0, d1, ...
  llvm::SmallVector<mlir::AffineExpr> loopsOf(mlir::RankedTensorType type);
  /// Extent that the loop was declared with.
  int64_t extentOf(mlir::AffineExpr loop) const;
  mlir::AffineExpr constant(int64_t value);
  mlir::AffineExpr zero() { return constant(0); }

  /// The loop in a position whose dimension may be longer than the loop (the
  /// beginning of a slice, of a concatenation): its size is not taken for the
  /// extent. Nothing can be added to it.
  mlir::AffineExpr partOf(mlir::AffineExpr loop);

  /// Makes a host value (tensor or scalar) visible inside; returns its image.
  /// Asking twice for the same value gives the same image.
  mlir::Value input(mlir::Value hostValue);
  /// Makes a host scalar visible inside, where a constant stays a constant;
  /// returns its image.
  mlir::Value scalar(mlir::Value hostScalar);
  /// Adds a result of the kernel. `sizes` are host index values, one for each
  /// dimension or for each dynamic one of the type. Returns the destination's
  /// image inside.
  mlir::Value output(mlir::RankedTensorType type, mlir::ValueRange sizes = {});
  /// Adds a result that starts as `initial`, of which the kernel writes a part.
  mlir::Value output(mlir::Value initial);
  /// An intermediate tensor inside the kernel, for one op to write: every
  /// dynamic dimension along a loop.
  mlir::Value temporary(mlir::RankedTensorType type);
  /// An intermediate of the shape of an argument of the body, with elements of
  /// another type.
  mlir::Value temporaryLike(mlir::Value argument, mlir::Type element);
  /// An intermediate of the dimensions `dims` of an argument of the body, with
  /// elements of another type.
  mlir::Value temporaryLike(mlir::Value argument, mlir::Type element,
                            llvm::ArrayRef<int64_t> dims);
  /// A scalar constant inside the kernel, zero-extended to `type`.
  mlir::Value constant(mlir::TypedAttr value);

  /// Builder placed at the end of the kernel body, for scalar code between
  /// structured ops.
  mlir::OpBuilder &inside() { return body; }

  /// Adds a structured op over exactly the loops named in its accesses and
  /// `reduced` (whose loops are reduction iterators); `extraLoops` adds loops
  /// that appear in no access. `fn` receives one scalar per input, then the
  /// current value of the destination.
  mlir::Value generic(llvm::ArrayRef<Access> ins, const Access &out,
                      llvm::ArrayRef<mlir::AffineExpr> reduced, Body fn);
  llvm::SmallVector<mlir::Value>
  generic(llvm::ArrayRef<Access> ins, llvm::ArrayRef<Access> outs,
          llvm::ArrayRef<mlir::AffineExpr> reduced, MultiBody fn);
  /// Sets every element of `out` to the scalar `value`.
  mlir::Value fill(mlir::Value value, const Access &out);
  /// The index value of `loop` in the op being built, inside a generic's body.
  mlir::Value index(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::AffineExpr loop);

  /// Yields `values` (one per output, in order), inserts the kernel at the
  /// host builder and returns its results.
  llvm::SmallVector<mlir::Value> finish(mlir::ValueRange values);

private:
  struct LoopDecl {
    std::string name;
    int64_t extent, limit;
    /// A dynamic extent, in the host program once it is known, and inside.
    mlir::Value dynamic = {}, inside = {};
  };

  int64_t neededSize(mlir::AffineExpr at, int64_t size) const;
  void refineInputs(llvm::MutableArrayRef<Access> opIns);
  Subscripts subscriptsOf(const Access &access) const;
  void findExtents(const Access &access);

  mlir::OpBuilder &host;
  mlir::Location loc;
  std::string name;
  mlir::Block *block;
  mlir::OpBuilder body;
  llvm::SmallVector<LoopDecl> loops;
  llvm::SmallVector<mlir::Value> ins, outs;
  llvm::SmallVector<mlir::Value> insInside, outsInside;
  /// Loops (positions in `loops`) of the op whose body is being built.
  llvm::SmallVector<unsigned> currentAxes;
};

} // namespace onnxc::krnl

#endif // ONNXC_CONVERSION_ONNXTOKRNL_KERNELBUILDER_H
