//===- MapLoops.cpp - Which loops of two kernels are the same --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A dimension of the tensor between two kernels is written by one loop of the
// producer and read by one loop of the consumer: those two loops are the same.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace onnxc::krnl {

/// For each dimension of a kernel result, the loop that writes it or "".
static SmallVector<StringRef> writerLoops(KernelOp producer, unsigned result) {
  Value yielded = producer.getYield().getValues()[result];
  auto writer = yielded.getDefiningOp<ComputeOp>();
  return writer.getLoopsAlong(
      *writer.getTiedOpOperand(cast<OpResult>(yielded)));
}

namespace {
/// Pairs of loops found so far, one to one.
struct LoopPairs {
  llvm::StringMap<std::string> toProducer;
  llvm::StringMap<std::string> toConsumer;

  bool add(StringRef producerLoop, StringRef consumerLoop) {
    auto forward = toProducer.try_emplace(consumerLoop, producerLoop.str());
    auto backward = toConsumer.try_emplace(producerLoop, consumerLoop.str());
    return forward.first->second == producerLoop &&
           backward.first->second == consumerLoop;
  }
};

/// One read of a shared tensor by an op of the consumer over `axes`: for each
/// dimension the loop that covers it or "", in the consumer and in the
/// producer.
struct SharedRead {
  SmallVector<StringRef> axes, readers, writers;
};
} // namespace

/// Collects how the consumer reads the producer's results.
static LogicalResult collectReads(KernelOp producer, KernelOp consumer,
                                  SmallVectorImpl<SharedRead> &reads,
                                  std::string &reason) {
  for (Value out : consumer.getOuts())
    if (out.getDefiningOp() == producer) {
      reason = (consumer.getName() + " writes into a result of " +
                producer.getName())
                   .str();
      return failure();
    }
  for (auto [number, in] : llvm::enumerate(consumer.getIns())) {
    if (in.getDefiningOp() != producer)
      continue;
    SmallVector<StringRef> writers =
        writerLoops(producer, cast<OpResult>(in).getResultNumber());
    for (OpOperand &use : consumer.getInArgument(number).getUses()) {
      if (isa<tensor::DimOp>(use.getOwner()))
        continue;
      auto op = dyn_cast<ComputeOp>(use.getOwner());
      if (!op) {
        reason = (consumer.getName() +
                  " reads the tensor between them at computed indices")
                     .str();
        return failure();
      }
      reads.push_back({op.getAxes(), op.getLoopsAlong(use), writers});
    }
  }
  return success();
}

static FailureOr<LoopPairs> findPairs(ArrayRef<SharedRead> reads,
                                      StringRef consumer, std::string &reason) {
  LoopPairs pairs;
  auto refuse = [&](StringRef loop) {
    reason = ("loop '" + loop + "' indexes two dimensions of the tensor that " +
              consumer + " reads")
                 .str();
    return failure();
  };
  for (const SharedRead &read : reads)
    for (auto [reader, writer] : llvm::zip_equal(read.readers, read.writers))
      if (!reader.empty() && !writer.empty() && !pairs.add(writer, reader))
        return refuse(writer);
  // A paired loop must be paired in every read by an op that runs over it.
  for (const SharedRead &read : reads) {
    for (auto [reader, writer] : llvm::zip_equal(read.readers, read.writers)) {
      auto paired = pairs.toConsumer.find(writer);
      if (paired != pairs.toConsumer.end() && reader != paired->second &&
          llvm::is_contained(read.axes, paired->second))
        return refuse(writer);
    }
  }
  return pairs;
}

/// For each dimension of an input, the loop that alone indexes it in some op.
static SmallVector<StringRef> readerLoops(KernelOp kernel, unsigned in) {
  BlockArgument argument = kernel.getInArgument(in);
  SmallVector<StringRef> loops;
  if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
    loops.resize(type.getRank());
  for (OpOperand &use : argument.getUses()) {
    auto op = dyn_cast<ComputeOp>(use.getOwner());
    if (!op)
      continue;
    for (auto [loop, found] : llvm::zip_equal(loops, op.getLoopsAlong(use)))
      if (loop.empty())
        loop = found;
  }
  return loops;
}

