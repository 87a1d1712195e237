//===- TopK.cpp - The largest or smallest elements of rows ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../DataTypes.h"
#include "Ordering.h"

#include "OnnxMlirRuntime.h"

#include <string.h>

using namespace onnxc::rt;

namespace {

/// An element as it competes: the smaller key first, then the lower index.
using Item = Keyed;

bool operator<(const Item &x, const Item &y) {
  return x.key != y.key ? x.key < y.key : x.index < y.index;
}

/// The first `count` items seen so far as a heap, the last of them on top.
class FirstItems {
public:
  FirstItems(Item *items, int64_t capacity)
      : items(items), capacity(capacity) {}

  void add(Item item) {
    if (count < capacity) {
      int64_t at = count++;
      for (; at > 0 && items[(at - 1) / 2] < item; at = (at - 1) / 2)
        items[at] = items[(at - 1) / 2];
      items[at] = item;
    } else if (item < items[0]) {
      sink(item, count);
    }
  }

  bool isFull() const { return count == capacity; }
  /// The index that the next item has to beat, of a full heap.
  int64_t lastIndex() const { return items[0].index; }

  /// Puts them in order and starts over.
  void sort() {
    for (int64_t end = count - 1; end > 0; --end) {
      Item last = items[end];
      items[end] = items[0];
      sink(last, end);
    }
    count = 0;
  }

private:
  /// Puts `item` in the place of the top of a heap of `end` items.
  void sink(Item item, int64_t end) {
    int64_t at = 0;
    for (int64_t child = 1; child < end; child = 2 * at + 1) {
      if (child + 1 < end && items[child] < items[child + 1])
        ++child;
      if (!(item < items[child]))
        break;
      items[at] = items[child];
      at = child;
    }
    items[at] = item;
  }

  Item *items;
  int64_t capacity, count = 0;
};

/// Sizes around the axis: rows are [before, after], each of `length` elements.
struct Rows {
  int64_t before = 1, length = 1, after = 1;
  Rows(const OnnxcValue &x, int64_t axis) {
    for (int64_t d = 0; d < x.rank; ++d)
      (d < axis ? before : d == axis ? length : after) *= x.dims[d];
  }
};

/// Calls `fn` with an element of a type that rows of scores have and processors
/// compare; null for the others.
template <typename Fn>
auto forScores(int64_t type, Fn fn) -> decltype(fn(0.0F)) {
  switch (type) {
  case ONNX_TYPE_FLOAT:
    return fn(float());
  case ONNX_TYPE_DOUBLE:
    return fn(double());
  case ONNX_TYPE_INT32:
    return fn(int32_t());
  case ONNX_TYPE_INT64:
    return fn(int64_t());
  default:
    return nullptr;
  }
}

/// Returns true if `x` may come before `bound`, which NaN may.
template <bool Largest, typename T>
bool mayCome(T x, T bound) {
  return Largest ? !(x <= bound) : !(x >= bound);
}

/// A float of 16 bits, for which the processor may have no comparison.
template <int mantissaBits>
struct Half {
  int16_t bits;

