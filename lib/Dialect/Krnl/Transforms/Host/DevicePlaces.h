//===- DevicePlaces.h - Memory of buffers on a device -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_HOST_DEVICEPLACES_H
#define ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_HOST_DEVICEPLACES_H

#include "HostBuffers.h"

#include "mlir/IR/Builders.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "llvm/ADT/MapVector.h"

namespace onnxc::krnl {

/// Which of the two sides have the newest contents of a buffer. Both have,
/// before the first write, and never none.
struct Sides {
  bool host = true, device = true;
};

/// A buffer of the host that launches use.
struct Place {
  /// The memory of the buffer on the device. Null for a buffer of the pool, and
  /// for one that may be one of several buffers that do not share an arena: it
  /// stays on the host, and each launch copies.
  mlir::Value device;
  /// The sides with the newest contents of the buffer itself.
  Sides newest;
};

inline bool isBuffer(mlir::Value value) {
  return mlir::isa<mlir::MemRefType>(value.getType());
}

/// Returns true if an operation in a region of `op` defines the buffer.
bool isDefinedIn(mlir::Operation *op, mlir::Value base);

/// Memory of the run on the device, as large as a buffer.
ArenaViewOp allocateLike(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value base);

/// The memory on the device of the buffers of one function.
class DevicePlaces {
public:
  /// What kernels report is added to `errors`, those of all functions.
  DevicePlaces(mlir::func::FuncOp host,
               llvm::SmallVectorImpl<mlir::Attribute> &errors);

  /// Places what the launches use. Fails, with an error, where one cannot run
  /// on a device.
  mlir::LogicalResult find(llvm::ArrayRef<LaunchOp> launches);
  /// The memory on the device of the same part as `buffer`. Buffers that stay
  /// on the host have been copied.
  mlir::Value onDevice(mlir::OpBuilder &builder, mlir::Value buffer,
                       const llvm::DenseMap<mlir::Value, mlir::Value> &copied);

  /// The buffers that loops, branches and selections may forward to a value:
  /// itself, if they do not make it.
  llvm::ArrayRef<mlir::Value> sourcesOf(mlir::Value buffer);

  llvm::MapVector<mlir::Value, Place> places;

private:
  mlir::LogicalResult addPlace(LaunchOp launch, mlir::Value base);
  void listErrors(ErrorWordOp word);
  mlir::Value memoryOf(mlir::Value base);
  mlir::Value inArena(ArenaViewOp view);
  mlir::Value arenaOf(ArenaViewOp view);
  mlir::Value mirrorOf(mlir::Value name);
  void findNames();
  mlir::Value afterArena(mlir::Value base);

  mlir::func::FuncOp host;
  llvm::SmallVectorImpl<mlir::Attribute> &errors;
  mlir::OpBuilder entry;
  /// What loops, branches and selections forward to each value that they make;
  /// the buffers among that, through all of them.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> forwarded,
      sources;
  /// Buffers of a body that others stand for after it, or of which these are
  /// rows.
  llvm::DenseSet<mlir::Value> leaving;
  int64_t bytes = 0;
  /// The arena of static size, that of the run's, and the weights.
  mlir::Value arena, dynamicArena, constants;
};

} // namespace onnxc::krnl

#endif // ONNXC_LIB_DIALECT_KRNL_TRANSFORMS_HOST_DEVICEPLACES_H
