//===- RoiBins.h - Samples of the bins of regions ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// RoiAlign and MaxRoiPool. A table has the begin and the size of the bins of
// each region. The number of samples of a bin may differ from region to region:
// extents are those of the largest, the others are masked.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_ROIBINS_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_ROIBINS_H

#include "Builders/HostValues.h"
#include "Images/Interpolation.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"

namespace onnxc {

/// Columns of the table of regions, all in the type that is computed with. Of
/// each pair the first is for rows, the second for columns of the image.
enum RoiColumn { Start, BinSize = 2, Samples = 4, NumColumns = 6 };

/// Returns true if `v` is a tensor of this rank.
bool hasRank(mlir::Value v, int64_t rank);

/// The largest of one column, as an index.
mlir::Value largestOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value table,
                      int64_t column);

/// The table of regions: each column is the `value` of the numbers of a region,
/// which `number` reads.
mlir::Value makeRoiTable(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value rois, mlir::Type element,
                         llvm::function_ref<mlir::Value(
                             ScalarBuilder &, int64_t column,
                             llvm::function_ref<mlir::Value(int64_t)> number)>
                             value);

/// Shared by the two operators.
struct RoiPool {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value table;
  mlir::Type element;
  /// The sizes of the result: regions, channels, rows and columns.
  llvm::SmallVector<mlir::Value> sizes;
  /// The image and the result have their channels last.
  bool channelsLast = false;

  /// A position of the result, or a type, in the order that it has in memory.
  template <typename T>
  llvm::SmallVector<T> inMemory(llvm::ArrayRef<T> position) const {
    llvm::SmallVector<T> order(position);
    if (channelsLast)
      std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    return order;
  }
  /// `x` as the samples are read from it.
  mlir::Value channelsLastOperand(llvm::StringRef name, mlir::Value x,
                                  int64_t reads) {
    channelsLast = isChannelsLastProfitable(
        x, typeOfSizes(sizes, rankedType(x).getElementType()), reads);
    return channelsLast ? onnxc::channelsLast(b, loc, name, x) : x;
  }

  mlir::Type compute() const { return interpolationType(element); }
};

/// Pools the regions of `table` out of `x`, the first operand of `op`, into
/// `bins` rows and columns each. The run ends where there is no image.
RoiPool makeRoiPool(mlir::OpBuilder &b, mlir::Operation *op, mlir::Value x,
                    mlir::Value table, llvm::ArrayRef<int64_t> bins);

/// Something about one sample: `row` is the region's row of the table, `at` the
/// position of the result, `step` the number of the sample in the bin, `images`
/// the inputs inside the kernel.
using OfSample = llvm::function_ref<mlir::Value(
    ScalarBuilder &, llvm::ArrayRef<mlir::Value> row,
    llvm::ArrayRef<mlir::Value> at, llvm::ArrayRef<mlir::Value> step,
    llvm::ArrayRef<mlir::Value> images)>;

/// Combines the samples of every bin, those of a bin that has none giving 0.
/// `counts` are the extents of the loops over samples.
mlir::Value poolBins(const RoiPool &pool, llvm::StringRef name,
                     llvm::ArrayRef<mlir::Value> counts, bool average,
                     llvm::ArrayRef<mlir::Value> inputs, OfSample sampleAt,
                     OfSample takesPart);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_IMAGES_ROIBINS_H
