//===- Quantized.cpp - Operators between bytes -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Each is the operator on real numbers between dequantisation and
// quantisation, which is also its definition. Where onnxruntime's kernels round
// otherwise, which shows where a number lies between two quanta, the body has
// their order of operations.
//
//===----------------------------------------------------------------------===//
#include "Body.h"

#include <cctype>

using namespace onnxc::schema::microsoft;
using ::onnx::AttributeProto;
using ::onnx::OpSchema;

/// Defines `result` as quanta + zero point, rounded once. The zero point is
/// input `zeroInput`, which may be absent.
static void roundTogether(Body &b, const std::string &result,
                          const std::string &quanta, const std::string &zero,
                          int zeroInput) {
  b.real("one", 1);
  if (b.hasInput(zeroInput))
    b << "result_zero = Cast<to = 1>(" + zero + ")"
      << "shifted = Add(" + quanta + ", result_zero)";
  else
    b << "shifted = Identity(" + quanta + ")";
  b << result + " = QuantizeLinear<output_dtype = " +
           std::to_string(b.elementType(0)) + ">(shifted, one)";
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// Where scales are constant the sum has a lowering of its own instead.
static bool fillAdd(Body &b) {
  b << "a = DequantizeLinear(A, A_scale, A_zero_point)"
    << "b = DequantizeLinear(B, B_scale, B_zero_point)" << "y = Add(a, b)";
  b.quantize("C", "C_scale", "C_zero_point", 7);
  return true;
}

/// Defines `result` as the integer value - zero point, in f32.
static void centre(Body &b, const std::string &value, int zeroInput,
                   const std::string &result) {
  b << result + "_wide = Cast<to = 1>(" + value + ")";
  if (!b.hasInput(zeroInput)) {
    b << result + " = Identity(" + result + "_wide)";
    return;
  }
  b << result + "_zero = Cast<to = 1>(" + value + "_zero_point)"
    << result + " = Sub(" + result + "_wide, " + result + "_zero)";
}

/// ((A - zero) * (B - zero)) * (scale * scale / scale): the first product is
/// exact.
static bool fillMul(Body &b) {
  centre(b, "A", 2, "a");
  centre(b, "B", 5, "b");
  b << "product = Mul(a, b)" << "scales = Mul(A_scale, B_scale)"
    << "ratio = Div(scales, C_scale)" << "quanta = Mul(product, ratio)";
  roundTogether(b, "C", "quanta", "C_zero_point", 7);
  return true;
}

static OpSchema binary(const char *name) {
  OpSchema schema;
  schema.SetName(name).SetDoc("The operation on the numbers of A and B.");
  int next = 0;
  for (const char *value : {"A", "B", "C"}) {
    std::string prefix = value;
    if (prefix != "C")
      schema.Input(next++, prefix, "An operand.", "T");
    schema.Input(next++, prefix + "_scale", "Its scale.", "tensor(float)");
    schema.Input(next++, prefix + "_zero_point", "Its zero point.", "T",
                 OpSchema::Optional);
  }
  schema.Output(0, "C", "The result.", "T")
      .TypeConstraint("T", byteTypes, "Bytes.");
  return schema;
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static void addOperand(Body &b) {
  b << "x = DequantizeLinear(X, X_scale, X_zero_point)";
}

static bool finish(Body &b) {
  b.quantize("Y", "Y_scale", "Y_zero_point", 4);
  return true;
}

static bool fillSigmoid(Body &b) {
  addOperand(b);
  b << "y = Sigmoid(x)";
  return finish(b);
}

static bool fillLeakyRelu(Body &b) {
  addOperand(b);
  b << "y = LeakyRelu" + b.attributes({"alpha"}) + "(x)";
  return finish(b);
}

/// Version 13 of Softmax is along one dimension, older ones along all from one
/// on.
static bool fillSoftmax(Body &b) {
  addOperand(b);
  std::string axis = std::to_string(b.integer("axis", -1));
  if (b.integer("opset", 13) >= 13) {
    b << "y = Softmax<axis = " + axis + ">(x)";
    return finish(b);
  }
  b << "rows = Flatten<axis = " + axis + ">(x)"
    << "normal = Softmax<axis = -1>(rows)" << "shape = Shape(x)"
    << "y = Reshape<allowzero = 1>(normal, shape)";
  return finish(b);
}

/// Pooling with the channels at the second or at the last dimension.
static bool fillPool(Body &b, const std::string &pool) {
  addOperand(b);
  if (b.integer("channels_last", 0) == 0) {
    b << "y = " + pool + "(x)";
    return true;
  }
  int rank = b.rank(0);
  if (rank < 3)
    return false;
  b.withChannelsFirst("x", rank, pool, "y");
  return true;
}

static bool fillAveragePool(Body &b) {
  if (!fillPool(b, "AveragePool" + b.attributesOf("AveragePool")))
    return false;
  b << "quanta = Div(y, Y_scale)";
  roundTogether(b, "Y", "quanta", "Y_zero_point", 4);
  return true;
}

static bool fillGlobalAveragePool(Body &b) {
  return fillPool(b, "GlobalAveragePool") && finish(b);
}

static OpSchema unary(const char *name, const char *doc) {
  OpSchema schema;
  schema.SetName(name)
      .SetDoc(doc)
      .Input(0, "X", "The input.", "T")
      .Input(1, "X_scale", "Its scale.", "tensor(float)")
      .Input(2, "X_zero_point", "Its zero point.", "T", OpSchema::Optional)
      .Input(3, "Y_scale", "Scale of the result.", "tensor(float)")
      .Input(4, "Y_zero_point", "Zero point of the result.", "T",
             OpSchema::Optional)
      .Output(0, "Y", "The result.", "T")
      .TypeConstraint("T", byteTypes, "Bytes.");
  return schema;
}

static OpSchema averagePool() {
  OpSchema schema = unary("QLinearAveragePool", "AveragePool on bytes.");
  schema.Attr("channels_last", "Whether channels come last.",
              AttributeProto::INT, static_cast<int64_t>(0));
  addAttributesOf(schema, "AveragePool", {"dilations"});
  return schema;
}

//===----------------------------------------------------------------------===//
// Many operands
//===----------------------------------------------------------------------===//

/// Operands come as triples of value, scale and zero point.
static bool fillConcat(Body &b) {
  std::vector<std::string> names = b.variadic(2, "inputs");
  if (names.empty() || names.size() % 3 != 0)
    return false;
  std::string all;
  for (size_t i = 0; i < names.size(); i += 3) {
    std::string value = "x" + std::to_string(i / 3);
    b << value + " = DequantizeLinear(" + names[i] + ", " + names[i + 1] +
             ", " + names[i + 2] + ")";
    all += (i ? ", " : "") + value;
  }
  b << "y = Concat<axis = " + std::to_string(b.integer("axis", 0)) + ">(" +
           all + ")"
    << "Y = QuantizeLinear(y, Y_scale, Y_zero_point)";
  return true;
}

static OpSchema concat() {
  OpSchema schema;
  schema.SetName("QLinearConcat")
      .SetDoc("Concat of the numbers of the operands.")
      .Input(0, "Y_scale", "Scale of the result.", "tensor(float)")
      .Input(1, "Y_zero_point", "Zero point of the result.", "T")
      .Input(2, "inputs", "Value, scale and zero point of each operand.", "TV",
             OpSchema::Variadic, /*is_homogeneous=*/false)
      .Output(0, "Y", "The result.", "T")
      .Attr("axis", "Which dimension grows.", AttributeProto::INT)
      .TypeConstraint("T", byteTypes, "Bytes.")
      .TypeConstraint("TV", {"tensor(uint8)", "tensor(int8)", "tensor(float)"},
                      "Bytes and scales.");
  return schema;
}

static bool fillWhere(Body &b) {
  b << "x = DequantizeLinear(X, x_scale, x_zero_point)"
    << "other = DequantizeLinear(Y, y_scale, y_zero_point)"
    << "z = Where(condition, x, other)"
    << "Z = QuantizeLinear(z, z_scale, z_zero_point)";
  return true;
}

static OpSchema where() {
  OpSchema schema;
  schema.SetName("QLinearWhere")
      .SetDoc("Where of the numbers of X and Y.")
      .Input(0, "condition", "Whether X counts.", "tensor(bool)");
  int next = 1;
  for (const char *value : {"X", "Y", "Z"}) {
    std::string lower(1, static_cast<char>(std::tolower(*value)));
    if (*value != 'Z')
      schema.Input(next++, value, "An operand.", "T");
    schema.Input(next++, lower + "_scale", "Its scale.", "tensor(float)")
        .Input(next++, lower + "_zero_point", "Its zero point.", "T");
  }
  schema.Output(0, "Z", "The result.", "T")
      .TypeConstraint("T", byteTypes, "Bytes.");
  return schema;
}

//===----------------------------------------------------------------------===//
// Quantisation itself
//===----------------------------------------------------------------------===//

static bool fillQuantize(Body &b) {
  b << "y = QuantizeLinear" + b.attributes({"axis"}) +
           "(x, y_scale, y_zero_point)";
  return true;
}

static bool fillDequantize(Body &b) {
  b << "y = DequantizeLinear" + b.attributes({"axis"}) +
           "(x, x_scale, x_zero_point)";
  return true;
}

/// `scaled` is x or y: the tensor of the scale. `integers` come beside those of
/// 4 to 16 bits.
static OpSchema quantisation(const char *name, const std::string &scaled,
                             const char *from, const char *to,
                             std::vector<std::string> integers) {
  OpSchema schema;
  for (const char *type : {"tensor(int8)", "tensor(uint8)", "tensor(int16)",
                           "tensor(uint16)", "tensor(int4)", "tensor(uint4)"})
    integers.push_back(type);
  schema.SetName(name)
      .SetDoc("As the operator of the standard, for more types.")
      .Input(0, "x", "The input.", from)
      .Input(1, scaled + "_scale", "The scale.", "T1")
      .Input(2, scaled + "_zero_point", "The zero point.", "T2",
             OpSchema::Optional)
      .Output(0, "y", "The result.", to)
      .Attr("axis", "Dimension of the scales.", AttributeProto::INT,
            ::onnx::OPTIONAL_VALUE)
      .TypeConstraint("T1", {"tensor(float)", "tensor(float16)"}, "Reals.")
      .TypeConstraint("T2", integers, "Integers.");
  return schema;
}

void onnxc::schema::microsoft::registerQuantized() {
  define(binary("QLinearAdd"), fillAdd);
  define(binary("QLinearMul"), fillMul);
  define(unary("QLinearSigmoid", "Sigmoid on bytes."), fillSigmoid);
  define(unary("QLinearLeakyRelu", "LeakyRelu on bytes.")
             .Attr("alpha", "Slope of negative numbers.", AttributeProto::FLOAT,
                   0.01f),
         fillLeakyRelu);
  define(unary("QLinearSoftmax", "Softmax on bytes.")
             .Attr("axis", "As in Softmax.", AttributeProto::INT,
                   static_cast<int64_t>(-1))
             .Attr("opset", "Version of Softmax.", AttributeProto::INT,
                   static_cast<int64_t>(13)),
         fillSoftmax);
  define(averagePool(), fillAveragePool);
  define(unary("QLinearGlobalAveragePool", "GlobalAveragePool on bytes.")
             .Attr("channels_last", "Whether channels come last.",
                   AttributeProto::INT, static_cast<int64_t>(0)),
         fillGlobalAveragePool);
  define(concat(), fillConcat);
  define(where(), fillWhere);
  define(quantisation("QuantizeLinear", "y", "T1", "T2", {}), fillQuantize);
  define(quantisation("DequantizeLinear", "x", "T2", "T1", {"tensor(int32)"}),
         fillDequantize);
}
