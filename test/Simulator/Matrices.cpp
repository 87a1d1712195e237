//===- Matrices.cpp - Products of matrices of a warp ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// ldmatrix and mma by the layouts of fragments in the PTX ISA, "Warp-level
// matrix instructions". Arguments and results of a thread are words in memory.
//
//   lane = 4 * g + t, a word has n = 32 / bits elements
//   A (16 x 8n)   word i: row g + 8 * (i % 2), column 4n * (i / 2) + n * t ...
//   B (8n x 8)    word i: row 4n * i + n * t ..., column g
//   C (16 x 8)    word i: row g + 8 * (i / 2), column 2 * t + i % 2
//
//===----------------------------------------------------------------------===//

#include "Simulator.h"

#include <cstring>
#include <utility>

using namespace onnxc::simulator;

static constexpr int kRows = 16, kColumns = 8, kWordsA = 4, kWordsB = 2;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static double floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

namespace {
struct Half {
  using Sum = double;
  static constexpr int kBits = 16;
  static double valueOf(uint32_t bits) {
    _Float16 value;
    auto part = uint16_t(bits);
    std::memcpy(&value, &part, sizeof value);
    return double(value);
  }
};
struct Brain {
  using Sum = double;
  static constexpr int kBits = 16;
  static double valueOf(uint32_t bits) { return floatOf(bits << 16); }
};
/// The lower 13 bits of a word are not looked at.
struct Reduced {
  using Sum = double;
  static constexpr int kBits = 32;
  static double valueOf(uint32_t bits) { return floatOf(bits & 0xffffe000); }
};
struct Signed {
  using Sum = int64_t;
  static constexpr int kBits = 8;
  static int64_t valueOf(uint32_t bits) { return int8_t(bits); }
};
struct Unsigned {
  using Sum = int64_t;
  static constexpr int kBits = 8;
  static int64_t valueOf(uint32_t bits) { return uint8_t(bits); }
};
} // namespace

static void add(uint32_t &word, double sum) {
  float result = float(floatOf(word) + sum);
  std::memcpy(&word, &result, sizeof word);
}

static void add(uint32_t &word, int64_t sum) { word += uint32_t(sum); }

/// Element `at` of a word.
template <typename Element>
static auto elementOf(uint32_t word, int at) {
  return Element::valueOf(word >> (at * Element::kBits) &
                          (0xffffffffu >> (32 - Element::kBits)));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

template <typename Left, typename Right>
static void multiply(const void *const *arguments, void *const *results) {
  static_assert(Left::kBits == Right::kBits);
  constexpr int kInWord = 32 / Left::kBits, kDepth = 8 * kInWord;
  auto word = [&](int lane, int number) {
    return static_cast<const uint32_t *>(arguments[lane])[number];
  };
  auto left = [&](int row, int k) {
    int lane = 4 * (row % 8) + k / kInWord % 4;
    return elementOf<Left>(word(lane, row / 8 + k / (4 * kInWord) * 2),
                           k % kInWord);
  };
  auto right = [&](int k, int column) {
    int lane = 4 * column + k / kInWord % 4;
    return elementOf<Right>(word(lane, kWordsA + k / (4 * kInWord)),
                            k % kInWord);
  };
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      typename Left::Sum sum = 0;
      for (int k = 0; k < kDepth; ++k)
        sum += left(row, k) * right(k, column);
      int lane = 4 * (row % 8) + column / 2, at = row / 8 * 2 + column % 2;
      uint32_t total = word(lane, kWordsA + kWordsB + at);
      add(total, sum);
      static_cast<uint32_t *>(results[lane])[at] = total;
    }
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Thread i has the address of row i % 8 of matrix i / 8.
template <int kMatrices, bool kTransposed>
static void load(const void *const *arguments, void *const *results) {
  for (int matrix = 0; matrix < kMatrices; ++matrix)
    for (int lane = 0; lane < warpSize; ++lane) {
      uint16_t pair[2];
      for (int i = 0; i < 2; ++i) {
        int row = lane / 4, column = lane % 4 * 2 + i;
        if (kTransposed)
          std::swap(row, column);
        const uint16_t *line;
        std::memcpy(&line, arguments[8 * matrix + row], sizeof line);
        pair[i] = line[column];
      }
      std::memcpy(static_cast<uint32_t *>(results[lane]) + matrix, pair,
                  sizeof pair);
    }
}

/// Rows are aligned; those of threads that have none are not looked at.
template <int kMatrices, bool kTransposed>
static void loadByWarp(void *result, const void *arguments) {
  const void *row;
  std::memcpy(&row, arguments, sizeof row);
  bool hasRow = int(currentPosition()->thread % warpSize) < 8 * kMatrices;
  if (hasRow && reinterpret_cast<uintptr_t>(row) % 16 != 0)
    fail("a row of ldmatrix is not a multiple of 16 bytes");
  if (hasRow)
    noteLoad(row, 16);
  runTogether(load<kMatrices, kTransposed>, arguments, result);
}

//===----------------------------------------------------------------------===//
// The intrinsics
//===----------------------------------------------------------------------===//

#define MMA(NAME, LEFT, RIGHT)                                                 \
  void sim_mma_##NAME(void *result, const void *arguments) {                   \
    runTogether(multiply<LEFT, RIGHT>, arguments, result);                     \
  }
#define LDMATRIX(NAME, MATRICES, TRANSPOSED)                                   \
  void sim_ldmatrix_sync_aligned_m8n8_##NAME##_b16_p3(void *result,            \
                                                      const void *arguments) { \
    loadByWarp<MATRICES, TRANSPOSED>(result, arguments);                       \
  }

#pragma GCC visibility push(default)
extern "C" {

MMA(m16n8k16_row_col_f32_f32, Half, Half)
MMA(m16n8k16_row_col_bf16, Brain, Brain)
MMA(m16n8k8_row_col_tf32, Reduced, Reduced)
MMA(m16n8k32_row_col_s8, Signed, Signed)
MMA(m16n8k32_row_col_u8, Unsigned, Unsigned)
MMA(m16n8k32_row_col_s8_u8, Signed, Unsigned)
MMA(m16n8k32_row_col_u8_s8, Unsigned, Signed)
LDMATRIX(x2, 2, false)
LDMATRIX(x2_trans, 2, true)
LDMATRIX(x4, 4, false)
LDMATRIX(x4_trans, 4, true)

/// To the nearest, away from zero at a tie; all lower bits become zero.
int32_t sim_f2tf32_rna(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bool isFinite = (bits >> 23 & 0xff) != 0xff;
  return int32_t((isFinite ? bits + 0x1000 : bits) & 0xffffe000);
}

} // extern "C"
#pragma GCC visibility pop
