//===- ObjectTests.cpp - Objects of a call and values at its border -------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace onnxc::rt;
using testing::ElementsAre;
using testing::HasSubstr;

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

using CallFunction = std::remove_pointer_t<OnnxcCallFn>;
extern "C" CallFunction onnxc_call_cast_map;
extern "C" CallFunction onnxc_call_sequence_construct;
extern "C" CallFunction onnxc_call_sequence_insert;

namespace {

/// A call that is always going on.
struct ObjectTest : testing::Test {
  OMContext *context = omContextCreate("pool");
  OnnxcCall *call = static_cast<OnnxcCall *>(context);

  ~ObjectTest() override {
    context->pool.endCall();
    omContextDestroy(context);
  }

  TensorObject *numbers(std::vector<int64_t> values) {
    int64_t count = int64_t(values.size());
    return copyTensor(call, {values.data(), ONNX_TYPE_INT64, 1, &count});
  }

  const char *message() { return omContextGetMessage(context); }
};

} // namespace

TEST_F(ObjectTest, MapsBecomeVectorsInTheOrderOfTheirKeys) {
  constexpr int64_t count = 5000;
  std::vector<int64_t> keys;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    keys.push_back(i * 7919 % count - count / 2);
    values.push_back(float(keys.back()));
  }
  TensorObject *elements =
      copyTensor(call, {values.data(), ONNX_TYPE_FLOAT, 1, &count});
  int64_t dims[2], params[2] = {ONNX_TYPE_FLOAT, -1};
  OnnxcValue given = {makeMap(call, numbers(keys), elements), nullptr, 0, 0};
  OnnxcValue out = {nullptr, dims, 2, 0};
  ASSERT_EQ(onnxc_call_cast_map(call, 1, &out, 1, &given, params), 0);
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ(static_cast<float *>(out.data)[i], float(i - count / 2));
  call->deadline = 1;
  EXPECT_EQ(onnxc_call_cast_map(call, 1, &out, 1, &given, params),
            ONNXC_ERR_DEADLINE);
  call->deadline = 0;
}

TEST_F(ObjectTest, ReshapedTensorsShareTheirElements) {
  TensorObject *tensor = numbers({1, 2, 3});
  int64_t dims[2] = {3, 1};
  TensorObject *column = shareTensor(call, *tensor, 2, dims);
  ASSERT_TRUE(column);
  EXPECT_EQ(column->data, tensor->data);
  EXPECT_EQ(viewOf(*column).count(), 3);
  release(call, tensor);
  EXPECT_EQ(static_cast<int64_t *>(column->data)[2], 3); // kept by the other
  release(call, column);
}

TEST_F(ObjectTest, TensorsAreCopiedBorrowedAndShared) {
  TensorObject *tensor = numbers({1, 2, 3});
  EXPECT_EQ(viewOf(*tensor).count(), 3);
  EXPECT_EQ(viewOf(*tensor).bytes(), 24);
  int64_t dims[1] = {-1};
  OnnxcValue buffer = {nullptr, dims, 1, ONNX_TYPE_INT64};
  ASSERT_EQ(giveElement(call, buffer, tensor, ONNX_TYPE_INT64, "test"), 0);
  EXPECT_EQ(buffer.data, tensor->data); // shared
  EXPECT_EQ(dims[0], 3);
  release(call, tensor);
  EXPECT_EQ(static_cast<int64_t *>(buffer.data)[2], 3); // kept by the buffer
  onnxc_rt_release(call, buffer.data);

  int64_t own[2] = {4, 5}, two = 2;
  TensorObject *borrowed = borrowTensor(call, {own, ONNX_TYPE_INT64, 1, &two});
  EXPECT_EQ(borrowed->data, own);
  dims[0] = -1;
  ASSERT_EQ(giveElement(call, buffer, borrowed, ONNX_TYPE_INT64, "test"), 0);
  EXPECT_NE(buffer.data, own); // only blocks of the pool can be shared
  EXPECT_EQ(static_cast<int64_t *>(buffer.data)[1], 5);
}