/// For each dimension of two inputs, whether these have the same indices along
/// it: they are one tensor, or one loop of the kernel that makes both writes
/// them. Empty for others.
static SmallVector<bool> dimsInCommon(Value input, Value other) {
  auto type = dyn_cast<RankedTensorType>(input.getType());
  if (!type)
    return {};
  if (input == other)
    return SmallVector<bool>(type.getRank(), true);
  auto maker = input.getDefiningOp<KernelOp>();
  if (!maker || other.getDefiningOp() != maker)
    return {};
  SmallVector<StringRef> a = writerLoops(
                             maker, cast<OpResult>(input).getResultNumber()),
                         b = writerLoops(
                             maker, cast<OpResult>(other).getResultNumber());
  if (a.size() != b.size())
    return {};
  return llvm::map_to_vector(llvm::zip_equal(a, b), [](auto pair) {
    return !std::get<0>(pair).empty() && std::get<0>(pair) == std::get<1>(pair);
  });
}

/// Loops that no tensor between the kernels ties together are one all the same
/// if they run along the same dimension of inputs of both: the rows of a
/// softmax, or those that another kernel has written as two results.
static void pairThroughInputs(KernelOp producer, KernelOp consumer,
                              ArrayRef<SharedRead> reads, LoopPairs &pairs) {
  llvm::StringSet<> written;
  for (const SharedRead &read : reads)
    for (StringRef writer : read.writers)
      written.insert(writer);
  for (auto [theirs, value] : llvm::enumerate(consumer.getIns()))
    for (auto [mine, other] : llvm::enumerate(producer.getIns())) {
      SmallVector<bool> inCommon = dimsInCommon(value, other);
      if (inCommon.empty())
        continue;
      for (auto [a, b, isCommon] :
           llvm::zip_equal(readerLoops(producer, mine),
                           readerLoops(consumer, theirs), inCommon))
        if (isCommon && !a.empty() && !b.empty() && !written.contains(a) &&
            !pairs.toConsumer.contains(a) && !pairs.toProducer.contains(b))
          pairs.add(a, b);
    }
}

/// The extent of one loop from those in the two kernels.
static FailureOr<int64_t> joinExtents(LoopAttr a, LoopAttr b, KernelOp producer,
                                      KernelOp consumer, std::string &reason) {
  if (a.isDynamic() || b.isDynamic() || a.getExtent() == b.getExtent())
    return a.isDynamic() ? b.getExtent() : a.getExtent();
  reason = ("loop '" + a.getName() + "' has " + Twine(a.getExtent()) +
            " iterations in " + producer.getName() + " but " +
            Twine(b.getExtent()) + " in " + consumer.getName())
               .str();
  return failure();
}

namespace {

/// Collects the loops of the joined kernel.
class LoopMapper {
public:
  LoopMapper(KernelOp producer, KernelOp consumer)
      : producer(producer), consumer(consumer) {}

  /// The loops of the producer keep their names; those of pairs get the extent
  /// that one of the two knows.
  LogicalResult addProducerLoops(const LoopPairs &pairs, std::string &reason);
  /// The other loops of the consumer get names that are not taken. One that has
  /// a common loop inside, and another around it, stays there.
  void addConsumerLoops();

  LoopMapping plan;

private:
  void add(LoopAttr loop, OpFoldResult extent,
           std::optional<unsigned> position = std::nullopt);

  /// The position of the first common loop inside of this loop of the consumer,
  /// if that is inside of the loop around it, too, and not reduced: a reduction
  /// passes over what the producer makes once for each row.
  std::optional<unsigned> positionBefore(unsigned number);

  KernelOp producer, consumer;
  llvm::StringSet<> taken;
};

} // namespace

