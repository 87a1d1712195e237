//===- CustomInference.cpp - Asking a library for types --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Checks the operands of an onnx.Custom against the declaration and calls the
// library's `infer` with their known types. The call is one of onnxc/CustomOp.h
// whose functions belong to this compiler; all results of the library are
// checked before they are used.
//
//===----------------------------------------------------------------------===//
#include "CustomCall.h"

#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace onnxc::schema;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// The declared parameter of slot `index`; the last one repeats if variadic.
static const OMCustomParameter &parameterOf(const OMCustomParameter *parameters,
                                            int64_t count, size_t index) {
  return parameters[std::min<int64_t>(static_cast<int64_t>(index), count - 1)];
}

static std::string typeText(int64_t type, MLIRContext *context) {
  return onnxc::onnx::getONNXSpelling(UnrankedTensorType::get(
      onnxc::onnx::getElementTypeByNumber(context, type)));
}

static std::string typesText(uint64_t types, MLIRContext *context) {
  std::string text;
  for (int64_t type = 1; type < 64; ++type)
    if (types & OM_TYPE_BIT(type))
      text += (text.empty() ? "" : ", ") + typeText(type, context);
  return text;
}

namespace {
/// The types of one node.
class TypeCheck {
public:
  TypeCheck(const OMCustomOp &op, MLIRContext *context)
      : op(op), context(context) {}

  /// Takes note of the type of an input; a message if it does not fit.
  std::string checkInput(size_t slot, Type type);
  /// The element type of an output as declared; 0 if it is open.
  int64_t outputType(size_t slot) const;
  /// A message if an output may not be of a type.
  std::string checkOutput(size_t slot, int64_t type) const;

  /// False if the type of an operand is not known.
  bool allKnown = true;

private:
  const OMCustomOp &op;
  MLIRContext *context;
  llvm::StringMap<int64_t> variables;
};
} // namespace

std::string TypeCheck::checkInput(size_t slot, Type type) {
  const OMCustomParameter &parameter =
      parameterOf(op.inputs, op.numInputs, slot);
  std::string which = "input '" + std::string(parameter.name) + "' ";
  if (isa<NoneType>(type)) {
    allKnown = false;
    return "";
  }
  auto tensor = dyn_cast<TensorType>(type);
  int64_t number =
      tensor ? onnxc::onnx::getElementTypeNumber(tensor.getElementType()) : 0;
  if (number == 0)
    return which + "is " + onnxc::onnx::getONNXSpelling(type) +
           ", but custom operators take tensors";
  if (parameter.types != 0 && !(parameter.types & OM_TYPE_BIT(number)))
    return which + "is " + typeText(number, context) +
           ", but the operator takes " + typesText(parameter.types, context);
  if (!parameter.typeVariable)
    return "";
  auto [found, isNew] = variables.try_emplace(parameter.typeVariable, number);
  if (isNew || found->second == number)
    return "";
  return which + "is " + typeText(number, context) +
         ", but another input of type '" + parameter.typeVariable + "' is " +
         typeText(found->second, context);
}

int64_t TypeCheck::outputType(size_t slot) const {
  const OMCustomParameter &parameter =
      parameterOf(op.outputs, op.numOutputs, slot);
  if (parameter.typeVariable)
    if (int64_t bound = variables.lookup(parameter.typeVariable))
      return bound;
  return llvm::has_single_bit(parameter.types)
             ? llvm::countr_zero(parameter.types)
             : 0;
}

std::string TypeCheck::checkOutput(size_t slot, int64_t type) const {
  const OMCustomParameter &parameter =
      parameterOf(op.outputs, op.numOutputs, slot);
  std::string which = "output '" + std::string(parameter.name) + "' ";
  int64_t bound = outputType(slot);
  if (bound != 0 && bound != type)
    return "'infer' reports that " + which + "is " + typeText(type, context) +
           ", but it is declared as " + typeText(bound, context);
  if (parameter.types != 0 && !(parameter.types & OM_TYPE_BIT(type)))
    return which + "is " + typeText(type, context) + ", but is declared as " +
           typesText(parameter.types, context);
  return "";
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The library's description of an output, as a type.
static InferredValue readOutput(const CustomCall::Output &output, int64_t type,
                                const CustomCall &call, MLIRContext *context) {
  InferredValue found;
  if (type == 0) {
    found.type = NoneType::get(context);
    return found;
  }
  Type element = onnxc::onnx::getElementTypeByNumber(context, type);
  if (output.rank < 0) {
    found.type = UnrankedTensorType::get(element);
    return found;
  }
  SmallVector<int64_t> shape;
  for (int64_t dim : output.dims) {
    shape.push_back(dim < 0 ? ShapedType::kDynamic : dim);
    found.dimSymbols.push_back(call.symbolOf(dim));
  }
  found.type = RankedTensorType::get(shape, element);
  return found;
}

/// Calls the library; a message if it fails.
static std::string callInfer(const OMCustomOp &op, CustomCall &call) {
  if (!op.infer)
    return "";
  try {
    int code = op.infer(&call);
    if (call.message.empty() && code != 0)
      return "'infer' fails with code " + std::to_string(code);
  } catch (const std::exception &error) {
    return "'infer' throws: " + std::string(error.what());
  } catch (...) {
    return "'infer' throws";
  }
  return call.message;
}

/// A message if a size is neither known, nor one that the inputs have, nor
/// open.
static std::string checkSizes(const CustomCall &call, size_t slot,
                              const OMCustomParameter &parameter) {
  for (int64_t dim : call.results[slot].dims)
    if (dim < -1 && call.symbolOf(dim).empty())
      return "'infer' gives output '" + std::string(parameter.name) +
             "' the size " + std::to_string(dim) +
             "; a size that is not known is -1, or that of an input as it is";
  return "";
}

FailureOr<SmallVector<InferredValue>>
onnxc::schema::inferCustom(Operation *op, const CustomOp &custom,
                           const ValueFacts &facts,
                           llvm::function_ref<InFlightDiagnostic()> emitError) {
  const OMCustomOp &declared = *custom.declared;
  MLIRContext *context = op->getContext();
  CustomCall call(op, facts);
  TypeCheck types(declared, context);
  auto fail = [&](const std::string &message) -> LogicalResult {
    if (!message.empty())
      emitError() << message;
    return success(message.empty());
  };
  for (auto [slot, value] : llvm::enumerate(call.operands))
    if (value && failed(fail(types.checkInput(slot, facts.type(value)))))
      return failure();
  // A library may rely on the types that it declares.
  if (types.allKnown && failed(fail(callInfer(declared, call))))
    return failure();
  SmallVector<InferredValue> inferred;
  for (size_t slot = 0; slot < call.results.size(); ++slot) {
    const CustomCall::Output &output = call.results[slot];
    if (!output.isPresent)
      continue;
    const OMCustomParameter &parameter =
        parameterOf(declared.outputs, declared.numOutputs, slot);
    int64_t type = output.type ? output.type : types.outputType(slot);
    if (type != 0 && (failed(fail(types.checkOutput(slot, type))) ||
                      failed(fail(checkSizes(call, slot, parameter)))))
      return failure();
    if (type == 0 && types.allKnown && declared.infer &&
        failed(fail("'infer' reports no element type for output '" +
                    std::string(parameter.name) +
                    "', and the declaration leaves it open")))
      return failure();
    inferred.push_back(readOutput(output, type, call, context));
  }
  return inferred;
}
