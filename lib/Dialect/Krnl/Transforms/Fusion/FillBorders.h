//===- FillBorders.h - Fills of what no other op writes ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_FUSION_FILLBORDERS_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_FUSION_FILLBORDERS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/PatternMatch.h"

namespace onnxc::krnl {

/// Replaces the fill of a whole tensor, of which another op of the kernel
/// writes a part, by fills of the strips around the part.
class BorderFill {
public:
  BorderFill(mlir::RewriterBase &rewriter, KernelOp kernel)
      : rewriter(rewriter), kernel(kernel) {}

  /// Notes the elements that `writer`, the only op after the fill, writes.
  /// False where it reads the fill, or the elements are no ranges of indices.
  bool read(ComputeOp fill, ComputeOp writer);
  /// `writer` may be gone by now, but not its loops.
  void replaceFill();
  /// Returns true if rows of the part are long enough that the strips cost less
  /// than writing it twice.
  bool isProfitable() const;
  /// Returns true if the begin of the part is known in each dimension.
  bool hasKnownBegin() const;

private:
  /// A range of a dimension; `loop` runs over it, if there is one.
  struct Range {
    mlir::OpFoldResult from, size;
    bool isWhole;
    std::string loop;
  };
  using Strip = llvm::SmallVector<Range>;
  /// Loops, by name, and where they write; the extents of those that are new.
  struct StripLoops {
    llvm::SmallVector<std::string> names;
    Subscripts at;
    llvm::SmallVector<std::pair<std::string, mlir::OpFoldResult>> extents;
  };

  mlir::OpFoldResult atHost(mlir::Value inside);
  std::optional<Range> rangeOf(ComputeOp writer, unsigned dim);
  mlir::OpFoldResult endOf(unsigned dim);
  llvm::SmallVector<Strip> stripsAround();
  StripLoops loopsOver(const Strip &strip, llvm::StringRef name);
  void declareLoops(const StripLoops &loops,
                    llvm::SmallVector<LoopAttr> &declared);
  ComputeOp fillStrip(const Strip &strip, const StripLoops &loops,
                      mlir::Value last);

  mlir::RewriterBase &rewriter;
  KernelOp kernel;
  ComputeOp fill;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  Strip part;
};

/// Fills the border alone in a kernel of a fill and one other op, where
/// that is profitable.
void fillBorderAlone(mlir::RewriterBase &rewriter, KernelOp kernel);

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_FUSION_FILLBORDERS_H