TEST_F(ObjectTest, WrongElementsAreRefused) {
  TensorObject *tensor = numbers({1, 2, 3});
  int64_t dims[2] = {2, -1};
  OnnxcValue buffer = {nullptr, dims, 1, ONNX_TYPE_INT64};
  EXPECT_NE(giveElement(call, buffer, tensor, ONNX_TYPE_INT64, "At"), 0);
  EXPECT_THAT(message(), HasSubstr("At: dimension 0 of the element is 3"));
  context->status = ONNXC_OK;
  EXPECT_NE(giveElement(call, buffer, tensor, ONNX_TYPE_FLOAT, "At"), 0);
  EXPECT_THAT(message(), HasSubstr("is i64 and the model expects f32"));
  context->status = ONNXC_OK;
  buffer.rank = 2;
  EXPECT_NE(giveElement(call, buffer, tensor, ONNX_TYPE_INT64, "At"), 0);
  EXPECT_THAT(message(), HasSubstr("has rank 1 and the model expects 2"));
  context->status = ONNXC_OK;
  ListObject *list = makeList(call, ONNXC_KIND_SEQUENCE, 0);
  EXPECT_NE(giveElement(call, buffer, list, ONNX_TYPE_INT64, "At"), 0);
  EXPECT_THAT(message(), HasSubstr("no tensor"));
}

TEST_F(ObjectTest, AbsurdSizesAreRefused) {
  int64_t dims[2] = {int64_t(1) << 40, int64_t(1) << 40};
  EXPECT_EQ(makeTensor(call, ONNX_TYPE_FLOAT, 2, dims), nullptr);
  EXPECT_THAT(message(), HasSubstr("invalid size"));
  context->status = ONNXC_OK;
  int64_t empty[3] = {int64_t(1) << 40, int64_t(1) << 40, 0};
  EXPECT_EQ(makeTensor(call, ONNX_TYPE_FLOAT, 3, empty), nullptr);
  context->status = ONNXC_OK;
  EXPECT_EQ(onnxc_rt_status(call), ONNXC_OK);
  onnxc_rt_alloc(call, 2 * ONNXC_MAX_TENSOR_BYTES);
  EXPECT_STREQ(message(), "a size is negative or too large");
  context->status = ONNXC_OK;
  EXPECT_EQ(makeTensor(call, ONNX_TYPE_FLOAT, 1, dims), nullptr);
  EXPECT_NE(context->status, ONNXC_OK); // no memory
  context->status = ONNXC_OK;
  EXPECT_EQ(makeList(call, ONNXC_KIND_SEQUENCE, -1), nullptr);
  EXPECT_EQ(makeMap(call, numbers({1}), nullptr), nullptr);
}

TEST_F(ObjectTest, InsertionsIntoOwnListsDoNotCopy) {
  OnnxcValue list = {};
  ASSERT_EQ(onnxc_call_sequence_construct(call, 1, &list, 0, nullptr, nullptr),
            0);
  int64_t params[1] = {ONNX_TYPE_INT64};
  int64_t number = 0;
  int moves = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    OnnxcValue ins[2] = {list, {&number, nullptr, 0, ONNX_TYPE_INT64}};
    OnnxcValue longer = {};
    ASSERT_EQ(onnxc_call_sequence_insert(call, 1, &longer, 2, ins, params), 0);
    moves += longer.data != list.data;
    list = longer;
  }
  EXPECT_LT(moves, 20);
  // Somebody else looks at it: he keeps what he saw.
  ListObject *seen = static_cast<ListObject *>(retain(objectOf(list)));
  OnnxcValue ins[2] = {list, {&number, nullptr, 0, ONNX_TYPE_INT64}};
  OnnxcValue longer = {};
  ASSERT_EQ(onnxc_call_sequence_insert(call, 1, &longer, 2, ins, params), 0);
  EXPECT_EQ(seen->size, 1000);
  EXPECT_EQ(static_cast<ListObject *>(objectOf(longer))->size, 1001);
  int64_t held = context->pool.heldBytes();
  release(call, objectOf(longer));
  release(call, seen);
  ASSERT_NE(makeTensor(call, ONNX_TYPE_INT64, 0, nullptr), nullptr);
  EXPECT_EQ(context->pool.heldBytes(), held); // from the free lists
}

//===----------------------------------------------------------------------===//
// The border
//===----------------------------------------------------------------------===//

namespace {

OMValue *tensorValue(std::vector<float> values) {
  int64_t count = int64_t(values.size());
  OMTensor *tensor = omTensorCreateEmpty(&count, 1, ONNX_TYPE_FLOAT);
  std::copy(values.begin(), values.end(),
            static_cast<float *>(omTensorGetDataPtr(tensor)));
  return omValueCreateTensor(tensor);
}

OMValue *sequenceOf(std::vector<OMValue *> elements) {
  return omValueCreateSequence(elements.data(), int64_t(elements.size()));
}

OMTensor *stringTensor(std::vector<const char *> texts) {
  int64_t count = int64_t(texts.size());
  OMTensor *tensor = omTensorCreateEmpty(&count, 1, ONNX_TYPE_STRING);
  for (size_t i = 0; i < texts.size(); ++i)
    static_cast<char **>(omTensorGetDataPtr(tensor))[i] =
        texts[i] ? strdup(texts[i]) : nullptr;
  return tensor;
}

std::vector<float> floatsOf(const OMValue *value) {
  const OMTensor *tensor = omValueGetTensor(value);
  const float *data = static_cast<const float *>(omTensorGetDataPtr(tensor));
  return {data, data + omTensorGetNumElems(tensor)};
}

/// Runs an entry point of the model by hand on one value, which it destroys.
struct Border {
  OMContext *context;
  OMBuffer output = {};

