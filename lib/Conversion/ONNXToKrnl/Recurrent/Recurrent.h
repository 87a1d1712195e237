//===- Recurrent.h - Steps of LSTM, GRU and RNN -----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_RECURRENT_RECURRENT_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_RECURRENT_RECURRENT_H

#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"

#include <optional>

namespace onnxc {

enum class CellKind { RNN, GRU, LSTM };

using ActivationFn = mlir::Value (*)(ScalarBuilder &, mlir::Value x,
                                     double alpha, double beta);

/// An activation of the standard with the defaults of its parameters.
struct KnownActivation {
  llvm::StringLiteral name;
  double alpha, beta;
  bool takesAlpha, takesBeta;
  ActivationFn fn;
};

/// An activation with the parameters of a node.
struct BoundActivation {
  const KnownActivation *known;
  double alpha, beta;
  mlir::Value operator()(ScalarBuilder &s, mlir::Value x) const {
    return known->fn(s, x, alpha, beta);
  }
};

/// The activations of all directions in order; parameters are consumed by
/// those that take them. Fails for a name that is none, or too few of them.
mlir::LogicalResult bindActivations(mlir::Operation *op, CellKind kind,
                                    int64_t directions,
                                    mlir::SmallVector<BoundActivation> &result);

/// One operator: operands (null where absent) and attributes.
struct Cell {
  CellKind kind;
  mlir::Value x, w, r, bias, lengths, initialH, initialC, peepholes;
  mlir::Type element;
  int64_t gates, hidden, directions;
  bool batchFirst, linearBeforeReset, inputForget, wantsRows;
  std::optional<double> clip;
  llvm::SmallVector<BoundActivation> activations;
};

/// Builds the loop over the steps for each direction of an operator.
class CellBuilder {
public:
  CellBuilder(mlir::OpBuilder &b, mlir::Location loc, const Cell &cell)
      : b(b), loc(loc), cell(cell),
        steps(sizeOf(b, loc, cell.x, cell.batchFirst ? 1 : 0)),
        batch(sizeOf(b, loc, cell.x, cell.batchFirst ? 0 : 1)),
        count(stepsToRun()) {}

  /// States after the last step, and all rows, newest first, of a direction.
  struct Result {
    mlir::Value h, c, rows;
  };
  Result run(int64_t direction, bool backward);
  /// Results of all directions as the operator gives them.
  mlir::Value joinStates(llvm::ArrayRef<mlir::Value> states);
  mlir::Value joinRows(llvm::ArrayRef<mlir::Value> rows,
                       llvm::ArrayRef<bool> backward);

private:
  using Access = krnl::KernelBuilder::Access;

  mlir::RankedTensorType typeOf(mlir::ValueRange sizes,
                                llvm::ArrayRef<int64_t> shape) {
    return refineType(mlir::RankedTensorType::get(shape, cell.element), sizes);
  }
  mlir::Value output(krnl::KernelBuilder &kernel, mlir::ValueRange sizes) {
    llvm::SmallVector<int64_t> shape(sizes.size(), mlir::ShapedType::kDynamic);
    mlir::RankedTensorType type = typeOf(sizes, shape);
    return kernel.output(type, sizes);
  }
  /// Position `n` of gate `g` where all gates lie one after the other.
  mlir::AffineExpr gate(krnl::KernelBuilder &kernel, mlir::AffineExpr n,
                        int64_t g) {
    return g == 0 ? kernel.partOf(n) : n + g * cell.hidden;
  }
  mlir::Value hiddenSize() { return indexConstant(b, loc, cell.hidden); }
  mlir::Value stepsToRun();
  mlir::Value part(mlir::Value weights, int64_t firstGate, int64_t gates);
  mlir::Value project();
  mlir::Value initialState(mlir::Value given);
  mlir::Value contractState(mlir::Value state, mlir::Value weights);
  /// The operands of a kernel over the gates at position (m, n) of batch and
  /// state.
  struct GateOperands {
    llvm::SmallVector<Access> ins;
    /// How many gates the contracted state is for.
    int64_t given;
    /// The first of these gates.
    int64_t firstGate;
    /// Where among `ins` states and peepholes begin, and the length is.
    unsigned firstState, length;
  };
  GateOperands gateOperands(krnl::KernelBuilder &kernel, mlir::AffineExpr m,
                            mlir::AffineExpr n, mlir::Value contracted,
                            int64_t firstGate,
                            llvm::ArrayRef<mlir::Value> states);
  std::pair<mlir::Value, mlir::Value>
  gateTerms(ScalarBuilder &s, const GateOperands &operands, mlir::ValueRange v,
            mlir::Value projected, int64_t g);
  llvm::SmallVector<mlir::Value>
  gateKernel(llvm::StringRef name, mlir::Value contracted, int64_t firstGate,
             llvm::ArrayRef<mlir::Value> states, mlir::Value t, unsigned outs,
             llvm::function_ref<llvm::SmallVector<mlir::Value>(
                 ScalarBuilder &, llvm::ArrayRef<mlir::Value> x,
                 llvm::ArrayRef<mlir::Value> z, mlir::ValueRange rest)>
                 fn);
  llvm::SmallVector<mlir::Value> step(mlir::Value t, mlir::Value h,
                                      mlir::Value c);
  llvm::SmallVector<mlir::Value> stepGRU(mlir::Value t, mlir::Value h);
  llvm::SmallVector<mlir::Value> startOfLoop();
  llvm::SmallVector<mlir::Value> advance(mlir::ValueRange carried,
                                         bool backward);
  mlir::Value clipped(ScalarBuilder &s, mlir::Value x);
  mlir::Value activate(ScalarBuilder &s, unsigned which, mlir::Value x) {
    return cell.activations[direction * (unsigned(cell.kind) + 1) + which](
        s, clipped(s, x));
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
  const Cell &cell;
  /// Sizes of the input, and the steps that are run.
  mlir::Value steps, batch, count;
  int64_t direction = 0;
  mlir::Value projected;
  /// The recurrent weights in the order in which a step contracts with them.
  llvm::SmallVector<mlir::Value> recurrent;
};

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_RECURRENT_RECURRENT_H
