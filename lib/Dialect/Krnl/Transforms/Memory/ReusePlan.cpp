//===- ReusePlan.cpp - Offsets that let launches run at once ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ArenaPlan.h"

#include "onnxc/Support/ElementBytes.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace onnxc;
using namespace onnxc::krnl;
using llvm::ArrayRef;
using llvm::MutableArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

/// Slots up to which each is compared with all others.
static constexpr size_t maxReuseChoices = 1024;

/// What an arena may have of the bytes of the plan that reuses most, in
/// percent. More bytes are tried where fewer leave launches that wait.
static constexpr int64_t arenaLimits[] = {100, 125, 150};

/// Bytes that each arena may have where more than that plan helps: little
/// beside what a context takes on a device.
static constexpr int64_t smallArena = 2 << 20;

/// Chains that are so much longer than the shortest one are as good.
static constexpr double chainTolerance = 1.01;

namespace {

/// What it takes if two slots have the same bytes.
struct ReuseCost {
  /// The cycles by which the longest chain grows.
  double growth = 0;
  /// Launches that wait for each other and would not have to.
  int64_t waits = 0;

  bool operator<(const ReuseCost &other) const {
    return std::tie(growth, waits) < std::tie(other.growth, other.waits);
  }
};

/// Bytes that a slot cannot have, or can at a cost.
struct Taken {
  int64_t begin, end;
  /// Needed at the same time.
  bool isApart;
  ReuseCost cost;
};

} // namespace

/// Calls `visit` with the launches of one slot and those of a later one that
/// the order says nothing about. These are of one part: the last one of the
/// first slot, which is the first one of the second.
template <typename Visit>
static void forEachUnordered(const ArenaSlot &a, const ArenaSlot &b,
                             const LaunchGraph &launches, Visit visit) {
  ArrayRef<unsigned> first = a.users, second = b.users;
  if (a.first >= b.first)
    std::swap(first, second);
  if (first.empty() || second.empty())
    return;
  unsigned part = launches.partOf(second.front());
  auto isInPart = [&](unsigned launch) {
    return launches.partOf(launch) == part;
  };
  first = first.drop_until(isInPart);
  second = second.take_while(isInPart);
  for (unsigned earlier : llvm::reverse(first))
    for (unsigned later : second)
      if (!launches.isBefore(earlier, later))
        visit(earlier, later);
}

static ReuseCost costOf(const ArenaSlot &a, const ArenaSlot &b,
                        const LaunchGraph &launches) {
  ReuseCost cost;
  forEachUnordered(a, b, launches, [&](unsigned earlier, unsigned later) {
    cost.growth = std::max(cost.growth, launches.growth(earlier, later));
    ++cost.waits;
  });
  return cost;
}