/// Adds the loop in this position, last without one.
void LoopMapper::add(LoopAttr loop, OpFoldResult extent,
                     std::optional<unsigned> position) {
  auto at = plan.loops.begin() + position.value_or(plan.loops.size());
  auto before = llvm::make_range(plan.loops.begin(), at);
  unsigned dynamic =
      llvm::count_if(before, [](LoopAttr l) { return l.isDynamic(); });
  if (loop.isDynamic())
    plan.extents.insert(plan.extents.begin() + dynamic, cast<Value>(extent));
  plan.loops.insert(at, loop);
}

LogicalResult LoopMapper::addProducerLoops(const LoopPairs &pairs,
                                           std::string &reason) {
  for (auto [number, known] :
       llvm::enumerate(producer.getLoops().getAsRange<LoopAttr>())) {
    LoopAttr loop = known;
    taken.insert(loop.getName());
    auto paired = pairs.toConsumer.find(loop.getName());
    if (paired != pairs.toConsumer.end()) {
      LoopAttr other = consumer.getLoop(*consumer.findLoop(paired->second));
      FailureOr<int64_t> extent =
          joinExtents(loop, other, producer, consumer, reason);
      if (failed(extent))
        return failure();
      if (!ShapedType::isDynamic(*extent))
        loop = LoopAttr::get(loop.getContext(), loop.getName(), *extent);
      plan.common.push_back(loop.getName().str());
      plan.rename[paired->second] = loop.getName().str();
    }
    add(loop, producer.getExtent(number));
  }
  return success();
}

/// Returns true if an op reduces the loop.
static bool isReduced(KernelOp kernel, StringRef loop) {
  return llvm::any_of(kernel.getBody().getOps<ComputeOp>(), [&](ComputeOp op) {
    SmallVector<StringRef> axes = op.getAxes();
    return llvm::is_contained(llvm::drop_begin(axes, op.getNumParallelLoops()),
                              loop);
  });
}

std::optional<unsigned> LoopMapper::positionBefore(unsigned number) {
  auto positionOf = [&](LoopAttr loop) -> std::optional<unsigned> {
    auto name = plan.rename.find(loop.getName());
    if (name == plan.rename.end())
      return std::nullopt;
    const auto *at = llvm::find_if(plan.loops, [&](LoopAttr known) {
      return known.getName() == name->second;
    });
    return at - plan.loops.begin();
  };
  auto loops = llvm::to_vector(consumer.getLoops().getAsRange<LoopAttr>());
  std::optional<unsigned> around =
      number > 0 ? positionOf(loops[number - 1]) : std::nullopt;
  if (!around)
    return std::nullopt;
  for (LoopAttr loop : llvm::drop_begin(loops, number + 1))
    if (std::optional<unsigned> inside = positionOf(loop))
      return *inside > *around && !isReduced(consumer, loop.getName())
                 ? inside
                 : std::nullopt;
  return std::nullopt;
}

void LoopMapper::addConsumerLoops() {
  for (auto [number, loop] :
       llvm::enumerate(consumer.getLoops().getAsRange<LoopAttr>())) {
    if (plan.rename.contains(loop.getName()))
      continue;
    std::string name = loop.getName().str();
    for (unsigned i = 2; !taken.insert(name).second; ++i)
      name = (loop.getName() + "_" + Twine(i)).str();
    plan.rename[loop.getName()] = name;
    add(LoopAttr::get(loop.getContext(), name, loop.getExtent(),
                      loop.getLimit(), loop.getAtLeast()),
        consumer.getExtent(number), positionBefore(number));
  }
}

FailureOr<LoopMapping> mapLoops(KernelOp producer, KernelOp consumer,
                                std::string &reason) {
  SmallVector<SharedRead> reads;
  if (failed(collectReads(producer, consumer, reads, reason)))
    return failure();
  FailureOr<LoopPairs> pairs = findPairs(reads, consumer.getName(), reason);
  if (failed(pairs))
    return failure();
  pairThroughInputs(producer, consumer, reads, *pairs);
  LoopMapper mapper(producer, consumer);
  if (failed(mapper.addProducerLoops(*pairs, reason)))
    return failure();
  mapper.addConsumerLoops();
  return std::move(mapper.plan);
}

} // namespace onnxc::krnl
