//===- TensorTests.cpp - OMTensor, one function at a time -----------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "OnnxMlirRuntime.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {

std::vector<int64_t> shapeOf(const OMTensor *tensor) {
  const int64_t *shape = omTensorGetShape(tensor);
  return std::vector<int64_t>(shape, shape + omTensorGetRank(tensor));
}

std::vector<int64_t> stridesOf(const OMTensor *tensor) {
  const int64_t *strides = omTensorGetStrides(tensor);
  return std::vector<int64_t>(strides, strides + omTensorGetRank(tensor));
}

std::string printed(const char *message, const OMTensor *tensor) {
  testing::internal::CaptureStdout();
  omTensorPrint(message, tensor);
  fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

/// A 2 x 3 tensor over `data`.
struct SmallTensor : testing::Test {
  int64_t shape[2] = {2, 3};
  float data[6] = {1, 2, 3, 4, 5, 6};
  OMTensor *tensor = omTensorCreate(data, shape, 2, ONNX_TYPE_FLOAT);
  ~SmallTensor() override { omTensorDestroy(tensor); }
};

} // namespace

TEST_F(SmallTensor, CreateCopiesTheShapeAndNotTheData) {
  shape[0] = 7;
  EXPECT_EQ(shapeOf(tensor), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(stridesOf(tensor), (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(omTensorGetDataPtr(tensor), data);
  EXPECT_EQ(omTensorGetAllocatedPtr(tensor), data);
  EXPECT_EQ(omTensorGetDataType(tensor), ONNX_TYPE_FLOAT);
  EXPECT_EQ(omTensorGetRank(tensor), 2);
  EXPECT_EQ(omTensorGetNumElems(tensor), 6);
  EXPECT_EQ(omTensorGetBufferSize(tensor), 24);
  EXPECT_EQ(omTensorGetOwning(tensor), 0);
}

// Whoever has a tensor may multiply any of its sizes without a check.
TEST(Tensor, SizesBesideOneOfZeroAreBounded) {
  int64_t dims[3] = {int64_t(1) << 40, 0, 64};
  OMTensor *tensor = omTensorCreate(nullptr, dims, 3, ONNX_TYPE_INT8);
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(omTensorGetBufferSize(tensor), 0);
  omTensorDestroy(tensor);
  EXPECT_EQ(omTensorCreate(nullptr, dims, 3, ONNX_TYPE_FLOAT), nullptr);
  int64_t wrapped[3] = {int64_t(1) << 40, int64_t(1) << 40, 0};
  EXPECT_EQ(omTensorCreate(nullptr, wrapped, 3, ONNX_TYPE_INT8), nullptr);
}

TEST(Tensor, CreateRefusesNonsense) {
  int64_t shape[2] = {2, -1}, huge[2] = {INT64_MAX, 4};
  EXPECT_EQ(omTensorCreate(nullptr, shape, 2, ONNX_TYPE_FLOAT), nullptr);
  EXPECT_EQ(omTensorCreate(nullptr, huge, 2, ONNX_TYPE_FLOAT), nullptr);
  EXPECT_EQ(omTensorCreate(nullptr, nullptr, 1, ONNX_TYPE_FLOAT), nullptr);
  EXPECT_EQ(omTensorCreate(nullptr, shape, -1, ONNX_TYPE_FLOAT), nullptr);
  EXPECT_EQ(omTensorCreate(nullptr, shape, 1, OM_DATA_TYPE(29)), nullptr);
}

TEST(Tensor, CreateWithOwnershipFreesTheData) {
  int64_t shape[1] = {4};
  OMTensor *tensor = omTensorCreateWithOwnership(
      malloc(16), shape, 1, ONNX_TYPE_INT32, OMTENSOR_OWNING_DATA_PTR);
  EXPECT_EQ(omTensorGetOwning(tensor), OMTENSOR_OWNING_DATA_PTR);
  omTensorDestroy(tensor); // the leak checker watches
}

TEST(Tensor, CreateWithOwnershipFreesTheStrings) {
  int64_t shape[1] = {2};
  char **strings = static_cast<char **>(malloc(2 * sizeof(char *)));
  strings[0] = strdup("one");
  strings[1] = strdup("two");
  OMTensor *tensor = omTensorCreateWithOwnership(
      strings, shape, 1, ONNX_TYPE_STRING, OMTENSOR_OWNING_DATA_PTR_AND_STRING);
  EXPECT_EQ(omTensorGetBufferSize(tensor), int64_t(2 * sizeof(char *)));
  omTensorDestroy(tensor);
}

TEST(Tensor, CreateEmptyAllocatesAligned) {
  int64_t shape[2] = {5, 7};
  OMTensor *tensor = omTensorCreateEmpty(shape, 2, ONNX_TYPE_DOUBLE);
  void *data = omTensorGetDataPtr(tensor);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(uintptr_t(data) % 64, 0u);
  memset(data, 1, size_t(omTensorGetBufferSize(tensor)));
  EXPECT_NE(omTensorGetOwning(tensor), 0);
  omTensorDestroy(tensor);
}

TEST(Tensor, CreateEmptyOfStringsIsNull) {
  int64_t shape[1] = {3};
  OMTensor *tensor = omTensorCreateEmpty(shape, 1, ONNX_TYPE_STRING);
  char **strings = static_cast<char **>(omTensorGetDataPtr(tensor));
  EXPECT_EQ(strings[2], nullptr);
  strings[1] = strdup("freed with the tensor");
  omTensorDestroy(tensor);
}

TEST(Tensor, CreateEmptyOfNothing) {
  int64_t shape[2] = {0, 7};
  OMTensor *tensor = omTensorCreateEmpty(shape, 2, ONNX_TYPE_FLOAT);
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(omTensorGetNumElems(tensor), 0);
  EXPECT_EQ(omTensorGetBufferSize(tensor), 0);
  omTensorDestroy(tensor);
}

TEST_F(SmallTensor, SetDataPtr) {
  float *block = static_cast<float *>(malloc(7 * sizeof(float)));
  omTensorSetDataPtr(tensor, 1, block, block + 1);
  EXPECT_EQ(omTensorGetAllocatedPtr(tensor), block);
  EXPECT_EQ(omTensorGetDataPtr(tensor), block + 1);
  EXPECT_EQ(omTensorGetOwning(tensor), 1);
  omTensorSetDataPtr(tensor, 0, data, nullptr); // frees the block
  EXPECT_EQ(omTensorGetDataPtr(tensor), data);
}

TEST_F(SmallTensor, SetDataType) {
  omTensorSetDataType(tensor, ONNX_TYPE_INT32);
  EXPECT_EQ(omTensorGetDataType(tensor), ONNX_TYPE_INT32);
  omTensorSetDataType(tensor, OM_DATA_TYPE(1000));
  EXPECT_EQ(omTensorGetDataType(tensor), ONNX_TYPE_INT32);
}

TEST_F(SmallTensor, SetShape) {
  int64_t other[2] = {3, 2};
  omTensorSetShape(tensor, other);
  EXPECT_EQ(shapeOf(tensor), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(stridesOf(tensor), (std::vector<int64_t>{2, 1}));
}

TEST_F(SmallTensor, SetStrides) {
  int64_t strides[2] = {1, 2};
  omTensorSetStrides(tensor, strides);
  EXPECT_EQ(stridesOf(tensor), (std::vector<int64_t>{1, 2}));
  int64_t bytes[2] = {12, 4};
  omTensorSetStridesWithPyArrayStrides(tensor, bytes);
  EXPECT_EQ(stridesOf(tensor), (std::vector<int64_t>{3, 1}));
}

TEST_F(SmallTensor, SetOwning) {
  omTensorSetOwning(tensor, 1);
  EXPECT_EQ(omTensorGetOwning(tensor), 1);
  omTensorSetOwning(tensor, 0);
}

TEST_F(SmallTensor, Print) {
  EXPECT_EQ(printed("x is %t: %d%e", tensor),
            "x is 2x3xf32: [[1, 2, 3], [4, 5, 6]]\n");
  EXPECT_EQ(printed("100%% %x", tensor), "100% %x");
  EXPECT_EQ(printed("%s", tensor),
            "tensor 2x3xf32, strides [3, 1], 6 elements, 24 bytes, not owning");
}

TEST(Tensor, PrintsNothingOfAnEmptyOne) {
  float none;
  int64_t shape[] = {int64_t(1) << 40, 0};
  OMTensor *tensor = omTensorCreate(&none, shape, 2, ONNX_TYPE_FLOAT);
  EXPECT_EQ(printed("%t: %d", tensor), "1099511627776x0xf32: []");
  omTensorDestroy(tensor);
}

template <typename T>
static std::string printedScalar(OM_DATA_TYPE type, T value) {
  OMTensor *tensor = omTensorCreate(&value, nullptr, 0, type);
  std::string text = printed("%d", tensor);
  omTensorDestroy(tensor);
  return text;
}

TEST(Tensor, PrintKnowsEveryType) {
  EXPECT_EQ(printedScalar<uint8_t>(ONNX_TYPE_UINT8, 200), "200");
  EXPECT_EQ(printedScalar<int8_t>(ONNX_TYPE_INT8, -100), "-100");
  EXPECT_EQ(printedScalar<int8_t>(ONNX_TYPE_INT4, -8), "-8");
  EXPECT_EQ(printedScalar<uint16_t>(ONNX_TYPE_UINT16, 65535), "65535");
  EXPECT_EQ(printedScalar<int16_t>(ONNX_TYPE_INT16, -2), "-2");
  EXPECT_EQ(printedScalar<uint32_t>(ONNX_TYPE_UINT32, ~0u), "4294967295");
  EXPECT_EQ(printedScalar<int32_t>(ONNX_TYPE_INT32, -3), "-3");
  EXPECT_EQ(printedScalar<uint64_t>(ONNX_TYPE_UINT64, ~0ull),
            "18446744073709551615");
  EXPECT_EQ(printedScalar<int64_t>(ONNX_TYPE_INT64, INT64_MIN),
            "-9223372036854775808");
  EXPECT_EQ(printedScalar<uint8_t>(ONNX_TYPE_BOOL, 1), "true");
  EXPECT_EQ(printedScalar<double>(ONNX_TYPE_DOUBLE, 0.5), "0.5");
  EXPECT_EQ(printedScalar<const char *>(ONNX_TYPE_STRING, "a \"b\""),
            "\"a \\\"b\\\"\"");
  float complex[2] = {1, -2};
  uint64_t bits;
  memcpy(&bits, complex, 8);
  EXPECT_EQ(printedScalar(ONNX_TYPE_COMPLEX64, bits), "(1-2j)");
  EXPECT_EQ(printedScalar<uint16_t>(ONNX_TYPE_FLOAT16, 0x3e00), "1.5");
  EXPECT_EQ(printedScalar<uint16_t>(ONNX_TYPE_FLOAT16, 0x0001),
            "5.96046448e-08");
  EXPECT_EQ(printedScalar<uint16_t>(ONNX_TYPE_FLOAT16, 0xfc00), "-inf");
  EXPECT_EQ(printedScalar<uint16_t>(ONNX_TYPE_BFLOAT16, 0x4049), "3.140625");
  EXPECT_EQ(printedScalar<uint8_t>(ONNX_TYPE_FLOAT8E4M3FN, 0x7e), "448");
  EXPECT_EQ(printedScalar<uint8_t>(ONNX_TYPE_FLOAT8E4M3FN, 0x7f), "nan");
  EXPECT_EQ(printedScalar<uint8_t>(ONNX_TYPE_FLOAT8E4M3FNUZ, 0x80), "nan");
  EXPECT_EQ(printedScalar<uint8_t>(ONNX_TYPE_FLOAT8E5M2, 0x7c), "inf");
  EXPECT_EQ(printedScalar<uint8_t>(ONNX_TYPE_FLOAT8E5M2FNUZ, 0x40), "1");
  EXPECT_EQ(printedScalar<uint8_t>(ONNX_TYPE_FLOAT8E8M0, 0x80), "2");
  EXPECT_EQ(printedScalar<uint8_t>(ONNX_TYPE_FLOAT6E2M3, 0x1f), "7.5");
  EXPECT_EQ(printedScalar<uint8_t>(ONNX_TYPE_FLOAT6E3M2, 0x1f), "28");
  EXPECT_EQ(printedScalar<uint8_t>(ONNX_TYPE_FLOAT4E2M1, 0x0f), "-6");
}

TEST(Tensor, NullIsHarmless) {
  int64_t one = 1;
  omTensorDestroy(nullptr);
  omTensorSetShape(nullptr, &one);
  omTensorSetStrides(nullptr, &one);
  omTensorSetStridesWithPyArrayStrides(nullptr, &one);
  omTensorSetDataType(nullptr, ONNX_TYPE_FLOAT);
  omTensorSetDataPtr(nullptr, 0, nullptr, nullptr);
  omTensorSetOwning(nullptr, 1);
  EXPECT_EQ(omTensorGetDataPtr(nullptr), nullptr);
  EXPECT_EQ(omTensorGetAllocatedPtr(nullptr), nullptr);
  EXPECT_EQ(omTensorGetShape(nullptr), nullptr);
  EXPECT_EQ(omTensorGetStrides(nullptr), nullptr);
  EXPECT_EQ(omTensorGetRank(nullptr), 0);
  EXPECT_EQ(omTensorGetNumElems(nullptr), 0);
  EXPECT_EQ(omTensorGetBufferSize(nullptr), 0);
  EXPECT_EQ(omTensorGetOwning(nullptr), 0);
  EXPECT_EQ(omTensorGetDataType(nullptr), ONNX_TYPE_UNDEFINED);
  EXPECT_EQ(omTensorValue(nullptr), nullptr);
  EXPECT_EQ(printed("%d", nullptr), "%d");
}

//===----------------------------------------------------------------------===//
// OMTensorList
//===----------------------------------------------------------------------===//

static OMTensor *someTensor() {
  int64_t shape[1] = {1};
  return omTensorCreateEmpty(shape, 1, ONNX_TYPE_INT8);
}

TEST(TensorList, CreateCopiesTheArray) {
  OMTensor *tensors[2] = {someTensor(), someTensor()};
  OMTensorList *list = omTensorListCreate(tensors, 2);
  EXPECT_NE(omTensorListGetOmtArray(list), tensors);
  EXPECT_EQ(omTensorListGetSize(list), 2);
  EXPECT_EQ(omTensorListGetOmtByIndex(list, 1), tensors[1]);
  EXPECT_EQ(omTensorListGetOmtByIndex(list, 2), nullptr);
  EXPECT_EQ(omTensorListGetOmtByIndex(list, -1), nullptr);
  omTensorListDestroy(list);
}

TEST(TensorList, CreateWithOwnershipTakesTheArray) {
  OMTensor **tensors = static_cast<OMTensor **>(malloc(sizeof(OMTensor *)));
  tensors[0] = someTensor();
  OMTensorList *list = omTensorListCreateWithOwnership(tensors, 1, 1);
  EXPECT_EQ(omTensorListGetOmtArray(list), tensors);
  omTensorListDestroy(list);
}

TEST(TensorList, CreateWithOwnershipOfNothing) {
  OMTensor *tensors[1] = {someTensor()};
  OMTensorList *list = omTensorListCreateWithOwnership(tensors, 1, 0);
  omTensorListDestroy(list); // the tensor, not the array
}

TEST(TensorList, DestroyShallowKeepsTheTensors) {
  OMTensor *tensor = someTensor();
  omTensorListDestroyShallow(omTensorListCreate(&tensor, 1));
  EXPECT_EQ(omTensorGetRank(tensor), 1);
  omTensorDestroy(tensor);
}

TEST(TensorList, RefusesNonsense) {
  EXPECT_EQ(omTensorListCreate(nullptr, 1), nullptr);
  EXPECT_EQ(omTensorListCreate(nullptr, -1), nullptr);
  OMTensorList *empty = omTensorListCreate(nullptr, 0);
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(omTensorListGetSize(empty), 0);
  omTensorListDestroy(empty);
  omTensorListDestroy(nullptr);
  omTensorListDestroyShallow(nullptr);
  EXPECT_EQ(omTensorListGetSize(nullptr), 0);
  EXPECT_EQ(omTensorListGetOmtArray(nullptr), nullptr);
}

TEST(TensorList, Print) {
  int64_t shape[1] = {2};
  int8_t data[2] = {1, 2};
  OMTensor *tensors[2] = {omTensorCreate(data, shape, 1, ONNX_TYPE_INT8),
                          omTensorCreate(data, shape, 1, ONNX_TYPE_UINT8)};
  OMTensorList *list = omTensorListCreate(tensors, 2);
  testing::internal::CaptureStdout();
  omTensorListPrint("%t %d%e", list);
  fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "2xi8 [1, 2]\n2xui8 [1, 2]\n");
  omTensorListDestroy(list);
}

//===----------------------------------------------------------------------===//
// OMValue
//===----------------------------------------------------------------------===//

TEST(Value, Sequence) {
  OMTensor *tensor = someTensor();
  OMValue *elements[2] = {omValueCreateTensor(tensor),
                          omValueCreateTensor(someTensor())};
  OMValue *sequence = omValueCreateSequence(elements, 2);
  EXPECT_EQ(omValueGetKind(sequence), OM_VALUE_SEQUENCE);
  EXPECT_EQ(omValueGetSize(sequence), 2);
  EXPECT_EQ(omValueGetElement(sequence, 0), elements[0]);
  EXPECT_EQ(omValueGetElement(sequence, 2), nullptr);
  EXPECT_EQ(omValueGetKey(sequence), nullptr);
  EXPECT_EQ(omValueGetTensor(sequence), nullptr);
  EXPECT_EQ(omValueGetTensor(elements[0]), tensor);
  EXPECT_EQ(omValueGetKind(elements[0]), OM_VALUE_TENSOR);
  EXPECT_EQ(omValueGetSize(elements[0]), 1);
  omValueDestroy(sequence); // and all inside it
}

TEST(Value, MapInATensorSlot) {
  int64_t shape[1] = {2}, keys[2] = {7, 9};
  float values[2] = {0.25f, 0.75f};
  OMTensor *key = omTensorCreate(keys, shape, 1, ONNX_TYPE_INT64);
  OMValue *elements[2];
  for (int i = 0; i < 2; ++i)
    elements[i] = omValueCreateTensor(
        omTensorCreate(&values[i], nullptr, 0, ONNX_TYPE_FLOAT));
  OMValue *map = omValueCreateMap(key, elements, 2);
  EXPECT_EQ(omValueGetKind(map), OM_VALUE_MAP);
  EXPECT_EQ(omValueGetKey(map), key);
  OMTensor *slot = omTensorCreateFromValue(map);
  EXPECT_EQ(omTensorGetDataType(slot), ONNX_TYPE_UNDEFINED);
  EXPECT_EQ(omTensorValue(slot), map);
  EXPECT_EQ(printed("%d", slot), "{7: 0.25, 9: 0.75}");
  omTensorDestroy(slot);
}

TEST(Value, Optional) {
  OMValue *none = omValueCreateOptional(nullptr);
  EXPECT_EQ(omValueGetKind(none), OM_VALUE_OPTIONAL);
  EXPECT_EQ(omValueGetSize(none), 0);
  OMValue *some = omValueCreateOptional(omValueCreateOptional(nullptr));
  EXPECT_EQ(omValueGetSize(some), 1);
  EXPECT_EQ(omValueGetKind(omValueGetElement(some, 0)), OM_VALUE_OPTIONAL);
  omValueDestroy(none);
  omValueDestroy(some);
}

TEST(Value, ConstructorsTakeOverWhatTheyRefuse) {
  OMValue *elements[2] = {omValueCreateTensor(someTensor()), nullptr};
  EXPECT_EQ(omValueCreateSequence(elements, 2), nullptr);
  OMValue *one = omValueCreateTensor(someTensor());
  int64_t shape[1] = {3};
  OMTensor *keys = omTensorCreateEmpty(shape, 1, ONNX_TYPE_INT64);
  EXPECT_EQ(omValueCreateMap(keys, &one, 1), nullptr); // three keys
  EXPECT_EQ(omValueCreateTensor(nullptr), nullptr);
  EXPECT_EQ(omTensorCreateFromValue(nullptr), nullptr);
}

TEST(Value, NullIsHarmless) {
  omValueDestroy(nullptr);
  EXPECT_EQ(omValueGetSize(nullptr), 0);
  EXPECT_EQ(omValueGetElement(nullptr, 0), nullptr);
  EXPECT_EQ(omValueGetKey(nullptr), nullptr);
  EXPECT_EQ(omValueGetTensor(nullptr), nullptr);
  EXPECT_EQ(int(omValueGetKind(nullptr)), 0);
}
