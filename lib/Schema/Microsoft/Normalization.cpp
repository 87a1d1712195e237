//===- Normalization.cpp - Layer norms of transformers ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Body.h"

using namespace onnxc::schema::microsoft;
using ::onnx::AttributeProto;
using ::onnx::OpSchema;

/// sum = input + skip [+ bias]
static void addSum(Body &b, int bias) {
  b << "both = Add(input, skip)"
    << (b.hasInput(bias) ? "sum = Add(both, bias)" : "sum = Identity(both)")
    << "input_skip_bias_sum = Identity(sum)";
}

static bool fillSkipLayerNormalization(Body &b) {
  addSum(b, 4);
  b << "output, mean, inv_std_var = LayerNormalization<axis = -1, epsilon = " +
           literal(b.number("epsilon", 1e-12f)) + ">(sum, gamma, beta)";
  return true;
}

/// inv_std_var = 1 / sqrt(mean of squares + epsilon), along the last dimension.
static void addInverseRoot(Body &b, const std::string &value, float epsilon) {
  b.ints("last", {-1});
  b.real("epsilon_f32", epsilon);
  b << "wide = Cast<to = 1>(" + value + ")" << "squares = Mul(wide, wide)"
    << "meanSquare = ReduceMean(squares, last)"
    << "shifted = Add(meanSquare, epsilon_f32)" << "root = Sqrt(shifted)"
    << "inv_std_var = Reciprocal(root)";
}

static bool fillSkipSimplifiedLayerNormalization(Body &b) {
  addSum(b, 3);
  float epsilon = b.number("epsilon", 1e-12f);
  addInverseRoot(b, "sum", epsilon);
  b << "output = RMSNormalization<axis = -1, epsilon = " + literal(epsilon) +
           ">(sum, gamma)"
    << "mean = Sub(inv_std_var, inv_std_var)";
  return true;
}

static bool fillSimplifiedLayerNormalization(Body &b) {
  if (b.hasOutput(1) && b.integer("axis", -1) != -1)
    return false;
  float epsilon = b.number("epsilon", 1e-5f);
  addInverseRoot(b, "X", epsilon);
  b << "Y = RMSNormalization<axis = " + std::to_string(b.integer("axis", -1)) +
           ", epsilon = " + literal(epsilon) + ">(X, scale)";
  return true;
}

