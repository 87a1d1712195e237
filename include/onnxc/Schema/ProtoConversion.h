//===- ProtoConversion.h - MLIR to and from onnx's protobuf ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Conversions of types and attributes between the onnx dialect and the
// messages of the onnx library. Only lib/Schema, lib/Importer and lib/Exporter
// include this.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SCHEMA_PROTOCONVERSION_H
#define ONNXC_SCHEMA_PROTOCONVERSION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"

#include <string>
#include <utility>
#include <vector>

namespace onnxc::schema {

struct CustomOp;

/// Fills `proto` with `type`. A type that ONNX does not have (NoneType among
/// them) leaves it without value.
void toProto(mlir::Type type, ::onnx::TypeProto &proto);

/// The type that `proto` means; null if it has no value or no element type.
/// Names of dimensions are not part of the result.
mlir::Type fromProto(const ::onnx::TypeProto &proto,
                     mlir::MLIRContext *context);

/// Fills `proto` with the attribute called `name`. Tensors are copied, so
/// keep large ones away. Fails for an attribute that no ONNX kind stands for.
llvm::LogicalResult toProto(llvm::StringRef name, mlir::Attribute value,
                            ::onnx::AttributeProto &proto);

/// Fills `proto` with an elements attribute, dense or blob. Fails if its
/// bytes cannot be reached.
llvm::LogicalResult toProto(mlir::Attribute value, ::onnx::TensorProto &proto);

/// ONNX's domain and operator type of an operation name of the onnx dialect:
/// "onnx.Conv" -> ("", "Conv"), "onnx.ml.ZipMap" -> ("ai.onnx.ml", "ZipMap").
std::pair<std::string, std::string> splitOpName(llvm::StringRef name);

/// The newest schema of the operation called `name`, or null.
const ::onnx::OpSchema *lookupSchema(llvm::StringRef name);

/// The schema of an operator of the user's.
const ::onnx::OpSchema &schemaOf(const CustomOp &op);

/// The schema of an operation: of an operator of the standard, or of one of the
/// user's. Null if there is none.
const ::onnx::OpSchema *lookupSchema(mlir::Operation *op);

/// The operands of `op` by input number of the schema, null where an optional
/// one is absent, without trailing absences. Fails if they do not fit.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
operandSlots(mlir::Operation *op, const ::onnx::OpSchema &schema);

/// The results of `op` by output number of the schema, null where an optional
/// one is absent, without trailing absences. Fails if they do not fit.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
resultSlots(mlir::Operation *op, const ::onnx::OpSchema &schema);

/// The graph attributes of an operator in the order of the operation's
/// regions.
std::vector<std::string> graphAttributes(const ::onnx::OpSchema &schema);

/// Writes `op` as a node whose value names are "i<number>" and "o<number>",
/// empty for absent ones; graph attributes are left out. This is the form
/// which context-dependent function bodies are built from.
llvm::LogicalResult toProto(mlir::Operation *op, const ::onnx::OpSchema &schema,
                            ::onnx::NodeProto &node);

} // namespace onnxc::schema

#endif // ONNXC_SCHEMA_PROTOCONVERSION_H