  explicit Border(const char *entry) : context(omContextCreate(entry)) {}
  ~Border() { omContextDestroy(context); }

  OM_STATUS run(OMValue *value) {
    OMBuffer input = {value, 0, nullptr, 0, ONNX_TYPE_UNDEFINED};
    OM_STATUS status = omContextRun(context, &input, 1, &output, 1);
    omValueDestroy(value); // the output is a copy
    return status;
  }
  const OMValue *result() { return static_cast<OMValue *>(output.data); }
  const char *message() { return omContextGetMessage(context); }
};

} // namespace

TEST(Border, SequencesOfTensors) {
  Border rows("same_rows");
  ASSERT_EQ(rows.run(sequenceOf(
                {tensorValue({1, 2}), tensorValue({}), tensorValue({3})})),
            OM_STATUS_OK);
  EXPECT_EQ(omValueGetKind(rows.result()), OM_VALUE_SEQUENCE);
  ASSERT_EQ(omValueGetSize(rows.result()), 3);
  EXPECT_THAT(floatsOf(omValueGetElement(rows.result(), 0)), ElementsAre(1, 2));
  EXPECT_THAT(floatsOf(omValueGetElement(rows.result(), 1)), ElementsAre());
  ASSERT_EQ(rows.run(sequenceOf({})), OM_STATUS_OK);
  EXPECT_EQ(omValueGetSize(rows.result()), 0);
}

TEST(Border, StridedTensorsAreMadeContiguous) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[1] = {3}, strides[1] = {2};
  OMTensor *tensor = omTensorCreate(data, shape, 1, ONNX_TYPE_FLOAT);
  omTensorSetStrides(tensor, strides);
  Border rows("same_rows");
  ASSERT_EQ(rows.run(sequenceOf({omValueCreateTensor(tensor)})), OM_STATUS_OK);
  EXPECT_THAT(floatsOf(omValueGetElement(rows.result(), 0)),
              ElementsAre(1, 3, 5));
}

TEST(Border, OptionalsWithAndWithoutElement) {
  Border some("same_some");
  ASSERT_EQ(some.run(omValueCreateOptional(nullptr)), OM_STATUS_OK);
  EXPECT_EQ(omValueGetKind(some.result()), OM_VALUE_OPTIONAL);
  EXPECT_EQ(omValueGetSize(some.result()), 0);
  ASSERT_EQ(some.run(omValueCreateOptional(sequenceOf({tensorValue({1, 2})}))),
            OM_STATUS_OK);
  EXPECT_EQ(omValueGetSize(some.result()), 1);
  // What is there may be given as it is.
  ASSERT_EQ(some.run(sequenceOf({tensorValue({7})})), OM_STATUS_OK);
  EXPECT_EQ(omValueGetKind(some.result()), OM_VALUE_OPTIONAL);
  const OMValue *rows = omValueGetElement(some.result(), 0);
  EXPECT_THAT(floatsOf(omValueGetElement(rows, 0)), ElementsAre(7));
}

TEST(Border, MapsOfNumbersByString) {
  OMValue *values[2] = {tensorValue({1}), tensorValue({2})};
  Border words("same_words");
  ASSERT_EQ(words.run(omValueCreateMap(stringTensor({"a", "bc"}), values, 2)),
            OM_STATUS_OK);
  EXPECT_EQ(omValueGetKind(words.result()), OM_VALUE_MAP);
  ASSERT_EQ(omValueGetSize(words.result()), 2);
  char **keys =
      static_cast<char **>(omTensorGetDataPtr(omValueGetKey(words.result())));
  EXPECT_STREQ(keys[0], "a");
  EXPECT_STREQ(keys[1], "bc");
  const OMValue *second = omValueGetElement(words.result(), 1);
  EXPECT_EQ(omTensorGetRank(omValueGetTensor(second)), 0);
  EXPECT_THAT(floatsOf(second), ElementsAre(2));
}