  /// Compares as the numbers do, but for -0 below 0.
  int16_t ordered() const { return int16_t(bits ^ (bits >> 15 & 0x7fff)); }
  bool isNaN() const {
    constexpr int infinity = 0x8000 - (1 << mantissaBits);
    return (bits & 0x7fff) > infinity;
  }
};

template <bool Largest, int mantissaBits>
bool mayCome(Half<mantissaBits> x, Half<mantissaBits> bound) {
  bool isBetter =
      Largest ? x.ordered() > bound.ordered() : x.ordered() < bound.ordered();
  return isBetter || x.isNaN();
}

/// From element `i` of a row on, the first that may come before element
/// `other`; `end` if there is none.
using SkipFn = int64_t (*)(const void *row, int64_t i, int64_t end,
                           int64_t other);

/// Blocks are compared at once: most have nothing.
template <typename T, bool Largest>
int64_t skip(const void *row, int64_t i, int64_t end, int64_t other) {
  const T *elements = static_cast<const T *>(row);
  T bound = elements[other];
  constexpr int64_t block = 16;
  for (; i + block <= end; i += block) {
    bool any = false;
    for (int64_t j = 0; j < block; ++j)
      any |= mayCome<Largest>(elements[i + j], bound);
    if (any)
      break;
  }
  while (i < end && !mayCome<Largest>(elements[i], bound))
    ++i;
  return i;
}

SkipFn skipOf(int64_t type, bool largest) {
  auto choose = [&](auto x) -> SkipFn {
    return largest ? skip<decltype(x), true> : skip<decltype(x), false>;
  };
  switch (type) {
  case ONNX_TYPE_FLOAT16:
    return choose(Half<10>());
  case ONNX_TYPE_BFLOAT16:
    return choose(Half<7>());
  default:
    return forScores(type, choose);
  }
}

//===----------------------------------------------------------------------===//
// Few of each row
//===----------------------------------------------------------------------===//

/// The first items of rows side by side, in order, where the results are: row
/// `j` has element j of each `stride`. The last of them are the bounds that the
/// next elements have to beat, and adjacent elements.
template <typename T, bool Largest>
struct FewItems {
  T *values;
  int64_t *indices;
  int64_t stride, k;

  /// NaN is above all numbers.
  static bool precedes(T x, T y) {
    bool isBetter = Largest ? x > y : x < y;
    return isBetter || (Largest ? x != x && y == y : y != y && x == x);
  }

  static constexpr int64_t lanes = 16;
  template <int64_t width>
  using Lanes = T __attribute__((ext_vector_type(width)));

  /// Elements have no more alignment than one of them.
  template <int64_t width>
  static Lanes<width> load(const T *elements) {
    Lanes<width> x;
    memcpy(&x, elements, sizeof x);
    return x;
  }

  /// A bit for each element that may come before the bound beside it.
  template <int64_t width>
  static unsigned candidates(const Lanes<width> &x,
                             const Lanes<width> &bounds) {
    using Flags = bool __attribute__((ext_vector_type(width)));
    auto stays = Largest ? x <= bounds : x >= bounds;
    Flags flags = __builtin_convertvector(stays, Flags);
    if constexpr (width == lanes)
      return uint16_t(~__builtin_bit_cast(uint16_t, flags));
    else
      return uint8_t(~__builtin_bit_cast(uint8_t, flags));
  }

  T *bounds() const { return values + (k - 1) * stride; }

  /// After all that it does not precede, of `count` items so far.
  void insert(int64_t j, T x, int64_t index, int64_t count) {
    int64_t at = count * stride + j;
    for (; at >= stride && precedes(x, values[at - stride]); at -= stride) {
      values[at] = values[at - stride];
      indices[at] = indices[at - stride];
    }
    values[at] = x;
    indices[at] = index;
  }
  /// In place of the last one, if it comes before that.
  void offer(int64_t j, T x, int64_t index) {
    if (precedes(x, bounds()[j]))
      insert(j, x, index, k - 1);
  }

  /// One row, whose elements are adjacent.
  void takeRow(const T *row, int64_t length) {
    for (int64_t i = 0; i < k; ++i)
      insert(0, row[i], i, i);
    int64_t i = k;
    for (; i + lanes <= length; i += lanes)
      for (unsigned left =
               candidates<lanes>(load<lanes>(row + i), Lanes<lanes>(*bounds()));
           left != 0; left &= left - 1)
        offer(0, row[i + __builtin_ctz(left)], i + __builtin_ctz(left));
    for (; i < length; ++i)
      offer(0, row[i], i);
  }

  /// Element `i` of rows side by side, as far as whole vectors have them.
  template <int64_t width>
  int64_t offerColumns(const T *elements, int64_t i, int64_t j, int64_t end) {
    for (; j + width <= end; j += width)
      for (unsigned left = candidates<width>(load<width>(elements + j),
                                             load<width>(bounds() + j));
           left != 0; left &= left - 1)
        offer(j + __builtin_ctz(left), elements[j + __builtin_ctz(left)], i);
    return j;
  }

