//===- SelectionTests.cpp - Sorting, selection and random keys ------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "calls/Ordering.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace onnxc::rt;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using CallFunction = std::remove_pointer_t<OnnxcCallFn>;
extern "C" CallFunction onnxc_call_nonzero;
extern "C" CallFunction onnxc_call_non_max_suppression;
extern "C" CallFunction onnxc_call_random_key;
extern "C" CallFunction onnxc_call_topk;
extern "C" CallFunction onnxc_call_true_positions;
extern "C" CallFunction onnxc_call_unique;

namespace {

/// An operand with its own elements and sizes.
template <typename T>
struct Operand {
  std::vector<T> elements;
  std::vector<int64_t> dims;
  OnnxcValue value() {
    return {elements.data(), dims.data(), int32_t(dims.size()), 0};
  }
};

struct SelectionTest : testing::Test {
  OMContext *context = omContextCreate("pool");
  OnnxcCall *call = static_cast<OnnxcCall *>(context);
  int64_t dims[4][4];
  OnnxcValue outs[4];

  SelectionTest() {
    for (int i = 0; i < 4; ++i)
      outs[i] = {nullptr, dims[i], 1, 0};
  }
  ~SelectionTest() override {
    context->pool.endCall();
    omContextDestroy(context);
  }

  int32_t run(CallFunction &function, std::vector<OnnxcValue> ins,
              std::vector<int64_t> params) {
    return function(call, 4, outs, int32_t(ins.size()), ins.data(),
                    params.data());
  }

  template <typename T>
  std::vector<T> result(int number, int64_t count) {
    auto *data = static_cast<T *>(outs[number].data);
    return std::vector<T>(data, data + count);
  }

  template <typename T>
  void expectColumnsLikeRows(int64_t type,
                             const std::function<T(int)> &element);
  template <typename T>
  int32_t topk(Operand<T> x, int64_t k, int64_t type, int64_t axis,
               bool largest) {
    Operand<int64_t> count{{k}, {}};
    return run(onnxc_call_topk, {x.value(), count.value()},
               {type, axis, largest});
  }

  template <typename T>
  std::vector<int64_t> orderOf(std::vector<T> row, int64_t type, bool largest) {
    int64_t size = int64_t(row.size());
    EXPECT_EQ(topk<T>({row, {size}}, size, type, 0, largest), ONNXC_OK);
    return result<int64_t>(1, size);
  }

  const char *message() { return omContextGetMessage(context); }
};

} // namespace

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

TEST_F(SelectionTest, SortsStablyWhateverTheOrder) {
  Steps steps(call);
  struct Item {
    int key, position;
  };
  for (int size : {0, 1, 15, 16, 17, 33, 1000}) {
    for (int kind = 0; kind < 4; ++kind) {
      std::vector<Item> items, scratch(size);
      for (int i = 0; i < size; ++i) {
        int keys[4] = {i, size - i, 7, i * 7919 % 101};
        items.push_back({keys[kind], i});
      }
      sortStably(steps, items.data(), scratch.data(), size,
                 [](Item a, Item b) { return a.key < b.key; });
      for (int i = 1; i < size; ++i) {
        ASSERT_LE(items[i - 1].key, items[i].key);
        if (items[i - 1].key == items[i].key)
          ASSERT_LT(items[i - 1].position, items[i].position);
      }
    }
  }
}

