//===- Body.h - Writing operators as nodes of others -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_SCHEMA_MICROSOFT_BODY_H
#define ONNXC_LIB_SCHEMA_MICROSOFT_BODY_H

#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"

#include <string>
#include <vector>

namespace onnxc::schema::microsoft {

/// The function body of one node: the facts about the node, and the nodes
/// written so far in ONNX's text form. Values have the names of the schema's
/// parameters; a parameter that the node leaves out stands for an absent input.
class Body {
public:
  Body(const ::onnx::FunctionBodyBuildContext &context,
       ::onnx::FunctionProto &function, const std::string &op);

  Body &operator<<(const std::string &nodes);

  /// Says why there is no body for `form`, a form of the operator that has a
  /// row in the table of refusals. Does not return.
  [[noreturn]] void refuse(const std::string &form) const;

  /// Defines `name` as a number of int64.
  void scalar(const std::string &name, int64_t value);
  /// Defines `name` as a vector of integers.
  void ints(const std::string &name, const std::vector<int64_t> &values);
  /// Defines `name` as a number of the element type of the value `like`.
  void number(const std::string &name, double value, const std::string &like);
  /// Defines `name` as a f32 number.
  void real(const std::string &name, float value);

  /// Defines `result` as `node` ("MaxPool<..>") of the value `name` and of
  /// the operands in `rest` (", w)"), the channels of both being last; `name`
  /// has `rank` dimensions, at least three.
  void withChannelsFirst(const std::string &name, int rank,
                         const std::string &node, const std::string &result,
                         const std::string &rest = ")");

  /// Defines `result` as y quantised to the type of input 0. The zero point is
  /// input `zeroInput`, which may be absent.
  void quantize(const std::string &result, const std::string &scale,
                const std::string &zero, int zeroInput);

  /// Defines `scaled` as product * (left * right), `product` being the integer
  /// sums of products of bytes with these f32 scales.
  void scaleProduct(const std::string &left, const std::string &right);

  bool hasInput(int input) const;
  bool hasOutput(int output) const;
  /// -1 if it is not known.
  int rank(int input) const;
  int64_t size(int input, int dim) const;
  /// Number in TensorProto::DataType, 0 if it is not known.
  int elementType(int input) const;

  bool has(const std::string &attribute) const;
  int64_t integer(const std::string &attribute, int64_t otherwise) const;
  float number(const std::string &attribute, float otherwise) const;
  std::string text(const std::string &attribute) const;
  std::vector<std::string> texts(const std::string &attribute) const;
  std::vector<int64_t> integers(const std::string &attribute) const;
  std::vector<float> numbers(const std::string &attribute) const;
  /// "<a = 1, b = [2, 3]>" of those attributes that the node has.
  std::string attributes(const std::vector<std::string> &names) const;
  /// "<a = 1, b = [2, 3]>" of the attributes of the standard's operator `op`
  /// that the node has.
  std::string attributesOf(const char *op) const;

  /// Names of the inputs of a variadic last parameter, the first of which has
  /// number `first` of all: the parameter's name, then PARAMETER_1 and so on.
  std::vector<std::string> variadic(int first, const std::string &parameter);

  /// Names that `variadic` has made up: inputs after those of the schema.
  const std::vector<std::string> &moreInputs() const { return more; }

private:
  const ::onnx::FunctionBodyBuildContext &context;
  std::string op;
  ::onnx::FunctionBuilder builder;
  std::vector<std::string> more;
};

/// "[1, 2]"
std::string list(const std::vector<int64_t> &values);
/// A literal that reads as a float.
std::string literal(double value);

/// Writes the nodes of a body; false if there is none for the node's types.
using Fill = bool (*)(Body &);

/// Registers `schema` in version 1 of com.microsoft with the body `fill`.
void define(::onnx::OpSchema schema, Fill fill);

/// Gives `schema` the attributes of the standard's operator `op`, but for those
/// in `without`.
void addAttributesOf(::onnx::OpSchema &schema, const char *op,
                     const std::vector<std::string> &without = {});

/// The usual type sets.
extern const std::vector<std::string> floatTypes, byteTypes;

// One function for each file.
void registerActivations();
void registerAttention();
void registerDiffusion();
void registerExperts();
void registerFused();
void registerFusedPairs();
void registerGroupedAttention();
void registerHyperConnections();
void registerIndexing();
void registerIntegers();
void registerInverse();
void registerMaskedAttention();
void registerMovement();
void registerNormalization();
void registerPositionBias();
void registerQuantized();
void registerQuantizedLSTM();
void registerQuantizedLayers();
void registerQuantizedMatMul();
void registerRecurrent();
void registerSignal();

} // namespace onnxc::schema::microsoft

#endif // ONNXC_LIB_SCHEMA_MICROSOFT_BODY_H
