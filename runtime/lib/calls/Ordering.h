//===- Ordering.h - Elements in order, without the C++ library --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Shared by sorting and selection: numbers of any type as unsigned integers
// that compare the same way, a stable sort, and memory for both.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_CALLS_ORDERING_H
#define ONNXC_RUNTIME_LIB_CALLS_ORDERING_H

#include "Steps.h"

#include "onnxc/rt/hooks.h"

namespace onnxc::rt {

/// Reads element `i` of an array as a key: x < y exactly where key(x) < key(y).
/// Zeros of both signs are equal; all NaNs are equal and above everything.
using KeyFn = uint64_t (*)(const void *array, int64_t i);

/// The key of an element type: null for strings and for unordered types. A
/// complex number has two keys, of its parts: `parts` is 2, and `i` counts
/// parts.
KeyFn keyOf(int64_t type, int64_t &parts);

/// Memory of the call for `count` values of type T; null after an error.
void *allocateBytes(OnnxcCall *call, int64_t count, int64_t size);
template <typename T>
T *allocate(OnnxcCall *call, int64_t count) {
  return static_cast<T *>(allocateBytes(call, count, sizeof(T)));
}

/// Sorts `items` by less(x, y), equal ones staying in order, in O(n log n)
/// for all inputs. `scratch` has room for as many. In a call that is to end,
/// the items are in any order.
template <typename T, typename Less>
void sortStably(Steps &steps, T *items, T *scratch, int64_t count, Less less) {
  constexpr int64_t run = 16;
  for (int64_t begin = 0; begin < count; begin += run) {
    int64_t end = begin + run < count ? begin + run : count;
    for (int64_t i = begin + 1; i < end; ++i) {
      T item = items[i];
      int64_t at = i;
      for (; at > begin && less(item, items[at - 1]); --at)
        items[at] = items[at - 1];
      items[at] = item;
    }
  }
  T *from = items, *to = scratch;
  for (int64_t width = run; width < count && !steps.hasEnded(); width *= 2) {
    for (int64_t begin = 0; begin < count; begin += 2 * width) {
      int64_t middle = begin + width < count ? begin + width : count;
      int64_t end = middle + width < count ? middle + width : count;
      if (!steps.goOn(end - begin))
        break;
      int64_t x = begin, y = middle;
      for (int64_t at = begin; at < end; ++at)
        to[at] = x < middle && (y == end || !less(from[y], from[x]))
                     ? from[x++]
                     : from[y++];
    }
    T *swapped = from;
    from = to;
    to = swapped;
  }
  for (int64_t i = 0; from != items && i < count; ++i)
    items[i] = from[i];
}

/// An item that is sorted by a number.
struct Keyed {
  uint64_t key;
  int64_t index;
};

/// Sorts by the keys, equal ones staying in order, in O(n): byte by byte, but
/// for those that all keys share. `scratch` has room for as many. Returns where
/// the sorted ones are, which is one of the two. In a call that is to end, the
/// items are in any order.
Keyed *sortByKey(Steps &steps, Keyed *items, Keyed *scratch, int64_t count);

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_CALLS_ORDERING_H
