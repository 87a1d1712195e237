//===- ResultWriter.h - Results of ops --------------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A result is stored where somebody needs it in memory, and kept for those who
// can take it from registers. Vectors whose elements lie beside or between each
// other wait until all are there: rows are transposed in registers.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_DIALECT_KRNL_EMIT_RESULTWRITER_H
#define ONNXC_LIB_DIALECT_KRNL_EMIT_RESULTWRITER_H

#include "KeptResults.h"
#include "OperandPositions.h"

namespace onnxc::krnl {

struct ExchangedStore;

class ResultWriter : EmitContext {
public:
  ResultWriter(const EmitContext &context, OperandPositions &positions,
               KeptResults &kept)
      : EmitContext(context), positions(positions), kept(kept) {}

  /// Stores and keeps the value of a result in an instance.
  void write(OpState &state, unsigned result, const Instance &instance,
             mlir::Value value);

private:
  void store(OpState &state, unsigned result, const Instance &instance,
             mlir::Value value, llvm::ArrayRef<mlir::Value> aliases);
  std::optional<unsigned> loopToTranspose(OpState &state, unsigned result,
                                          llvm::ArrayRef<LaneIndex> at);
  bool storeTransposed(OpState &state, unsigned result,
                       const Instance &instance, mlir::Value memref,
                       llvm::ArrayRef<LaneIndex> at, mlir::Value value);
  void storeTile(llvm::ArrayRef<mlir::Value> rows, const Lines &lines,
                 const ActiveLoop &lane, int64_t first, int64_t columns);
  bool storeInterleaved(OpState &state, unsigned result,
                        const Instance &instance, mlir::Value memref,
                        llvm::ArrayRef<LaneIndex> at, mlir::Value value,
                        mlir::Value mask);
  void storeTileOf(const ExchangedStore &exchange,
                   llvm::ArrayRef<mlir::Value> parts, mlir::Value memref,
                   const Instance &instance, llvm::ArrayRef<LaneIndex> at,
                   mlir::Value inside);
  bool storeExchanged(OpState &state, unsigned result, const Instance &instance,
                      mlir::Value alias, mlir::Value value, mlir::Value inside);
  mlir::Value allocateTile(mlir::Value like, int64_t rows, int64_t columns);

  OperandPositions &positions;
  KeptResults &kept;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_EMIT_RESULTWRITER_H
