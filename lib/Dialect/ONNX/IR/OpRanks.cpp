//===- OpRanks.cpp - Ranks of operands and results -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/OpSignature.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

/// A row has the names of operators, without "onnx.", the ranks of their
/// operands, a token for each slot, and flags. A token is
///   [LEAST[-MOST|+]][=SLOT[-LESS]][s|l|b|e|u][@]
/// or "." if nothing is known: "3+" is a rank of at least 3, "1+=0-1" that of
/// operand 0 less 1, a letter the form, and "@" stands for axes.
struct Row {
  std::string_view names, operands;
  uint16_t flags = OpRanks::None;
};

constexpr auto Elementwise = OpRanks::Elementwise,
               LikeFirst = OpRanks::LikeFirst,
               FirstLikeFirst = OpRanks::FirstLikeFirst,
               Reduction = OpRanks::Reduction, Axis = OpRanks::Axis,
               Varies = OpRanks::Varies, AnyRank = OpRanks::AnyRank,
               LastAxis = OpRanks::LastAxis, AlongAxes = OpRanks::AlongAxes;

constexpr Row rows[] = {
    {"Abs Acos Acosh Add And Asin Asinh Atan Atanh Bernoulli BitCast BitShift "
     "BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast Ceil Celu Cos Cosh Div "
     "Elu Equal Erf Exp Floor Gelu Greater GreaterOrEqual HardSigmoid "
     "HardSwish IsInf IsNaN LeakyRelu Less LessOrEqual Log Max Mean Min Mish "
     "Mod Mul Neg Not Or Pow Reciprocal RegexFullMatch Relu Round Selu Shrink "
     "Sigmoid Sign Sin Sinh Softplus Softsign Sqrt StringConcat Sub Sum Swish "
     "Tan Tanh ThresholdedRelu Where Xor",
     "", Elementwise},
    {"AffineGrid", "3 l", Varies},
    {"ArgMax ArgMin Concat Gather", "", Axis | AlongAxes},
    {"Attention", "3-4 3-4=0 3-4=0 1-4 4 4 1"},
    {"AveragePool LpPool MaxPool", "3+", LikeFirst},
    {"BatchNormalization", "1+ 1 1 1 1", FirstLikeFirst},
    {"BlackmanWindow HammingWindow HannWindow If", "s"},
    {"CausalConvWithState", "3+"},
    {"CenterCropPad", ". l", LikeFirst},
    {"Clip Dropout", ". s s", Elementwise},
    {"Col2Im", "2-3 l l", Varies},
    {"Compress", ". 1", Axis},
    {"ConstantOfShape", "1", Varies},
    {"Conv ConvTranspose", "3+ 3+=0 1", LikeFirst},
    {"ConvInteger", "3+ 3+=0 0-1 0-1", LikeFirst},
    {"CumProd CumSum", "1+ s@", LikeFirst | AlongAxes},
    {"Custom Optional OptionalGetElement OptionalHasElement SequenceConstruct "
     "SequenceMap Shape Size Yield",
     "", AnyRank},
    {"DFT", "2+ s s"},
    {"DeformConv", "3+ 3+=0 3+=0 1 3+=0", LikeFirst},
    {"DepthToSpace SpaceToDepth", "4"},
    {"DequantizeLinear QuantizeLinear", ". e e", Elementwise | LikeFirst},
    {"Det", "2+"},
    {"DynamicQuantizeLinear", "", FirstLikeFirst},
    {"Expand", ". 1", Varies},
    {"EyeLike", "2"},
    {"GRU RNN", "3 3 3 2 1 3"},
    {"GatherElements", "1+ 1+=0", Axis},
    {"GatherND", "1+ 1+", Varies},
    {"Gemm", ". . 0-2"},
    {"GlobalAveragePool GlobalLpPool GlobalMaxPool LRN", "2+", LikeFirst},
    {"GridSample", "3+ 3+=0"},
    {"GroupNormalization", "2+ 1 1", LikeFirst},
    {"Hardmax LogSoftmax LpNormalization Softmax", "",
     LikeFirst | LastAxis | AlongAxes},
    {"Identity", "", LikeFirst | AnyRank},
    {"InstanceNormalization", "3+ 1 1", LikeFirst},
    {"LSTM", "3 3 3 2 1 3 3 2"},
    {"LayerNormalization", ". b b", LikeFirst | LastAxis | AlongAxes},
    {"LinearAttention", "3-4 3-4=0 3-4=0"},
    {"Loop", "s s u"},
    {"MaxRoiPool", "4 2"},
    {"MaxUnpool", "3+ 3+=0 l", LikeFirst},
    {"MeanVarianceNormalization Transpose", "", LikeFirst},
    {"MelWeightMatrix", "s s s s s"},
    {"NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", "2+ 1+=0-1 1"},
    {"NonMaxSuppression", "3 3 s s s"},
    {"OneHot", ". s l"},
    {"PRelu", ". b", Elementwise},
    {"Pad", ". 1 s l@", LikeFirst},
    {"QLinearConv", "3+ s s 3+=0 0-1 0-1 s s 1", LikeFirst},
    {"RMSNormalization", ". b", LikeFirst | LastAxis | AlongAxes},
    {"Range", "s s s"},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean "
     "ReduceMin ReduceProd ReduceSum ReduceSumSquare",
     ". l@", Reduction | Varies | AlongAxes},
    {"Reshape", "u 1"},
    {"Resize", ". l l l", LikeFirst},
    {"ReverseSequence", "2+ 1", LikeFirst},
    {"RoiAlign", "4 2 1"},
    {"RotaryEmbedding", "3-4 2-3 2-3=1 2"},
    {"STFT", "2-3 s 1 s"},
    {"ScatterElements", "1+ 1+=0 1+=0", LikeFirst | Axis},
    {"ScatterND", "1+ 1+", LikeFirst},
    {"SequenceAt SequenceErase", ". s"},
    {"SequenceInsert", ". u s"},
    {"Slice", ". 1 1 1@ 1", LikeFirst | AlongAxes},
    {"Split", ". l", LikeFirst | Axis | AlongAxes},
    {"SplitToSequence", "u 0-1"},
    {"Squeeze Unsqueeze", ". l@", Varies},
    {"StringNormalizer TfIdfVectorizer", "1-2"},
    {"Tile", ". 1", LikeFirst},
    {"TopK", "1+ l", LikeFirst | LastAxis | AlongAxes},
    {"Trilu", "2+ s", LikeFirst},
    {"Unique", "", Axis},
    {"ml.ArrayFeatureExtractor", "1+ l"},
    {"ml.FeatureVectorizer", "1+"},
    {"ml.Imputer ml.LinearClassifier ml.LinearRegressor ml.Normalizer "
     "ml.SVMClassifier ml.SVMRegressor ml.Scaler ml.TreeEnsemble "
     "ml.TreeEnsembleClassifier ml.TreeEnsembleRegressor ml.ZipMap",
     "1-2"},
    {"preview.FlexAttention", "4 4 4"},
    {"training.Adagrad training.Adam training.Momentum", "s s"},
    {"microsoft.Attention", "3 2 1 1-3 5 4 s"},
    {"microsoft.BiasAdd", "3 1 3"},
    {"microsoft.BiasGelu microsoft.FastGelu", ". l", Elementwise},
    {"microsoft.BiasSplitGelu", "3 1"},
    {"microsoft.BranchwiseRMSNorm", "1+ 1-2"},
    {"microsoft.CDist microsoft.NGramRepeatBlock", "2 2"},
    {"microsoft.CausalConvWithState", "3 3 1 3"},
    {"microsoft.ConvTransposeWithDynamicPads", "3+ 3+=0 1 1"},
    {"microsoft.CropAndResize", "4 2 1l 1l"},
    {"microsoft.DecoderMaskedMultiHeadAttention",
     "3 3-4 3-4=1 2 4 4 4 s s . 1"},
    {"microsoft.DequantizeLinear microsoft.QuantizeLinear", ". e e",
     Elementwise},
    {"microsoft.DynamicQuantizeLSTM",
     "3 3 3 2 1l 3 3 2 1-2 1-2=8 1-2=8 1-2=10"},
    {"microsoft.EmbedLayerNormalization", "2 2 2 2 2 1l 1l 2 2"},
    {"microsoft.EngramGate", "4 4 3 2 2 2"},
    {"microsoft.ExpandDims", ". s"},
    {"microsoft.FusedConv", "3+ 3+=0 1l 3+=0"},
    {"microsoft.FusedGemm", "2 2 0-2"},
    {"microsoft.GatedRMSNorm", "1+ 1 1+=0"},
    {"microsoft.GatedRelativePositionBias", "3 1 4 2 1 4"},
    {"microsoft.GatherBlockQuantized", ". . 1+=0 1+=0"},
    {"microsoft.GatherND", "1+ 1+"},
    {"microsoft.Gelu microsoft.QuickGelu", "", Elementwise},
    {"microsoft.GemmaRotaryEmbedding", "3 4 4 4 4"},
    {"microsoft.GridSample", "4 4"},
    {"microsoft.GroupNorm", "4 1 1"},
    {"microsoft.GroupQueryAttention", "3 3 3 4 4 1-2l s 2 2 2 4 1 . . 1 1"},
    {"microsoft.HyperConnectionPostMix", "2+ 1+ 1+ 2+"},
    {"microsoft.HyperConnectionPreMix", "2+ 1+"},
    {"microsoft.Inverse microsoft.Irfft", "2+"},
    {"microsoft.LinearAttention", "3 3 3 4 3 3"},
    {"microsoft.LinearAttentionGate", "3 1 1 3"},
    {"microsoft.MRotaryEmbedding", "3-4 3 2 2"},
    {"microsoft.MatMulBnb4", "1+ 1 1"},
    {"microsoft.MatMulNBits", "1+ 3 l l l l"},
    {"microsoft.MoE", "2-3 2 3 2 3 2 3 2"},
    {"microsoft.MulInteger", ". s . s"},
    {"microsoft.MultiHeadAttention", ". . . 1l 1-3 4 4 4 s"},
    {"microsoft.NhwcConv", "4 4 1"},
    {"microsoft.NhwcFusedConv", "4 4 1 4"},
    {"microsoft.NhwcMaxPool", "3+"},
    {"microsoft.Pad", ". l s"},
    {"microsoft.QAttention", "3 2 1l s 0-1l 1-3 s 0-1l 5"},
    {"microsoft.QEmbedLayerNormalization",
     "2 2 2 2 2 1 1 2 s s s s s s s s s s"},
    {"microsoft.QGemm", "2 s s 2 0-1l 0-1l 0-2 s s"},
    {"microsoft.QLinearAdd microsoft.QLinearMul", ". s s . s s s s",
     Elementwise},
    {"microsoft.QLinearAveragePool microsoft.QLinearGlobalAveragePool",
     "3+ s s s s"},
    {"microsoft.QLinearConv", "3+ s s 3+=0 0-1 0-1 s s 1"},
    {"microsoft.QLinearLeakyRelu microsoft.QLinearSigmoid", ". s s s s",
     Elementwise},
    {"microsoft.QLinearReduceMean", ". s s s s"},
    {"microsoft.QLinearSoftmax", ". s s s s", LastAxis},
    {"microsoft.QLinearWhere", ". . s s . s s s s", Elementwise},
    {"microsoft.QMoE", "2-3 2 3 2-3 2 3 2-3 2 3 2-3 2 2-3 2-3 2-3 2"},
    {"microsoft.Range", "s s s"},
    {"microsoft.RelativePositionBias", "2 s s"},
    {"microsoft.Rfft microsoft.UnfoldTensor", "1+"},
    {"microsoft.RotaryEmbedding", "3-4 1-2 2 2"},
    {"microsoft.SimplifiedLayerNormalization", "1+ b", LastAxis},
    {"microsoft.SkipGroupNorm", "4 1 1 2-4 1"},
    {"microsoft.SkipLayerNormalization", "2-3 b 1l 1l 1l"},
    {"microsoft.SkipSimplifiedLayerNormalization", "2-3 b 1l 1l"},
    {"microsoft.Tokenizer", "1-2"},
    {"microsoft.Trilu", "2+ s"},
    {"microsoft.Unique", "1l"},
};

