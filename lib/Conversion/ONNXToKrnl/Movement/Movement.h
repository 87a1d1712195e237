//===- Movement.h - Moving elements by kernels ------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Shared by the operators that move elements: slices, permutations, and
// results whose every element is computed from its own position.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_LIB_CONVERSION_ONNXTOKRNL_MOVEMENT_MOVEMENT_H
#define ONNXC_LIB_CONVERSION_ONNXTOKRNL_MOVEMENT_MOVEMENT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "onnxc/Dialect/ONNX/IR/Axes.h"

namespace onnxc {

/// Null where the rank is not known.
mlir::RankedTensorType rankedType(mlir::Value v);
/// The type with these sizes: static where they are constants.
mlir::RankedTensorType typeOfSizes(mlir::ValueRange sizes, mlir::Type element);
/// `sizes`, with the static ones of the graph's result type as constants.
llvm::SmallVector<mlir::Value> knownSizes(mlir::OpBuilder &b,
                                          mlir::Location loc,
                                          mlir::Value graphResult,
                                          mlir::ValueRange sizes);
/// Element `i` of a structural operand (axes, pads, ...) as an index, constant
/// if it is in the model; `original` is the operand before conversion.
mlir::Value structuralElement(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::Value original, mlir::Value converted,
                              int64_t i);
using onnx::positiveAxis;

/// Returns true if `size` is known to be that of dimension `dim` of `x`.
bool isSameSize(mlir::Value size, mlir::Value x, int64_t dim);

/// out[i..] = x[start + i * step..]; start and step per dimension are host
/// values.
mlir::Value sliceOf(mlir::OpBuilder &b, mlir::Location loc,
                    llvm::StringRef name, mlir::Value x,
                    mlir::ValueRange starts, mlir::ValueRange steps,
                    mlir::ValueRange sizes);
/// The elements of `x` at one position of a dimension, without that dimension.
mlir::Value selectOf(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::StringRef name, mlir::Value x, int64_t axis,
                     int64_t position);
/// Result dimension i is dimension perm[i] of `x`.
mlir::Value transposeOf(mlir::OpBuilder &b, mlir::Location loc,
                        llvm::StringRef name, mlir::Value x,
                        llvm::ArrayRef<int64_t> perm);

/// Elements of `data` at `indices` along `axis`, as the operator Gather has
/// them. The sizes that are known of `graphResult`, if given, are those of the
/// result.
mlir::Value gatherOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value data,
                     mlir::Value indices, int64_t axis,
                     mlir::Value graphResult = {});

/// Dimension 1 after all others, and back again. Reads at computed indices
/// that are the same for all channels are then vectors of adjacent elements.
mlir::Value channelsLast(mlir::OpBuilder &b, mlir::Location loc,
                         llvm::StringRef name, mlir::Value x);
mlir::Value channelsSecond(mlir::OpBuilder &b, mlir::Location loc,
                           llvm::StringRef name, mlir::Value x);
/// Returns true if there are so many channels, and so many reads of each
/// element of `x`, that transposing `x` and a result of `results` elements
/// is profitable. Dynamic sizes count as equal; `reads` is the number of reads
/// for each result.
bool isChannelsLastProfitable(mlir::Value x, mlir::RankedTensorType result,
                              int64_t reads);

/// Computes one element from the position of the result and the images, inside
/// the kernel, of the inputs.
using ElementAt = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, llvm::ArrayRef<mlir::Value> index,
    llvm::ArrayRef<mlir::Value> images)>;

/// One kernel that computes every element of a tensor of these sizes with `fn`.
/// Inputs are tensors and host scalars; constants among those stay constants.
mlir::Value generate(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::StringRef name, mlir::Type element,
                     mlir::ValueRange sizes, mlir::ValueRange inputs,
                     ElementAt fn);

/// The number i as an index from 0 to size - 1, inside kernels, after `size` is
/// added to a negative one. A run with another index ends with an error.
mlir::Value wrapIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value i,
                      mlir::Value size,
                      std::optional<int64_t> dimension = std::nullopt);
/// max(0, min(i, size - 1)).
mlir::Value clampIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value i,
                       mlir::Value size);
/// 0 <= i < size.
mlir::Value isInside(mlir::OpBuilder &b, mlir::Location loc, mlir::Value i,
                     mlir::Value size);
/// The scalar `value` of a stored element type; the empty string, on the host
/// only, where elements are strings.
mlir::Value storedConstant(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Type element, int64_t value);

} // namespace onnxc

#endif // ONNXC_LIB_CONVERSION_ONNXTOKRNL_MOVEMENT_MOVEMENT_H
