//===- Refusals.cpp - Operators that are not compiled ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The one list of them: the importer's messages and docs/Coverage.md, which
// utils/coverage.py writes, take the reasons from here.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Schema/Microsoft.h"

using namespace onnxc::schema;

namespace {
/// An operator of com.microsoft; with a form, only that form of it.
struct Refusal {
  const char *op, *form, *reason;
};

struct DomainRefusal {
  const char *domain, *reason;
};
} // namespace

// The reasons that many have.
#define GENERATION                                                             \
  "it runs whole decoders in a loop of its own; compile the decoder and "      \
  "write "                                                                     \
  "the loop around it"
#define NO_CPU "onnxruntime has no CPU kernel to compare with"
#define PACKED "packing of padded batches is for CUDA; export without it"
#define UNUSED_SCALE                                                           \
  "only a scale of 1 is supported: onnxruntime applies no other; scale the "   \
  "caches"
#define PRIVATE_LAYOUT                                                         \
  "its weights are in a layout private to one device; export them unpacked"
#define ROTATION                                                               \
  "it is not supported here; export with RotaryEmbedding and "                 \
  "MultiHeadAttention"

// clang-format off: a row a line, read by utils/coverage.py.
static constexpr Refusal refusals[] = {
    {"Attention", "do_rotary", ROTATION},
    {"AttnLSTM", "", "no public exporter writes it"},
    {"BeamSearch", "", GENERATION},
    {"BifurcationDetector", "", "it grows by as many words as agree, step by step; run it outside of the model"},
    {"BitmaskBiasDropout", "", "it is for training with onnxruntime"},
    {"BitmaskDropout", "", "it is for training with onnxruntime"},
    {"CausalConvWithState", "channels_last", "only sequences in the last dimension are supported"},
    {"CausalConvWithState", "dilation", "only a dilation of 1 is supported"},
    {"CausalConvWithState", "ndim", "only one spatial dimension is supported"},
    {"CausalConvWithState", "state_window", "windows of states are not supported"},
    {"DecoderAttention", "", NO_CPU},
    {"DecoderMaskedMultiHeadAttention", "cache_indirection", "beams that share a cache are not supported; export without beam search"},
    {"DecoderMaskedSelfAttention", "", NO_CPU},
    {"DequantizeBFP", "", NO_CPU},
    {"DequantizeWithOrder", "", NO_CPU},
    {"DynamicSparseAttention", "", NO_CPU},
    {"DynamicTimeWarping", "", "each of its steps needs the last; run it outside of the model"},
    {"DynamicQuantizeLSTM", "activations", "unknown activation, or not three of them for each direction"},
    {"EPContext", "", "it holds code of another compiler"},
    {"GatedDeltaNet", "", NO_CPU},
    {"GatedRelativePositionBias", "token_offset", PACKED},
    {"GemmFloat8", "", NO_CPU},
    {"GreedySearch", "", GENERATION},
    {"GroupQueryAttention", "k_quant_type", "quantized caches are not supported; export with caches of reals"},
    {"GroupQueryAttention", "sliding_window_cache", "caches that drop keys are not supported; export without sliding_window_cache"},
    {"LinearAttention", "kv_num_heads", "more heads of keys than of queries are not supported"},
    {"LinearAttention", "state_window", "windows of states are not supported"},
    {"LongformerAttention", "", NO_CPU},
    {"MRotaryEmbedding", "is_packed_batching", PACKED},
    {"MRotaryEmbedding", "scale", UNUSED_SCALE},
    {"MatMulBlockQuantizedFp4Weight", "", NO_CPU},
    {"MatMulBlockQuantizedFp8Weight", "", NO_CPU},
    {"MatMulFpQ4", "", PRIVATE_LAYOUT},
    {"MatMulNBits", "g_idx", "blocks of columns out of order are not supported; quantize without act_order"},
    {"MatMulNBits", "weight_prepacked", PRIVATE_LAYOUT},
    {"MatMulNBitsMlp", "", "onnxruntime writes it for WebGPU only; optimise the model for the CPU"},
    {"MatMulNBitsQkv", "", "onnxruntime writes it for WebGPU only; optimise the model for the CPU"},
    {"MaxpoolWithMask", "", "it is for internal use of onnxruntime"},
    {"MoE", "experts", "more than 256 experts are not supported"},
    {"MoE", "use_sparse_mixer", "the sparse mixer is not supported"},
    {"MurmurHash3", "", "hashes are not supported; run it outside of the model"},
    {"MultiHeadAttention", "qk", "the output of scores is not supported; export without it"},
    {"NGramHashMapping", "", "no public exporter writes it"},
    {"PackedAttention", "", PACKED},
    {"PackedMultiHeadAttention", "", PACKED},
    {"PackedSparseAttentionIndexer", "", NO_CPU},
    {"PagedAttention", "", NO_CPU},
    {"QAttention", "do_rotary", ROTATION},
    {"QMoE", "experts", "more than 256 experts are not supported"},
    {"QMoE", "quant_type", "only weights of quant_type 'int' are supported"},
    {"QMoE", "use_sparse_mixer", "the sparse mixer is not supported"},
    {"QMoE", "weights_prepacked", PRIVATE_LAYOUT},
    {"QOrderedAttention", "", NO_CPU},
    {"QOrderedGelu", "", NO_CPU},
    {"QOrderedLayerNormalization", "", NO_CPU},
    {"QOrderedLongformerAttention", "", NO_CPU},
    {"QOrderedMatMul", "", NO_CPU},
    {"QuantizeBFP", "", NO_CPU},
    {"QuantizeWithOrder", "", NO_CPU},
    {"RemovePadding", "", PACKED},
    {"RestorePadding", "", PACKED},
    {"Rfft", "signal_ndim", "only one dimension, one side and no normalization are supported"},
    {"Irfft", "signal_ndim", "only one dimension, one side and no normalization are supported"},
    {"RotaryEmbedding", "scale", UNUSED_SCALE},
    {"Sampling", "", GENERATION},
    {"Snpe", "", "it holds code of another compiler"},
    {"SparseAttention", "", "block-sparse masks are not supported; export with GroupQueryAttention"},
    {"SparseAttentionIndexer", "", NO_CPU},
    {"SparsePagedAttention", "", NO_CPU},
    {"SparseToDenseMatMul", "", "sparse tensors are supported as constants only"},
    {"VarlenCausalConvWithState", "", NO_CPU},
    {"VarlenNGramHashMapping", "", "no public exporter writes it"},
    {"WhisperBeamSearch", "", GENERATION},
    {"WordConvEmbedding", "", "no public exporter writes it"},
};

static constexpr DomainRefusal domains[] = {
    {"com.microsoft.nchwc", "onnxruntime writes them for one processor; save the model with optimization level ORT_ENABLE_EXTENDED"},
    {"com.ms.internal.nhwc", "onnxruntime writes them for one device; save the model with optimization level ORT_ENABLE_EXTENDED"},
};
// clang-format on

std::string onnxc::schema::refusalReason(const std::string &op,
                                         const std::string &form) {
  for (const Refusal &row : refusals)
    if (row.op == op && row.form == form)
      return row.reason;
  return "";
}

std::string onnxc::schema::domainRefusalReason(const std::string &domain) {
  for (const DomainRefusal &row : domains)
    if (row.domain == domain)
      return row.reason;
  return "";
}