class RowReader {
public:
  constexpr explicit RowReader(std::string_view text) : text(text) {}

  constexpr bool isAtEnd() const { return text.empty(); }

  constexpr OperandRank readToken() {
    OperandRank rank;
    if (!take('.')) {
      if (isAtDigit()) {
        rank.min = readNumber();
        rank.max = take('+')   ? OperandRank::unbounded
                   : take('-') ? readNumber()
                               : rank.min;
      }
      if (take('=')) {
        rank.like = static_cast<int>(readNumber());
        rank.more = take('-') ? -readNumber() : 0;
      }
      rank.form = readForm();
      rank.isAxes = take('@');
    }
    isValid = isValid && (take(' ') || isAtEnd());
    return rank;
  }

  bool isValid = true;

private:
  constexpr bool take(char c) {
    if (text.empty() || text.front() != c)
      return false;
    text.remove_prefix(1);
    return true;
  }
  constexpr bool isAtDigit() const {
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
  }
  constexpr int64_t readNumber() {
    int64_t number = 0;
    isValid = isValid && isAtDigit();
    for (; isAtDigit(); text.remove_prefix(1))
      number = 10 * number + (text.front() - '0');
    return number;
  }
  constexpr OperandRank::Form readForm() {
    return take('s')   ? OperandRank::Scalar
           : take('l') ? OperandRank::List
           : take('b') ? OperandRank::Broadcast
           : take('e') ? OperandRank::Scale
           : take('u') ? OperandRank::Unknown
                       : OperandRank::Any;
  }