  /// Rows from `begin` to `end`, element by element of all of them.
  void takeColumns(const T *elements, int64_t length, int64_t begin,
                   int64_t end) {
    for (int64_t i = 0; i < length; ++i, elements += stride) {
      int64_t j = begin;
      if (i < k) {
        for (; j < end; ++j)
          insert(j, elements[j], i, i);
        continue;
      }
      j = offerColumns<lanes>(elements, i, j, end);
      for (j = offerColumns<lanes / 2>(elements, i, j, end); j < end; ++j)
        offer(j, elements[j], i);
    }
  }
};

/// More of each row are kept in a heap.
constexpr int64_t few = 16;

template <typename T, bool Largest>
void selectFew(Steps &steps, const void *x, const Rows &rows, int64_t k,
               void *values, int64_t *indices) {
  // Of so many rows side by side the bounds stay in the nearest cache.
  constexpr int64_t maxColumns = 1024;
  const T *elements = static_cast<const T *>(x);
  FewItems<T, Largest> first{static_cast<T *>(values), indices, rows.after, k};
  int64_t size = rows.length * rows.after;
  for (int64_t before = 0; before < rows.before && steps.goOn(size); ++before) {
    if (rows.after == 1)
      first.takeRow(elements, rows.length);
    for (int64_t j = 0; rows.after > 1 && j < rows.after; j += maxColumns)
      first.takeColumns(elements, rows.length, j,
                        j + maxColumns < rows.after ? j + maxColumns
                                                    : rows.after);
    elements += size;
    first.values += k * rows.after;
    first.indices += k * rows.after;
  }
}

using FewFn = void (*)(Steps &steps, const void *x, const Rows &rows, int64_t k,
                       void *values, int64_t *indices);

FewFn fewOf(int64_t type, bool largest) {
  return forScores(type, [&](auto x) -> FewFn {
    return largest ? selectFew<decltype(x), true>
                   : selectFew<decltype(x), false>;
  });
}

//===----------------------------------------------------------------------===//
// Any number of each row
//===----------------------------------------------------------------------===//

struct Selection {
  KeyFn key;
  /// Null where processors do not compare the elements.
  SkipFn skip;
  int64_t bytes, k;
  bool largest;

  bool isMuch(int64_t length) const { return k > length / 8; }
};

/// One row, whose elements are adjacent.
struct Row {
  const void *elements;
  int64_t length;

  Item item(const Selection &wanted, int64_t i) const {
    uint64_t key = wanted.key(elements, i);
    return {wanted.largest ? ~key : key, i};
  }
};

/// What the rows of a call use one after the other: room for items, and for a
/// row whose elements are not adjacent in the operand.
struct Scratch {
  Item *items;
  void *line;
};

} // namespace

/// Few of a row: only elements better than the last of the first ones are
/// inserted.
static const Item *firstByHeap(const Row &row, const Selection &wanted,
                               Item *items) {
  FirstItems first(items, wanted.k);
  for (int64_t i = 0; i < row.length; ++i) {
    if (wanted.skip && first.isFull())
      i = wanted.skip(row.elements, i, row.length, first.lastIndex());
    if (i < row.length)
      first.add(row.item(wanted, i));
  }
  first.sort();
  return items;
}

/// Much of a row: all of it. `items` has room for it twice.
static const Item *firstBySorting(Steps &steps, const Row &row,
                                  const Selection &wanted, Item *items) {
  for (int64_t i = 0; i < row.length; ++i)
    items[i] = row.item(wanted, i);
  return sortByKey(steps, items, items + row.length, row.length);
}

template <typename T>
static void copyLine(const void *x, int64_t stride, int64_t length, void *y) {
  const T *from = static_cast<const T *>(x);
  for (T *to = static_cast<T *>(y); length > 0; --length, from += stride)
    *to++ = *from;
}