/// Rows of three tables are summed and normalised.
static bool fillEmbedLayerNormalization(Body &b) {
  b.ints("first", {0});
  b.ints("second", {1});
  b.real("zero", 0);
  b << "ids = Cast<to = 7>(input_ids)"
    << "words = Gather<axis = 0>(word_embedding, ids)"
    << "sequence = Shape<start = 1, end = 2>(input_ids)"
    << "length = Squeeze(sequence)";
  if (b.hasInput(8)) {
    b << "positions = Cast<to = 7>(position_ids)";
  } else {
    b << "start = Constant<value_int = 0>()"
      << "step = Constant<value_int = 1>()"
      << "positions = Range(start, length, step)";
  }
  b << "position_rows = Gather<axis = 0>(position_embedding, positions)"
    << "embedded = Add(words, position_rows)";
  if (b.hasInput(1) && b.hasInput(4))
    b << "segments = Cast<to = 7>(segment_ids)"
      << "kinds = Gather<axis = 0>(segment_embedding, segments)"
      << "sum = Add(embedded, kinds)";
  else
    b << "sum = Identity(embedded)";
  b << "embedding_sum = Identity(sum)"
    << "output = LayerNormalization<axis = -1, epsilon = " +
           literal(b.number("epsilon", 1e-12f)) + ">(sum, gamma, beta)";
  if (b.hasInput(7))
    b << "counts = Cast<to = 6>(mask)"
      << "mask_index = ReduceSum<keepdims = 0>(counts, second)";
  else
    b << "batch = Shape<start = 0, end = 1>(input_ids)"
      << "mask_index = ConstantOfShape<value = int32[1]{0}>(batch)";
  return true;
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

static OpSchema &addConstraints(OpSchema &schema) {
  return schema.TypeConstraint("T", floatTypes, "Floating-point tensors.")
      .TypeConstraint("U", {"tensor(float)"}, "Statistics.");
}

static OpSchema skipNormalization(const char *name, bool isSimplified) {
  OpSchema schema;
  schema.SetName(name)
      .SetDoc("Normalises input + skip + bias along the last dimension.")
      .Input(0, "input", "The input.", "T")
      .Input(1, "skip", "Added to it.", "T")
      .Input(2, "gamma", "Factors of the last dimension.", "T");
  int next = 3;
  if (!isSimplified)
    schema.Input(next++, "beta", "Added at the end.", "T", OpSchema::Optional);
  schema.Input(next, "bias", "Added to the input as well.", "T",
               OpSchema::Optional);
  schema.Output(0, "output", "The result.", "T")
      .Output(1, "mean", "Of each row.", "U", OpSchema::Optional)
      .Output(2, "inv_std_var", "Of each row.", "U", OpSchema::Optional)
      .Output(3, "input_skip_bias_sum", "The sum that is normalised.", "T",
              OpSchema::Optional)
      .Attr("epsilon", "Added to the variance.", AttributeProto::FLOAT, 1e-12f);
  return addConstraints(schema);
}

static OpSchema simplifiedNormalization() {
  OpSchema schema;
  schema.SetName("SimplifiedLayerNormalization")
      .SetDoc("Root mean square normalisation.")
      .Input(0, "X", "The input.", "T")
      .Input(1, "scale", "Factors.", "T")
      .Output(0, "Y", "The result.", "T")
      .Output(1, "inv_std_var", "Of each row.", "U", OpSchema::Optional)
      .Attr("axis", "First dimension normalised.", AttributeProto::INT,
            static_cast<int64_t>(-1))
      .Attr("epsilon", "Added to the mean square.", AttributeProto::FLOAT,
            1e-5f)
      .Attr("stash_type", "Type of the statistics.", AttributeProto::INT,
            static_cast<int64_t>(1));
  return addConstraints(schema);
}

static OpSchema embedNormalization() {
  OpSchema schema;
  auto optional = OpSchema::Optional;
  schema.SetName("EmbedLayerNormalization")
      .SetDoc(
          "Sums embeddings of words, positions and segments, and normalises.")
      .Input(0, "input_ids", "[batch, sequence]", "T1")
      .Input(1, "segment_ids", "[batch, sequence]", "T1", optional)
      .Input(2, "word_embedding", "A row for each word.", "T")
      .Input(3, "position_embedding", "A row for each position.", "T")
      .Input(4, "segment_embedding", "A row for each segment.", "T", optional)
      .Input(5, "gamma", "Factors of the last dimension.", "T")
      .Input(6, "beta", "Added at the end.", "T")
      .Input(7, "mask", "[batch, sequence]", "T1", optional)
      .Input(8, "position_ids", "Instead of 0, 1, ..", "T1", optional)
      .Output(0, "output", "[batch, sequence, hidden]", "T")
      .Output(1, "mask_index", "Number of words unmasked.", "T1", optional)
      .Output(2, "embedding_sum", "The sum that is normalised.", "T", optional)
      .Attr("epsilon", "Added to the variance.", AttributeProto::FLOAT, 1e-12f)
      .Attr("mask_index_type", "Form of mask_index.", AttributeProto::INT,
            static_cast<int64_t>(0))
      .TypeConstraint("T1", {"tensor(int32)"}, "Numbers of rows.")
      .TypeConstraint("T", floatTypes, "Floating-point tensors.");
  return schema;
}

void onnxc::schema::microsoft::registerNormalization() {
  define(skipNormalization("SkipLayerNormalization", false),
         fillSkipLayerNormalization);
  define(skipNormalization("SkipSimplifiedLayerNormalization", true),
         fillSkipSimplifiedLayerNormalization);
  define(simplifiedNormalization(), fillSimplifiedLayerNormalization);
  define(embedNormalization(), fillEmbedLayerNormalization);
}
