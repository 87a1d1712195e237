//===- NodeContext.h - onnx's InferenceContext on an operation -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_SCHEMA_NODECONTEXT_H
#define ONNXC_LIB_SCHEMA_NODECONTEXT_H

#include "onnxc/Schema/ProtoConversion.h"
#include "onnxc/Schema/TypeInference.h"

#include "onnx/defs/shape_inference.h"

#include <memory>
#include <unordered_map>

namespace onnxc::schema {

/// Presents one operation to the schemas' inference functions. Protobuf
/// messages are made on demand and live as long as the context; the payload of
/// a constant is copied only if it is small or describes a shape.
class NodeContext final : public ::onnx::InferenceContext {
public:
  /// `operands` and `results` are by slot, see operandSlots().
  NodeContext(mlir::Operation *op, const ::onnx::OpSchema &schema,
              llvm::ArrayRef<mlir::Value> operands,
              llvm::ArrayRef<mlir::Value> results, const ValueFacts &facts);
  ~NodeContext() override;

  const ::onnx::AttributeProto *
  getAttribute(const std::string &name) const override;
  size_t getNumInputs() const override { return inputs.size(); }
  const ::onnx::TypeProto *getInputType(size_t index) const override;
  bool hasInput(size_t index) const override;
  const ::onnx::TensorProto *getInputData(size_t index) const override;
  const ::onnx::SparseTensorProto *
  getInputSparseData(size_t index) const override {
    return nullptr;
  }
  const ::onnx::TensorShapeProto *getSymbolicInput(size_t index) const override;
  size_t getNumOutputs() const override { return outputs.size(); }
  ::onnx::TypeProto *getOutputType(size_t index) override;
  bool hasOutput(size_t index) override;
  ::onnx::GraphInferencer *
  getGraphAttributeInferencer(const std::string &name) override;
  std::string getDisplayName() const override;

private:
  struct Input {
    mlir::Value value;
    std::unique_ptr<::onnx::TypeProto> type;
    std::unique_ptr<::onnx::TensorProto> data;
    std::unique_ptr<::onnx::TensorShapeProto> contents;
  };
  struct Output {
    mlir::Value value;
    ::onnx::TypeProto type;
  };
  Input &input(size_t index) const;
  const ::onnx::AttributeProto *defaultOf(const std::string &name) const;

  mlir::Operation *op;
  const ::onnx::OpSchema &schema;
  const ValueFacts &facts;
  mutable std::vector<Input> inputs;
  std::vector<Output> outputs;
  mutable std::unordered_map<std::string,
                             std::unique_ptr<::onnx::AttributeProto>>
      attributes;
};

} // namespace onnxc::schema

#endif // ONNXC_LIB_SCHEMA_NODECONTEXT_H