/// Copies elements that lie `stride` elements apart to a line.
static void copyElements(const void *x, int64_t bytes, int64_t stride,
                         int64_t length, void *y) {
  switch (bytes) {
  case 1:
    return copyLine<uint8_t>(x, stride, length, y);
  case 2:
    return copyLine<uint16_t>(x, stride, length, y);
  case 4:
    return copyLine<uint32_t>(x, stride, length, y);
  default:
    return copyLine<uint64_t>(x, stride, length, y);
  }
}

static void select(Steps &steps, const OnnxcValue &x, const Rows &rows,
                   const Selection &wanted, Scratch scratch, char *values,
                   int64_t *indices) {
  const char *elements = static_cast<const char *>(x.data);
  int64_t bytes = wanted.bytes, k = wanted.k;
  for (int64_t before = 0; before < rows.before; ++before)
    for (int64_t after = 0; after < rows.after && steps.goOn(rows.length);
         ++after) {
      int64_t begin = before * rows.length * rows.after + after;
      Row row{elements + begin * bytes, rows.length};
      if (scratch.line) {
        copyElements(row.elements, bytes, rows.after, rows.length,
                     scratch.line);
        row.elements = scratch.line;
      }
      const Item *first =
          wanted.isMuch(rows.length)
              ? firstBySorting(steps, row, wanted, scratch.items)
              : firstByHeap(row, wanted, scratch.items);
      int64_t to = before * k * rows.after + after;
      for (int64_t i = 0; i < k; ++i, to += rows.after) {
        memcpy(values + to * bytes,
               static_cast<const char *>(row.elements) + first[i].index * bytes,
               bytes);
        indices[to] = first[i].index;
      }
    }
}

/// values, indices = topk(x, k) params [type, axis, largest]
ONNXC_CALL(onnxc_call_topk) {
  const OnnxcValue &x = ins[0];
  int64_t parts, axis = params[1];
  Rows rows(x, axis);
  bool largest = params[2] != 0;
  Selection wanted{keyOf(params[0], parts), skipOf(params[0], largest),
                   elementBytes(params[0]), 0, largest};
  memcpy(&wanted.k, ins[1].data, sizeof wanted.k);
  if (!wanted.key || parts != 1)
    return onnxc_rt_fail(call, ONNXC_ERR_UNSUPPORTED,
                         "TopK: the elements have no order");
  if (wanted.k < 0 || wanted.k > rows.length)
    return onnxc_rt_fail_sizes(
        call, ONNXC_ERR_VALUE,
        "TopK: k is negative or above the size of the axis",
        "{} for dimension {} of size {}", wanted.k,
        axis < 0 ? axis + x.rank : axis, rows.length);
  int64_t count = rows.before * wanted.k * rows.after;
  FewFn selectFew = wanted.k <= few ? fewOf(params[0], largest) : nullptr;
  int64_t numItems = wanted.isMuch(rows.length) ? 2 * rows.length : wanted.k;
  bool isApart = !selectFew && rows.after > 1;
  Scratch scratch{allocate<Item>(call, selectFew ? 0 : numItems),
                  isApart ? allocateBytes(call, rows.length, wanted.bytes)
                          : nullptr};
  char *values = static_cast<char *>(allocateBytes(call, count, wanted.bytes));
  int64_t *indices = allocate<int64_t>(call, count);
  if (!scratch.items || (isApart && !scratch.line) || !values || !indices)
    return onnxc_rt_status(call);
  for (int64_t d = 0; d < x.rank; ++d)
    outs[0].dims[d] = outs[1].dims[d] = d == axis ? wanted.k : x.dims[d];
  Steps steps(call);
  if (count > 0 && selectFew)
    selectFew(steps, x.data, rows, wanted.k, values, indices);
  else if (count > 0)
    select(steps, x, rows, wanted, scratch, values, indices);
  onnxc_rt_release(call, scratch.items);
  if (isApart)
    onnxc_rt_release(call, scratch.line);
  outs[0].data = values;
  outs[1].data = indices;
  return onnxc_rt_status(call);
}
