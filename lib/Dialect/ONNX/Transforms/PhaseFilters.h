//===- PhaseFilters.h - Filters of the phases of ConvTranspose --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The filters and biases of the convolutions that stand for a transposed one
// (SplitConvTranspose.cpp): made here of constants, and by operations where
// they are known in the run only.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_PHASEFILTERS_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_PHASEFILTERS_H

#include "ConvTransposePhases.h"
#include "Simplify/ConstantFloats.h"
#include "onnxc/Dialect/ONNX/Transforms/NodeMaker.h"

namespace onnxc::onnx {

class PhaseFilters {
public:
  /// The filter w[c, m, k..] and the bias [m * group] of `op`; nothing where
  /// sizes are not known or do not fit.
  static std::optional<PhaseFilters> get(ConvTransposeOp op);

  /// The sizes of w.
  llvm::ArrayRef<int64_t> shape() const { return type.getShape(); }
  /// Channels of the result.
  int64_t channels() const { return type.getDimSize(1) * group; }

  /// [m * group * step.., c / group, taps..]: the filters of all phases, which
  /// are adjacent channels.
  mlir::Value allPhases(NodeMaker &maker,
                        llvm::ArrayRef<PhaseSplit> splits) const;
  /// [m * group, c / group, taps..]: the filter of the phase of `windows`.
  mlir::Value own(NodeMaker &maker, llvm::ArrayRef<PhaseSplit> splits,
                  llvm::ArrayRef<PhaseWindow> windows) const;
  /// The bias, each element `times` times; null if there is none.
  mlir::Value bias(NodeMaker &maker, int64_t times) const;

private:
  explicit PhaseFilters(ConvTransposeOp op)
      : group(op.getGroup()), given(op.getW()), givenBias(op.getB()),
        type(llvm::cast<mlir::RankedTensorType>(given.getType())) {}
  ConstantFloats empty(llvm::ArrayRef<PhaseWindow> windows,
                       int64_t phases) const;
  void write(llvm::ArrayRef<PhaseSplit> splits,
             llvm::ArrayRef<PhaseWindow> windows, int64_t step, int64_t offset,
             ConstantFloats &result) const;
  mlir::Value arrange(NodeMaker &maker, mlir::Value filter,
                      llvm::ArrayRef<int64_t> taps,
                      llvm::ArrayRef<int64_t> steps) const;
  mlir::Value arrangeAll(NodeMaker &maker,
                         llvm::ArrayRef<PhaseSplit> splits) const;

  int64_t group;
  mlir::Value given, givenBias;
  mlir::RankedTensorType type;
  /// Where they are constants.
  std::optional<ConstantFloats> filter, biases;
};

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_PHASEFILTERS_H