TEST_F(SelectionTest, NumbersOfEveryTypeKeepTheirOrder) {
  float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  EXPECT_THAT(orderOf<float>({nan, inf, 0.0f, -0.0f, -inf, -nan, 1e-40f, -2},
                             ONNX_TYPE_FLOAT, false),
              ElementsAre(4, 7, 2, 3, 6, 1, 0, 5));
  EXPECT_THAT(orderOf<float>({nan, inf, 0.0f, -0.0f, -inf, -nan, 1e-40f, -2},
                             ONNX_TYPE_FLOAT, true),
              ElementsAre(0, 5, 1, 6, 2, 3, 7, 4));
  EXPECT_THAT(orderOf<double>({1, -1e300, 1e300}, ONNX_TYPE_DOUBLE, false),
              ElementsAre(1, 0, 2));
  EXPECT_THAT(orderOf<int8_t>({1, -128, 127, -1}, ONNX_TYPE_INT8, false),
              ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(orderOf<uint8_t>({1, 128, 127, 255}, ONNX_TYPE_UINT8, false),
              ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(
      orderOf<int64_t>({INT64_MAX, INT64_MIN, 0}, ONNX_TYPE_INT64, false),
      ElementsAre(1, 2, 0));
  EXPECT_THAT(
      orderOf<uint64_t>({UINT64_MAX, 0, 1ull << 63}, ONNX_TYPE_UINT64, true),
      ElementsAre(0, 2, 1));
  // 1, -1, infinity, NaN, 0, -0 and the smallest number in half precision.
  EXPECT_THAT(orderOf<uint16_t>({0x3c00, 0xbc00, 0x7c00, 0x7e00, 0, 0x8000, 1},
                                ONNX_TYPE_FLOAT16, false),
              ElementsAre(1, 4, 5, 6, 0, 2, 3));
  EXPECT_THAT(orderOf<uint16_t>({0x3f80, 0xff80, 0x7f80, 0x7fc0},
                                ONNX_TYPE_BFLOAT16, true),
              ElementsAre(3, 2, 0, 1));
}

//===----------------------------------------------------------------------===//
// TopK
//===----------------------------------------------------------------------===//

TEST_F(SelectionTest, TopKAlongAnyAxis) {
  Operand<int32_t> x{{5, 1, 5, 2, 9, 3, 7, 7, 7, 0, 4, 8}, {2, 3, 2}};
  ASSERT_EQ(topk(x, 2, ONNX_TYPE_INT32, 1, true), ONNXC_OK);
  EXPECT_THAT(result<int32_t>(0, 8), ElementsAre(9, 3, 5, 2, 7, 8, 7, 7));
  EXPECT_THAT(result<int64_t>(1, 8), ElementsAre(2, 2, 0, 1, 0, 2, 1, 0));
  EXPECT_THAT(std::vector<int64_t>(dims[0], dims[0] + 3), ElementsAre(2, 2, 2));
}

TEST_F(SelectionTest, TopKOfMuchFindsTheSameAsSorting) {
  std::vector<int32_t> row;
  for (int i = 0; i < 5000; ++i)
    row.push_back(int32_t(i * 2654435761u >> 12) % 900);
  std::vector<int64_t> all = orderOf(row, ONNX_TYPE_INT32, true);
  ASSERT_EQ(topk<int32_t>({row, {5000}}, 70, ONNX_TYPE_INT32, 0, true),
            ONNXC_OK);
  all.resize(70);
  EXPECT_EQ(result<int64_t>(1, 70), all);
}

// Blocks in which nothing can be among the first are skipped, NaN is not.
TEST_F(SelectionTest, TopKOfMuchKnowsNaN) {
  std::vector<float> row;
  for (int i = 0; i < 1000; ++i)
    row.push_back(float(int32_t(i * 2654435761u >> 12) % 90) - 45);
  row[40] = row[999] = std::nanf("");
  row[70] = -0.0f;
  for (bool largest : {true, false}) {
    std::vector<int64_t> all = orderOf(row, ONNX_TYPE_FLOAT, largest);
    for (int64_t k : {1, 3, 50, 999}) {
      ASSERT_EQ(topk<float>({row, {1000}}, k, ONNX_TYPE_FLOAT, 0, largest),
                ONNXC_OK);
      std::vector<int64_t> first(all.begin(), all.begin() + k);
      EXPECT_EQ(result<int64_t>(1, k), first);
    }
  }
}

// Halves are compared by their bits: -0 and 0 are equal, NaN is above all.
TEST_F(SelectionTest, TopKOfMuchComparesHalves) {
  constexpr int16_t nan[] = {0x7e00, int16_t(0xfe00)}, zeros[] = {0, INT16_MIN};
  std::vector<int16_t> row;
  for (int i = 0; i < 1000; ++i)
    row.push_back(int16_t(i * 2654435761u >> 8) & int16_t(0xbbff));
  row[40] = nan[0];
  row[999] = nan[1];
  for (int i = 100; i < 900; i += 7)
    row[i] = zeros[i % 2];
  for (int64_t type : {ONNX_TYPE_FLOAT16, ONNX_TYPE_BFLOAT16})
    for (bool largest : {true, false}) {
      std::vector<int64_t> all = orderOf(row, type, largest);
      for (int64_t k : {1, 3, 50, 999}) {
        ASSERT_EQ(topk<int16_t>({row, {1000}}, k, type, 0, largest), ONNXC_OK);
        std::vector<int64_t> first(all.begin(), all.begin() + k);
        EXPECT_EQ(result<int64_t>(1, k), first);
      }
    }
}

// Columns side by side are those one by one: few of them, which are kept in
// order in whole vectors, half ones and alone, more, which are a heap, and
// much.
template <typename T>
void SelectionTest::expectColumnsLikeRows(
    int64_t type, const std::function<T(int)> &element) {
  constexpr int64_t length = 160, columns = 45;
  Operand<T> x{{}, {2, length, columns}};
  for (int i = 0; i < 2 * length * columns; ++i)
    x.elements.push_back(element(i));
  for (bool largest : {true, false})
    for (int64_t k : {1, 4, 16, 18, 21}) {
      outs[0].rank = outs[1].rank = 3;
      ASSERT_EQ(topk(x, k, type, 1, largest), ONNXC_OK);
      auto found = result<int64_t>(1, 2 * k * columns);
      auto values = result<T>(0, 2 * k * columns);
      outs[0].rank = outs[1].rank = 1;
      for (int64_t column = 0; column < 2 * columns; ++column) {
        int64_t image = column / columns, at = column % columns;
        std::vector<T> row;
        std::vector<int64_t> first;
        for (int64_t i = 0; i < length; ++i)
          row.push_back(x.elements[(image * length + i) * columns + at]);
        for (int64_t i = 0; i < k; ++i) {
          int64_t place = (image * k + i) * columns + at;
          first.push_back(found[place]);
          EXPECT_EQ(memcmp(&values[place], &row[found[place]], sizeof(T)), 0);
        }
        std::vector<int64_t> all = orderOf(row, type, largest);
        all.resize(k);
        EXPECT_EQ(first, all);
      }
    }
}

TEST_F(SelectionTest, TopKOfColumnsFindsTheSameAsOfRows) {
  auto number = [](int i) { return (i * 2654435761u >> 12) % 50; };
  expectColumnsLikeRows<float>(ONNX_TYPE_FLOAT, [&](int i) {
    return i % 97 == 5 ? std::nanf("") : float(number(i));
  });
  expectColumnsLikeRows<int64_t>(
      ONNX_TYPE_INT64, [&](int i) { return int64_t(number(i)) - 20; });
  expectColumnsLikeRows<uint8_t>(ONNX_TYPE_UINT8,
                                 [&](int i) { return uint8_t(number(i)); });
  expectColumnsLikeRows<int16_t>(
      ONNX_TYPE_FLOAT16, [&](int i) { return int16_t(0x3c00 + number(i)); });
}

TEST_F(SelectionTest, TopKRefusesWhatTheRowDoesNotHave) {
  EXPECT_EQ(topk<float>({{1, 2}, {2}}, 3, ONNX_TYPE_FLOAT, 0, true),
            ONNXC_ERR_VALUE);
  EXPECT_THAT(message(),
              HasSubstr("TopK: k is negative or above the size of the axis: "
                        "3 for dimension 0 of size 2"));
}

TEST_F(SelectionTest, TopKOfNothing) {
  EXPECT_EQ(topk<float>({{}, {0, 3}}, 2, ONNX_TYPE_FLOAT, 1, true), ONNXC_OK);
  EXPECT_EQ(topk<float>({{1, 2}, {2}}, 0, ONNX_TYPE_FLOAT, 0, true), ONNXC_OK);
  EXPECT_EQ(dims[0][0], 0);
}

//===----------------------------------------------------------------------===//
// NonZero, true positions
//===----------------------------------------------------------------------===//

TEST_F(SelectionTest, NonZeroKnowsZerosOfEveryType) {
  Operand<float> x{{0, 2, -0.0f, std::nanf("")}, {2, 2}};
  ASSERT_EQ(run(onnxc_call_nonzero, {x.value()}, {ONNX_TYPE_FLOAT}), ONNXC_OK);
  EXPECT_THAT(result<int64_t>(0, 4), ElementsAre(0, 1, 1, 1));
  Operand<double> complex{{0, 0, -0.0, -0.0, 0, 1, 1, 0}, {4}};
  ASSERT_EQ(run(onnxc_call_nonzero, {complex.value()}, {ONNX_TYPE_COMPLEX128}),
            ONNXC_OK);
  EXPECT_THAT(result<int64_t>(0, 2), ElementsAre(2, 3));
  Operand<const char *> texts{{"", "a", nullptr}, {3}};
  ASSERT_EQ(run(onnxc_call_nonzero, {texts.value()}, {ONNX_TYPE_STRING}),
            ONNXC_OK);
  EXPECT_THAT(result<int64_t>(0, dims[0][1]), ElementsAre(1));
  // The sign of an integer is a bit like any other.
  Operand<int8_t> bytes{{0, -128}, {2}};
  ASSERT_EQ(run(onnxc_call_nonzero, {bytes.value()}, {ONNX_TYPE_INT8}),
            ONNXC_OK);
  EXPECT_THAT(result<int64_t>(0, dims[0][1]), ElementsAre(1));
}

TEST_F(SelectionTest, NonZeroCountsThroughAllDimensions) {
  Operand<int16_t> x{{0, 7, 0, 0, 0, 0, 1, 0, -1, 0, 2, 0}, {2, 2, 3}};
  ASSERT_EQ(run(onnxc_call_nonzero, {x.value()}, {ONNX_TYPE_INT16}), ONNXC_OK);
  EXPECT_THAT(std::vector<int64_t>(dims[0], dims[0] + 2), ElementsAre(3, 4));
  EXPECT_THAT(result<int64_t>(0, 12),
              ElementsAre(0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 2, 1));
  Operand<uint8_t> one{{1}, {}}, none{{}, {2, 0}};
  ASSERT_EQ(run(onnxc_call_nonzero, {one.value()}, {ONNX_TYPE_BOOL}), ONNXC_OK);
  EXPECT_THAT(std::vector<int64_t>(dims[0], dims[0] + 2), ElementsAre(0, 1));
  ASSERT_EQ(run(onnxc_call_nonzero, {none.value()}, {ONNX_TYPE_BOOL}),
            ONNXC_OK);
  EXPECT_THAT(std::vector<int64_t>(dims[0], dims[0] + 2), ElementsAre(2, 0));
}

TEST_F(SelectionTest, TruePositionsStayBelowTheLimit) {
  Operand<uint8_t> condition{{1, 0, 1, 1}, {4}};
  for (auto [limit, count] :
       {std::pair(9, 3), std::pair(3, 2), std::pair(0, 0)}) {
    Operand<int64_t> maxPositions{{limit}, {}};
    ASSERT_EQ(run(onnxc_call_true_positions,
                  {condition.value(), maxPositions.value()}, {}),
              ONNXC_OK);
    EXPECT_EQ(dims[0][0], count);
  }
}

//===----------------------------------------------------------------------===//
// Unique
//===----------------------------------------------------------------------===//

TEST_F(SelectionTest, UniqueElements) {
  Operand<int32_t> x{{2, 1, 1, 3, 4, 3}, {6}};
  ASSERT_EQ(run(onnxc_call_unique, {x.value()}, {ONNX_TYPE_INT32, 1, 0, 0}),
            ONNXC_OK);
  EXPECT_THAT(result<int32_t>(0, dims[0][0]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(result<int64_t>(1, 4), ElementsAre(1, 0, 3, 4));
  EXPECT_THAT(result<int64_t>(2, 6), ElementsAre(1, 0, 0, 2, 3, 2));
  EXPECT_THAT(result<int64_t>(3, 4), ElementsAre(2, 1, 2, 1));
  ASSERT_EQ(run(onnxc_call_unique, {x.value()}, {ONNX_TYPE_INT32, 0, 0, 0}),
            ONNXC_OK);
  EXPECT_THAT(result<int32_t>(0, dims[0][0]), ElementsAre(2, 1, 3, 4));
  EXPECT_THAT(result<int64_t>(2, 6), ElementsAre(0, 1, 1, 2, 3, 2));
}

// Sorted byte by byte, negative ones and all.
TEST_F(SelectionTest, UniqueOfMany) {
  Operand<double> x{{}, {3000}};
  std::map<double, int64_t> firsts, counts;
  for (int64_t i = 0; i < 3000; ++i) {
    x.elements.push_back(double(int32_t(i * 2654435761u >> 7) % 700) * -1e-3);
    firsts.try_emplace(x.elements.back(), i);
    ++counts[x.elements.back()];
  }
  for (bool sorted : {true, false}) {
    ASSERT_EQ(
        run(onnxc_call_unique, {x.value()}, {ONNX_TYPE_DOUBLE, sorted, 0, 0}),
        ONNXC_OK);
    int64_t count = dims[0][0];
    ASSERT_EQ(count, int64_t(counts.size()));
    auto y = result<double>(0, count);
    auto first = result<int64_t>(1, count), each = result<int64_t>(3, count);
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(first[i], firsts[y[i]]);
      EXPECT_EQ(each[i], counts[y[i]]);
      EXPECT_TRUE(i == 0 ||
                  (sorted ? y[i - 1] < y[i] : first[i - 1] < first[i]));
    }
    auto inverse = result<int64_t>(2, 3000);
    for (int64_t i = 0; i < 3000; ++i)
      EXPECT_EQ(y[inverse[i]], x.elements[i]);
  }
}

TEST_F(SelectionTest, UniqueSlicesAndStrings) {
  outs[0].rank = 2;
  Operand<float> x{{1, 0, 2, 3, 0, 2, 1, 0, 4}, {3, 3}};
  ASSERT_EQ(run(onnxc_call_unique, {x.value()}, {ONNX_TYPE_FLOAT, 1, 1, 1}),
            ONNXC_OK);
  EXPECT_THAT(result<float>(0, 9), ElementsAre(0, 1, 2, 0, 3, 2, 0, 1, 4));
  outs[0].rank = 1;
  std::string again = "b";
  Operand<const char *> texts{{"b", "a", again.c_str()}, {3}};
  ASSERT_EQ(
      run(onnxc_call_unique, {texts.value()}, {ONNX_TYPE_STRING, 1, 0, 0}),
      ONNXC_OK);
  ASSERT_EQ(dims[0][0], 2);
  EXPECT_STREQ(result<const char *>(0, 2)[0], "a");
  EXPECT_THAT(result<int64_t>(3, 2), ElementsAre(1, 2));
}

TEST_F(SelectionTest, UniqueOfNothing) {
  Operand<float> x{{}, {0}};
  ASSERT_EQ(run(onnxc_call_unique, {x.value()}, {ONNX_TYPE_FLOAT, 1, 0, 0}),
            ONNXC_OK);
  EXPECT_EQ(dims[0][0], 0);
  EXPECT_EQ(dims[2][0], 0);
}

// However many slices of no element there are, they have no keys to look at.
TEST_F(SelectionTest, UniqueOfEmptySlices) {
  outs[0].rank = 2;
  Operand<float> x{{}, {1 << 20, 0}};
  ASSERT_EQ(run(onnxc_call_unique, {x.value()}, {ONNX_TYPE_FLOAT, 1, 1, 0}),
            ONNXC_OK);
  EXPECT_THAT(std::vector<int64_t>(dims[0], dims[0] + 2), ElementsAre(1, 0));
  EXPECT_EQ(result<int64_t>(2, 1 << 20), std::vector<int64_t>(1 << 20, 0));
  EXPECT_THAT(result<int64_t>(3, 1), ElementsAre(1 << 20));
  x.dims[0] = int64_t(1) << 44;
  EXPECT_EQ(run(onnxc_call_unique, {x.value()}, {ONNX_TYPE_FLOAT, 1, 1, 0}),
            ONNXC_ERR_MEMORY);
}

//===----------------------------------------------------------------------===//
// NonMaxSuppression
//===----------------------------------------------------------------------===//

namespace {
struct Boxes {
  Operand<float> corners{{0, 0, 1, 1, 0, 0.1f, 1, 1.1f, 0, 10, 1, 11},
                         {1, 3, 4}};
  Operand<float> scores{{0.5f, 0.9f, 0.9f}, {1, 1, 3}};
  Operand<int64_t> maxBoxes{{3}, {1}};
  Operand<float> overlap{{0.5f}, {}};
  Operand<float> minScore{{0}, {0}};

  std::vector<OnnxcValue> values() {
    return {corners.value(), scores.value(), maxBoxes.value(), overlap.value(),
            minScore.value()};
  }
};
} // namespace

TEST_F(SelectionTest, BoxesThatOverlapABetterOneGo) {
  Boxes boxes;
  // Limits are scalars or have one element; an empty one is none.
  ASSERT_EQ(run(onnxc_call_non_max_suppression, boxes.values(), {7, 0}),
            ONNXC_OK);
  EXPECT_THAT(result<int64_t>(0, dims[0][0] * 3),
              ElementsAre(0, 0, 1, 0, 0, 2));
  boxes.overlap.elements = {0.95f};
  boxes.minScore = {{0.6f}, {1}};
  ASSERT_EQ(run(onnxc_call_non_max_suppression, boxes.values(), {7, 0}),
            ONNXC_OK);
  EXPECT_EQ(dims[0][0], 2);
  boxes.maxBoxes.elements = {std::numeric_limits<int64_t>::max()};
  ASSERT_EQ(run(onnxc_call_non_max_suppression, boxes.values(), {3, 0}),
            ONNXC_OK);
  EXPECT_EQ(dims[0][0], 3);
  // Without a number of boxes there are none.
  ASSERT_EQ(run(onnxc_call_non_max_suppression, boxes.values(), {6, 0}),
            ONNXC_OK);
  EXPECT_EQ(dims[0][0], 0);
}

namespace {
/// What the standard says, without haste: the boxes in order of their scores,
/// each kept that overlaps no kept one. All have the size 1 x 1.
std::vector<int64_t> keepGreedily(const std::vector<float> &left,
                                  const std::vector<float> &scores,
                                  size_t maxBoxes, float minScore) {
  std::vector<int64_t> order, kept;
  for (size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > minScore || std::isnan(minScore))
      order.push_back(i);
  auto rank = [&](int64_t i) {
    return std::tuple(std::isnan(scores[i]), -scores[i], i);
  };
  std::sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
    if (std::isnan(scores[x]) && std::isnan(scores[y]))
      return x < y;
    return rank(x) < rank(y);
  });
  for (int64_t i : order) {
    if (kept.size() / 3 == maxBoxes)
      break;
    auto isNear = [&](float by) { return std::abs(left[i] - by) < 0.5F; };
    bool isFree = true;
    for (size_t k = 2; k < kept.size() && isFree; k += 3)
      isFree = !isNear(left[kept[k]]);
    if (isFree)
      kept.insert(kept.end(), {0, 0, i});
  }
  return kept;
}
} // namespace

TEST_F(SelectionTest, AnyNumberOfBoxesIsTakenBestFirst) {
  constexpr int64_t count = 6000;
  uint32_t state = 1;
  auto draw = [&] { return (state = state * 1664525 + 1013904223) >> 8; };
  float nan = std::numeric_limits<float>::quiet_NaN();
  // Many of one score, all different, mostly the worst, some no numbers.
  for (int kind = 0; kind < 4; ++kind) {
    std::vector<float> left, scores, corners;
    for (int64_t i = 0; i < count; ++i) {
      left.push_back(float(draw() % 4000) / 4 + 0.125F * float(kind == 1));
      corners.insert(corners.end(), {0, left.back(), 1, left.back() + 1});
      float score = float(draw() % (kind == 0 ? 3 : 1 << 20)) - 1;
      scores.push_back(kind == 2 && i % 50 ? -1 : score);
      if (kind == 3 && draw() % 3 == 0)
        scores.back() = draw() % 2 ? nan : -0.0F;
    }
    for (int64_t maxBoxes : {0, 1, 100, 900, 100000})
      for (float minScore : {nan, -0.0F, 1e5F}) {
        Operand<float> boxes{corners, {1, count, 4}},
            ranks{scores, {1, 1, count}}, overlap{{1.0F / 3}, {}},
            bound{{minScore}, {1}};
        Operand<int64_t> wanted{{maxBoxes}, {1}};
        ASSERT_EQ(run(onnxc_call_non_max_suppression,
                      {boxes.value(), ranks.value(), wanted.value(),
                       overlap.value(), bound.value()},
                      {std::isnan(minScore) ? 3 : 7, 0}),
                  ONNXC_OK);
        EXPECT_EQ(result<int64_t>(0, dims[0][0] * 3),
                  keepGreedily(left, scores, maxBoxes, minScore));
      }
  }
}

// A deadline that has passed is seen in the midst of a long call.
TEST_F(SelectionTest, LongCallsLookAtTheDeadline) {
  constexpr int64_t count = 1 << 17;
  std::vector<float> left, corners;
  Boxes boxes;
  for (int64_t i = 0; i < count; ++i) {
    left.push_back(float(2 * (i * 7919 % count)));
    corners.insert(corners.end(), {0, left.back(), 1, left.back() + 1});
  }
  boxes.corners = {corners, {1, count, 4}};
  boxes.scores = {left, {1, 1, count}};
  boxes.maxBoxes.elements = {count};
  Operand<float> x{left, {count}};
  call->deadline = 1;
  EXPECT_EQ(run(onnxc_call_non_max_suppression, boxes.values(), {7, 0}),
            ONNXC_ERR_DEADLINE);
  for (int64_t sorted : {0, 1}) {
    call->status = ONNXC_OK;
    EXPECT_EQ(
        run(onnxc_call_unique, {x.value()}, {ONNX_TYPE_FLOAT, sorted, 0, 0}),
        ONNXC_ERR_DEADLINE);
  }
  for (int64_t k : {int64_t(3), count / 16, count}) {
    call->status = ONNXC_OK;
    EXPECT_EQ(topk<float>(x, k, ONNX_TYPE_FLOAT, 0, true), ONNXC_ERR_DEADLINE);
  }
  call->deadline = 0;
}

// Without a box there is nothing to do, however many batches and classes.
TEST_F(SelectionTest, NoBoxesOfManyClasses) {
  Boxes boxes;
  int64_t many = int64_t(1) << 40;
  boxes.corners = {{}, {many, 0, 4}};
  boxes.scores = {{}, {many, 3, 0}};
  ASSERT_EQ(run(onnxc_call_non_max_suppression, boxes.values(), {7, 0}),
            ONNXC_OK);
  EXPECT_EQ(dims[0][0], 0);
}

TEST_F(SelectionTest, HostileBoxesAreHarmless) {
  Boxes boxes;
  float nan = std::nanf("");
  boxes.corners.elements.assign(12, nan);
  boxes.scores.elements = {nan, -nan, 1};
  ASSERT_EQ(run(onnxc_call_non_max_suppression, boxes.values(), {7, 1}),
            ONNXC_OK);
  EXPECT_THAT(result<int64_t>(0, 9), ElementsAre(0, 0, 2, 0, 0, 0, 0, 0, 1));
  boxes.scores.dims = {1, 3, 1};
  EXPECT_EQ(run(onnxc_call_non_max_suppression, boxes.values(), {7, 0}),
            ONNXC_ERR_VALUE);
  EXPECT_THAT(message(), HasSubstr("boxes of sizes [1, 3, 4] and scores of "
                                   "sizes [1, 3, 1] do not agree"));
}

//===----------------------------------------------------------------------===//
// Random keys
//===----------------------------------------------------------------------===//

TEST_F(SelectionTest, KeysComeFromTheSeedAndDrawsDiffer) {
  uint64_t key[3], draw[3];
  for (int i = 0; i < 3; ++i) {
    outs[0].data = &key[i];
    outs[1].data = &draw[i];
    ASSERT_EQ(run(onnxc_call_random_key, {}, {1, i / 2}), ONNXC_OK);
  }
  EXPECT_EQ(key[0], key[1]);
  EXPECT_NE(key[0], key[2]);
  EXPECT_NE(draw[0], draw[1]);
  outs[0].data = &key[0];
  outs[1].data = &draw[0];
  ASSERT_EQ(run(onnxc_call_random_key, {}, {0, 0}), ONNXC_OK);
  EXPECT_NE(key[0], key[1]);
}
