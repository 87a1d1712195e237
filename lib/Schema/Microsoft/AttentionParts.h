//===- AttentionParts.h - Shared parts of attention ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_SCHEMA_MICROSOFT_ATTENTIONPARTS_H
#define ONNXC_LIB_SCHEMA_MICROSOFT_ATTENTIONPARTS_H

#include "Body.h"

namespace onnxc::schema::microsoft {

/// Defines the sizes of the score matrix from q, k and the past, if any:
/// `queries`, `pasts` and `keys` as scalars, `row`, the position of each query
/// after the past as [queries, 1], and `column` as [keys].
void addPositions(Body &b, const char *past);

/// The sum of the biases of the scores.
class Mask {
public:
  explicit Mask(Body &b) : b(b) {}

  /// Adds `value` where `condition` does not hold.
  void require(const std::string &condition, double value);
  /// Adds a value.
  void add(const std::string &term);
  /// Lets no query see later keys.
  void requireCausal();

  /// Name of the sum; empty if nothing is added.
  const std::string &name() const { return sum; }

private:
  std::string fresh() { return "mask_" + std::to_string(++count); }

  Body &b;
  std::string sum;
  int count = 0;
};

/// Added to scores that do not count at all.
inline constexpr double lowestFloat = -3.4028234663852886e38;

/// [batch, sequence, heads * size] as [batch, heads, sequence, size].
void splitHeads(Body &b, const std::string &input, int64_t heads,
                const std::string &result);

/// [batch, heads, sequence, size] as [batch, sequence, heads * size].
void joinHeads(Body &b, const std::string &input, const std::string &result);

/// Defines y, and all_keys and all_values by head, of q, k and v. `past` is
/// "keys, values" or empty.
void attend(Body &b, int64_t heads, int64_t keyHeads, const Mask &mask,
            const std::string &past);

/// Softmax variants that the standard's Attention does not have.
struct ScoreOptions {
  double softcap = 0;
  /// Name of [heads], one more score of each row that has no value, or of a
  /// number; empty for none.
  std::string sink;
  /// Whether to define `scores`, before the softmax, and `weights`, after it.
  bool isShown = false;
};

/// Defines y, [batch, queries, heads * size], of q, [batch, queries, heads *
/// size], and of all_keys and all_values, [batch, keyHeads, keys, size].
void attendCached(Body &b, int64_t heads, int64_t keyHeads, const Mask &mask,
                  const ScoreOptions &options);

/// Defines `result` as `past`, [batch, heads, pasts, size], made `presents`
/// long, with `fresh`, of the same form, written from `starts`, [batch], on.
void writeCache(Body &b, const std::string &past, const std::string &fresh,
                const std::string &result);

/// Defines `positions`, [batch, sequence], from `start` upwards.
void countPositions(Body &b, const std::string &input, int sequenceDim,
                    const std::string &start);

/// Rotates [batch, sequence, heads * size] or, with no number of heads, [batch,
/// heads, sequence, size] by the angles of `positions`; `rotated` elements of
/// each head, or all for 0.
void rotate(Body &b, const std::string &input, int64_t heads, int64_t rotated,
            const std::string &interleaved, const std::string &result);

// Schemas.
void addInteger(::onnx::OpSchema &schema, const char *name, int64_t value = 0);
void addReal(::onnx::OpSchema &schema, const char *name, float value);
::onnx::OpSchema &addAttentionTypes(::onnx::OpSchema &schema);

} // namespace onnxc::schema::microsoft

#endif // ONNXC_LIB_SCHEMA_MICROSOFT_ATTENTIONPARTS_H