TEST(Border, MapsOfRowsByNumber) {
  int64_t two = 2;
  OMTensor *keys = omTensorCreateEmpty(&two, 1, ONNX_TYPE_INT64);
  static_cast<int64_t *>(omTensorGetDataPtr(keys))[0] = 10;
  static_cast<int64_t *>(omTensorGetDataPtr(keys))[1] = -3;
  OMValue *values[2] = {tensorValue({1, 2}), tensorValue({3, 4})};
  Border map("same_map");
  ASSERT_EQ(map.run(omValueCreateMap(keys, values, 2)), OM_STATUS_OK);
  const void *key = omTensorGetDataPtr(omValueGetKey(map.result()));
  EXPECT_EQ(static_cast<const int64_t *>(key)[1], -3);
  EXPECT_THAT(floatsOf(omValueGetElement(map.result(), 1)), ElementsAre(3, 4));
}

TEST(Border, StringsAreCopied) {
  Border texts("same_texts");
  ASSERT_EQ(texts.run(sequenceOf(
                {omValueCreateTensor(stringTensor({"one", "", "drei"}))})),
            OM_STATUS_OK);
  const OMTensor *tensor =
      omValueGetTensor(omValueGetElement(texts.result(), 0));
  char **strings = static_cast<char **>(omTensorGetDataPtr(tensor));
  EXPECT_STREQ(strings[0], "one");
  EXPECT_STREQ(strings[1], "");
  EXPECT_STREQ(strings[2], "drei");
  EXPECT_EQ(texts.run(sequenceOf(
                {omValueCreateTensor(stringTensor({"one", nullptr}))})),
            OM_STATUS_INVALID);
  EXPECT_THAT(texts.message(), HasSubstr("a string is null"));
}

TEST(Border, TensorsOfUnknownRank) {
  OMContext *context = omContextCreate("same_tensor");
  float x[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[3] = {1, 3, 2};
  OMBuffer input = {x, sizeof x, shape, 3, ONNX_TYPE_FLOAT}, output = {};
  ASSERT_EQ(omContextRun(context, &input, 1, &output, 1), OM_STATUS_OK);
  EXPECT_EQ(output.rank, 3);
  EXPECT_EQ(output.shape[1], 3);
  EXPECT_EQ(static_cast<float *>(output.data)[5], 6);
  omContextDestroy(context);

  const char *strings[2] = {"x", "yz"};
  context = omContextCreate("same_string");
  shape[0] = 2;
  input = {strings, sizeof strings, shape, 1, ONNX_TYPE_STRING};
  output = {};
  ASSERT_EQ(omContextRun(context, &input, 1, &output, 1), OM_STATUS_OK);
  EXPECT_STREQ(static_cast<char **>(output.data)[1], "yz");
  omContextDestroy(context);
}

TEST(Border, WrongValuesAreRefused) {
  Border rows("same_rows");
  int64_t one = 1;
  EXPECT_EQ(rows.run(sequenceOf({omValueCreateTensor(
                omTensorCreateEmpty(&one, 1, ONNX_TYPE_DOUBLE))})),
            OM_STATUS_INVALID);
  EXPECT_STREQ(rows.message(), "input 'rows' (number 0): expected elements of "
                               "type f32, but got f64");
  EXPECT_EQ(rows.run(omValueCreateOptional(nullptr)), OM_STATUS_INVALID);
  EXPECT_THAT(rows.message(), HasSubstr("expected a sequence, but got an opt"));
  EXPECT_EQ(rows.run(sequenceOf({sequenceOf({})})), OM_STATUS_INVALID);
  EXPECT_THAT(rows.message(), HasSubstr("expected a tensor, but got a seq"));
  EXPECT_EQ(rows.run(nullptr), OM_STATUS_INVALID);
  OMTensor *hollow = omTensorCreate(nullptr, &one, 1, ONNX_TYPE_FLOAT);
  EXPECT_EQ(rows.run(sequenceOf({omValueCreateTensor(hollow)})),
            OM_STATUS_INVALID);
  EXPECT_THAT(rows.message(), HasSubstr("the data of a tensor is null"));

  Border words("same_words");
  OMValue *value = tensorValue({1});
  OMTensor *numbers = omTensorCreateEmpty(&one, 1, ONNX_TYPE_INT64);
  EXPECT_EQ(words.run(omValueCreateMap(numbers, &value, 1)), OM_STATUS_INVALID);
  EXPECT_THAT(words.message(), HasSubstr("type string, but got i64"));
  value = tensorValue({1, 2});
  EXPECT_EQ(words.run(omValueCreateMap(stringTensor({"k"}), &value, 1)),
            OM_STATUS_INVALID);
  EXPECT_THAT(words.message(), HasSubstr("a value of a map has 2 elements"));
  value = sequenceOf({});
  EXPECT_EQ(words.run(omValueCreateMap(stringTensor({"k"}), &value, 1)),
            OM_STATUS_INVALID);
  EXPECT_THAT(words.message(), HasSubstr("a value of a map is not a tensor"));
}