  std::string_view text;
};

constexpr bool isTableValid() {
  for (const Row &row : rows) {
    RowReader reader(row.operands);
    while (!reader.isAtEnd() && reader.isValid)
      reader.readToken();
    if (!reader.isValid)
      return false;
  }
  return true;
}
static_assert(isTableValid(), "a token of the table cannot be read");

/// The table in the form for look-ups.
class Table {
public:
  Table() {
    for (const Row &row : rows) {
      auto operands = std::make_unique<std::vector<OperandRank>>();
      for (RowReader reader(row.operands); !reader.isAtEnd();)
        operands->push_back(reader.readToken());
      for (StringRef name : llvm::split(row.names, ' '))
        byName[("onnx." + name).str()] = {row.flags, *operands};
      storage.push_back(std::move(operands));
    }
  }

  llvm::StringMap<OpRanks> byName;

private:
  std::vector<std::unique_ptr<std::vector<OperandRank>>> storage;
};

const Table &table() {
  static const Table instance;
  return instance;
}

} // namespace

OpRanks OpRanks::of(Operation *op) {
  return table().byName.lookup(op->getName().getStringRef());
}

SmallVector<StringRef> OpRanks::getNames() {
  return llvm::to_vector(table().byName.keys());
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

MutableArrayRef<OpOperand> onnxc::onnx::operandsInSlot(Operation *op,
                                                       unsigned slot) {
  FailureOr<SmallVector<int32_t>> sizes = getSegmentSizes(op, false);
  if (failed(sizes) || slot >= sizes->size())
    return {};
  size_t number = 0;
  for (unsigned before = 0; before < slot; ++before)
    number += (*sizes)[before];
  size_t count = (*sizes)[slot];
  return number + count <= op->getNumOperands()
             ? op->getOpOperands().slice(number, count)
             : MutableArrayRef<OpOperand>();
}

OpOperand *onnxc::onnx::operandInSlot(Operation *op, unsigned slot) {
  MutableArrayRef<OpOperand> operands = operandsInSlot(op, slot);
  return operands.empty() ? nullptr : &operands.front();
}

bool onnxc::onnx::isUnranked(Value value) {
  return isa<UnrankedTensorType>(value.getType());
}

bool onnxc::onnx::isJoinedData(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  return number >= 2 && (number - 2) % 3 == 0;
}

bool onnxc::onnx::isNextCondition(OpOperand &operand) {
  return operand.getOperandNumber() == 0 && isa<YieldOp>(operand.getOwner()) &&
         isa_and_present<LoopOp>(operand.getOwner()->getParentOp());
}

bool onnxc::onnx::takesUnknownRank(OpOperand &operand) {
  if (isNextCondition(operand))
    return false;
  Operation *op = operand.getOwner();
  OpRanks ranks = OpRanks::of(op);
  if (ranks.flags & AnyRank)
    return true;
  if (auto scan = dyn_cast<ScanOp>(op))
    return static_cast<int64_t>(operand.getOperandNumber()) <
           static_cast<int64_t>(op->getNumOperands()) - scan.getNumScanInputs();
  for (auto [slot, rank] : llvm::enumerate(ranks.operands))
    if (rank.form == OperandRank::Unknown)
      for (OpOperand &other : operandsInSlot(op, slot))
        if (&other == &operand)
          return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

/// Calls `holds` on the operands that have one of two forms.
static bool allOfForm(Operation *op, const OpRanks &ranks,
                      function_ref<bool(OperandRank::Form, Value)> holds) {
  for (auto [slot, rank] : llvm::enumerate(ranks.operands))
    if (OpOperand *operand =
            rank.form == OperandRank::Any ? nullptr : operandInSlot(op, slot))
      if (!holds(rank.form, operand->get()))
        return false;
  return true;
}

bool onnxc::onnx::isElementwise(Operation *op) {
  OpRanks ranks = OpRanks::of(op);
  return (ranks.flags & Elementwise) &&
         allOfForm(op, ranks, [](OperandRank::Form form, Value operand) {
           auto type = dyn_cast<RankedTensorType>(operand.getType());
           if (form == OperandRank::Scale)
             return type && type.getRank() == 0;
           return form != OperandRank::Scalar || !type || type.getRank() == 0;
         });
}

bool onnxc::onnx::isElementwiseUnary(Operation *op) {
  if (!isElementwise(op))
    return false;
  unsigned scalars = 0;
  allOfForm(op, OpRanks::of(op), [&](OperandRank::Form form, Value) {
    scalars += form == OperandRank::Scalar || form == OperandRank::Scale;
    return true;
  });
  return op->getNumOperands() == scalars + 1;
}

bool onnxc::onnx::isReduction(Operation *op) {
  return OpRanks::of(op).flags & Reduction;
}

unsigned onnxc::onnx::countLikeFirst(Operation *op) {
  uint16_t flags = OpRanks::of(op).flags;
  if (flags & FirstLikeFirst)
    return 1;
  return flags & LikeFirst ? op->getNumResults() : 0;
}

std::optional<int64_t>
onnxc::onnx::rankChange(Operation *op,
                        function_ref<std::optional<int64_t>(Value)> lengthOf) {
  bool isArg = isa<ArgMaxOp, ArgMinOp>(op), isReduced = isReduction(op);
  bool keepsDims = integerAttr(op, "keepdims").value_or(1) == 1;
  if (countLikeFirst(op) || ((isReduced || isArg) && keepsDims))
    return 0;
  if (isArg)
    return -1;
  OpOperand *axes = isReduced || isa<SqueezeOp, UnsqueezeOp>(op)
                        ? operandInSlot(op, 1)
                        : nullptr;
  std::optional<int64_t> count = axes ? lengthOf(axes->get()) : std::nullopt;
  // An empty list of axes is all of them, or none.
  if (!count || (isReduced && *count == 0))
    return std::nullopt;
  return isa<UnsqueezeOp>(op) ? *count : -*count;
}

bool onnxc::onnx::mayVaryInRank(Operation *op) {
  return OpRanks::of(op).flags & Varies;
}

std::optional<int64_t> onnxc::onnx::integerAttr(Operation *op, StringRef name) {
  auto given = dyn_cast_or_null<IntegerAttr>(
      op->getInherentAttr(name).value_or(Attribute()));
  return given ? std::optional<int64_t>(given.getInt()) : std::nullopt;
}

SmallVector<int64_t> onnxc::onnx::knownAxes(Operation *op) {
  if (isa<CenterCropPadOp, MeanVarianceNormalizationOp, ResizeOp>(op)) {
    auto given = dyn_cast_or_null<DenseI64ArrayAttr>(
        op->getInherentAttr("axes").value_or(Attribute()));
    return given ? SmallVector<int64_t>(given.asArrayRef())
                 : SmallVector<int64_t>();
  }
  if (auto reverse = dyn_cast<ReverseSequenceOp>(op))
    return {reverse.getTimeAxis(), reverse.getBatchAxis()};
  OpRanks ranks = OpRanks::of(op);
  if (ranks.flags & (Axis | LastAxis)) {
    std::optional<int64_t> axis = integerAttr(op, "axis");
    // Without an axis these two use all elements.
    if (!axis && isa<CompressOp, UniqueOp>(op))
      return {};
    return {axis.value_or(ranks.flags & Axis ? 0 : -1)};
  }
  for (auto [slot, rank] : llvm::enumerate(ranks.operands))
    if (OpOperand *operand = rank.isAxes ? operandInSlot(op, slot) : nullptr)
      return constantInts(operand->get()).value_or(SmallVector<int64_t>());
  return {};
}