static bool shareBytes(const ArenaSlot &a, const ArenaSlot &b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

/// Lets launches wait for each other where two slots share bytes. Returns true
/// if that is new.
static bool orderUsers(const ArenaSlot &a, const ArenaSlot &b,
                       LaunchGraph &launches) {
  bool isNew = false;
  if (shareBytes(a, b))
    forEachUnordered(a, b, launches, [&](unsigned earlier, unsigned later) {
      launches.order(earlier, later);
      isNew = true;
    });
  return isNew;
}

/// Lets launches wait for each other where any two slots share bytes. Only
/// launches of one part can be unordered.
static void orderUsers(ArrayRef<ArenaSlot> slots, LaunchGraph &launches) {
  SmallVector<SmallVector<const ArenaSlot *>> users(launches.numParts());
  for (const ArenaSlot &slot : slots)
    for (unsigned launch : slot.users) {
      auto &its = users[launches.partOf(launch)];
      if (its.empty() || its.back() != &slot)
        its.push_back(&slot);
    }
  for (ArrayRef<const ArenaSlot *> part : users)
    for (auto [i, slot] : llvm::enumerate(part))
      for (const ArenaSlot *other : part.take_front(i))
        orderUsers(*other, *slot, launches);
  launches.measure();
}

/// What sharing bytes costs at an offset, and the room that is left beside the
/// slot; none where it would have bytes of a slot that is apart.
static std::optional<std::pair<ReuseCost, int64_t>>
costAt(int64_t begin, int64_t bytes, ArrayRef<Taken> taken, int64_t limit) {
  ReuseCost cost;
  int64_t end = begin + bytes, below = 0, above = limit;
  for (const Taken &range : taken) {
    bool isShared = range.begin < end && begin < range.end;
    if (isShared && range.isApart)
      return std::nullopt;
    if (isShared) {
      cost.growth = std::max(cost.growth, range.cost.growth);
      cost.waits += range.cost.waits;
    } else if (range.isApart && range.end <= begin) {
      below = std::max(below, range.end);
    } else if (range.isApart) {
      above = std::min(above, range.begin);
    }
  }
  return std::pair(cost, (begin - below) + (above - end));
}

/// The offset where sharing bytes costs least, so that the slot ends at
/// `limit` or below; of those that cost the same the one that leaves the
/// least room between slots that are apart, and the lowest of these. Above all
/// that is apart if there is none.
static int64_t cheapestOffset(int64_t bytes, ArrayRef<Taken> taken,
                              int64_t limit) {
  SmallVector<int64_t> offsets{0};
  int64_t result = 0;
  for (const Taken &range : taken) {
    offsets.push_back(range.end);
    if (range.begin >= bytes)
      offsets.push_back(range.begin - bytes);
    if (range.isApart)
      result = std::max(result, range.end);
  }
  llvm::sort(offsets);
  offsets.erase(llvm::unique(offsets), offsets.end());
  std::optional<std::pair<ReuseCost, int64_t>> best;
  for (int64_t offset : offsets) {
    if (offset + bytes > limit)
      break;
    auto here = costAt(offset, bytes, taken, limit);
    if (here && (!best || *here < *best)) {
      best = here;
      result = offset;
    }
  }
  return result;
}

namespace {

/// In which order slots are placed.
enum class PlaceOrder { ByBytes, ByTime, ByBytesAndTime };

/// A plan, and the order of launches with it.
struct Plan {
  SmallVector<ArenaSlot> slots;
  LaunchGraph launches;
  int64_t size = 0;
};

} // namespace

/// The largest ones first, those that are needed first, or those with the
/// largest product of bytes and time.
static SmallVector<ArenaSlot *> sorted(MutableArrayRef<ArenaSlot> slots,
                                       PlaceOrder order) {
  auto key = [&](const ArenaSlot *slot) -> std::pair<double, int64_t> {
    switch (order) {
    case PlaceOrder::ByBytes:
      return {-double(slot->bytes), slot->first};
    case PlaceOrder::ByTime:
      return {double(slot->first), -slot->bytes};
    case PlaceOrder::ByBytesAndTime:
      return {-double(slot->bytes) * double(slot->last + 1 - slot->first),
              slot->first};
    }
    llvm_unreachable("all orders are listed");
  };
  SmallVector<ArenaSlot *> result;
  for (ArenaSlot &slot : slots)
    result.push_back(&slot);
  llvm::sort(result, [&](const ArenaSlot *a, const ArenaSlot *b) {
    return std::pair(key(a), a) < std::pair(key(b), b);
  });
  return result;
}

/// Places each slot of the plan where the chain of launches grows least.
static void place(Plan &plan, PlaceOrder order, int64_t limit) {
  SmallVector<ArenaSlot *> placed;
  plan.size = 0;
  for (ArenaSlot *slot : sorted(plan.slots, order)) {
    SmallVector<Taken> taken;
    for (const ArenaSlot *other : placed) {
      Taken range{other->offset,
                  other->offset + other->bytes,
                  slot->overlapsInTime(*other),
                  {}};
      if (!range.isApart)
        range.cost = costOf(*slot, *other, plan.launches);
      if (range.isApart || range.cost.waits)
        taken.push_back(range);
    }
    slot->offset = cheapestOffset(slot->bytes, taken, limit);
    plan.size = std::max(plan.size, slot->offset + slot->bytes);
    bool isNew = false;
    for (const ArenaSlot *other : placed)
      isNew |= orderUsers(*slot, *other, plan.launches);
    if (isNew)
      plan.launches.measure();
    placed.push_back(slot);
  }
}

/// The plan that reuses most.
static Plan smallestPlan(ArrayRef<ArenaSlot> slots,
                         const LaunchGraph &launches) {
  Plan plan{SmallVector<ArenaSlot>(slots), launches};
  plan.size = assignOffsets(plan.slots);
  orderUsers(plan.slots, plan.launches);
  return plan;
}

/// A share of the arena of that plan; no more than any arena has.
static int64_t limitOf(int64_t smallest, int64_t percent) {
  if (percent == 100)
    return smallest;
  int64_t bytes = smallest / 100 * percent + smallest % 100 * percent / 100;
  return std::max({smallest, smallArena, std::min(bytes, maxTensorBytes)});
}

/// Adds plans in which fewer launches wait.
static void addPlans(SmallVectorImpl<Plan> &plans, ArrayRef<ArenaSlot> slots,
                     const LaunchGraph &launches) {
  int64_t smallest = plans.front().size;
  for (int64_t percent : arenaLimits)
    for (PlaceOrder order : {PlaceOrder::ByBytes, PlaceOrder::ByTime,
                             PlaceOrder::ByBytesAndTime}) {
      Plan plan{SmallVector<ArenaSlot>(slots), launches};
      place(plan, order, limitOf(smallest, percent));
      if (plan.size <= limitOf(smallest, std::end(arenaLimits)[-1]))
        plans.push_back(std::move(plan));
    }
}

int64_t onnxc::krnl::assignOffsets(MutableArrayRef<ArenaSlot> slots,
                                   LaunchGraph &launches) {
  SmallVector<Plan, 0> plans{smallestPlan(slots, launches)};
  if (slots.size() <= maxReuseChoices &&
      plans[0].launches.cycles() > chainTolerance * launches.cycles())
    addPlans(plans, slots, launches);
  double shortest = std::numeric_limits<double>::max();
  for (const Plan &plan : plans)
    shortest = std::min(shortest, plan.launches.cycles());
  Plan *best = nullptr;
  for (Plan &plan : plans)
    if (plan.launches.cycles() <= chainTolerance * shortest &&
        (!best || plan.size < best->size))
      best = &plan;
  llvm::copy(best->slots, slots.begin());
  launches = std::move(best->launches);
  return best->size;
}

/// Adds to the slots below `number` those that have to stay there, and leaves
/// out what is below another one. `under` has all that is below each slot.
static void addApart(MutableArrayRef<ArenaSlot> slots, unsigned number,
                     ArrayRef<unsigned> lower, const LaunchGraph &launches,
                     SmallVectorImpl<llvm::BitVector> &under) {
  ArenaSlot &slot = slots[number];
  SmallVector<unsigned> apart = std::move(slot.below);
  for (unsigned other : lower)
    if (slots[other].offset + slots[other].bytes <= slot.offset &&
        costOf(slot, slots[other], launches).waits)
      apart.push_back(other);
  // The highest ones first.
  llvm::sort(apart, [&](unsigned a, unsigned b) {
    return std::pair(slots[b].offset, b) < std::pair(slots[a].offset, a);
  });
  slot.below.clear();
  for (unsigned other : apart)
    if (!under[number][other]) {
      slot.below.push_back(other);
      under[number] |= under[other];
      under[number].set(other);
    }
}

SmallVector<unsigned> onnxc::krnl::orderSlots(MutableArrayRef<ArenaSlot> slots,
                                              const LaunchGraph &launches) {
  SmallVector<unsigned> order = orderSlots(slots);
  if (slots.size() > maxReuseChoices)
    return order;
  SmallVector<llvm::BitVector> under(slots.size(),
                                     llvm::BitVector(unsigned(slots.size())));
  for (auto [i, number] : llvm::enumerate(order))
    addApart(slots, number, ArrayRef(order).take_front(i), launches, under);
  return order;
}
