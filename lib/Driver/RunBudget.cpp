//===- RunBudget.cpp - Limits on memory and time of a run ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RunBudget.h"

#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Support/ByteCount.h"
#include "onnxc/Support/NodeLocations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace onnxc;

char OverBudget::ID;

/// Nodes that a message names, at most.
static constexpr size_t maxNamed = 5;

namespace {

/// An amount in the unit of the limit: "132 of 512 KiB", "1.9 of 1 us".
class Unit {
public:
  static Unit ofBytes(uint64_t limit) {
    ByteUnit unit = byteUnitOf(double(limit));
    return {unit.bytes, " " + unit.name.str()};
  }
  static Unit ofSeconds(double limit) {
    return limit >= 1      ? Unit{1, " s"}
           : limit >= 1e-3 ? Unit{1e-3, " ms"}
                           : Unit{1e-6, " us"};
  }
  static Unit ofCycles() { return {1, " cycles"}; }

  /// Large ones with one digit after the point and small ones with three,
  /// where these are no zeros.
  std::string number(double amount) const {
    double value = amount / size;
    std::string text = value >= 10 ? llvm::formatv("{0:F1}", value)
                                   : llvm::formatv("{0:F3}", value);
    llvm::StringRef digits = text;
    return digits.rtrim('0').rtrim('.').str();
  }
  std::string text(double amount) const { return number(amount) + name; }
  std::string of(double amount, double limit) const {
    return number(amount) + " of " + text(limit);
  }

private:
  Unit(double size, std::string name) : size(size), name(std::move(name)) {}

  double size;
  std::string name;
};

/// The share of a node in what is exceeded.
struct Part {
  double amount;
  std::string node, what;
};

} // namespace

bool onnxc::hasRunBudget(const CompileOptions &options) {
  return options.maxRam || options.maxFlash || options.maxSeconds > 0 ||
         options.maxCycles > 0;
}

llvm::Error onnxc::checkRunBudget(const CompileOptions &options) {
  if (!hasRunBudget(options))
    return llvm::Error::success();
  if (!llvm::is_contained(codeKinds, options.emit) || !options.resume.empty())
    return llvm::createStringError(
        "--max-ram, --max-flash and --max-latency are for a model that becomes "
        "code, with neither --resume nor --emit of a phase");
  if (options.maxFlash && options.emit == "asm")
    return llvm::createStringError(
        "--max-flash: assembly has no size; use --emit=obj, static or lib");
  if (options.maxSeconds > 0 && options.times.empty())
    return llvm::createStringError(
        "--max-latency: a time needs the profile of an earlier build (--times, "
        "or report --profile); without one give predicted cycles, such as "
        "--max-latency=3Mcycles");
  return llvm::Error::success();
}

static llvm::Error tell(const Events &events, const Report &report,
                        const std::string &message, std::vector<Part> parts,
                        const Unit &unit, double limit) {
  if (events.message) {
    events.message({Severity::Error, report.model, message});
    llvm::sort(parts, [](const Part &a, const Part &b) {
      return std::tie(b.amount, a.node) < std::tie(a.amount, b.node);
    });
    for (const Part &part : llvm::ArrayRef(parts).take_front(maxNamed))
      if (part.amount > 0)
        events.message({Severity::Note, report.model + ":\"" + part.node + "\"",
                        unit.of(part.amount, limit) + part.what});
  }
  return llvm::make_error<OverBudget>();
}

/// The parts of all nodes.
static std::vector<Part>
partsOf(const LayerReport &report,
        llvm::function_ref<Part(const Layer &)> partOf) {
  std::vector<Part> parts;
  for (const Layer &layer : report.layers) {
    parts.push_back(partOf(layer));
    parts.back().node = layer.name;
  }
  return parts;
}

/// Names of the nodes whose results have sizes that depend on data.
static llvm::SetVector<llvm::StringRef>
dataDependentNodes(const LayerReport &report) {
  llvm::SetVector<llvm::StringRef> names;
  for (const PoolUse &use : report.pool) {
    if (use.bytes)
      continue;
    if (use.layers.empty())
      names.insert("the model");
    for (size_t layer : use.layers)
      names.insert(report.layers[layer].name);
  }
  return names;
}

/// The parts of the arena where most of it is used, and those of the pool,
/// whose sizes are known.
static std::vector<Part> partsOfMemory(const LayerReport &report) {
  ArenaPeak peak = findArenaPeak(report);
  std::vector<Part> parts;
  for (const ArenaSlotUse *slot : peak.slots) {
    std::string node =
        slot->layers.empty() ? "" : report.layers[slot->layers.back()].name;
    parts.push_back(
        {double(slot->bytes), node, " for its result, where most is needed"});
  }
  for (const PoolUse &use : report.pool)
    if (!use.layers.empty())
      parts.push_back({double(*use.bytes),
                       report.layers[use.layers.back()].name,
                       " for its result"});
  return parts;
}

static llvm::Error checkRam(const CompileOptions &options, const Events &events,
                            const Report &report) {
  double limit = double(options.maxRam);
  Unit unit = Unit::ofBytes(options.maxRam);
  if (!report.arenaFormula.empty())
    return tell(events, report,
                "--max-ram: the memory of a run depends on dynamic sizes (" +
                    report.arenaFormula + "); fix them with --dim or --shape",
                {}, unit, limit);
  llvm::SetVector<llvm::StringRef> dataDependent =
      dataDependentNodes(report.nodes);
  if (!dataDependent.empty())
    return tell(events, report,
                "--max-ram: the memory of a run depends on data, which decide "
                "the size of results of " +
                    listNames(dataDependent.getArrayRef()) +
                    "; leave these nodes out with --from and --to",
                {}, unit, limit);
  int64_t needed = report.arenaBytes;
  for (const PoolUse &use : report.nodes.pool)
    needed += *use.bytes;
  if (needed <= int64_t(options.maxRam))
    return llvm::Error::success();
  return tell(events, report,
              "a run needs " + unit.text(double(needed)) +
                  " for tensors, but --max-ram allows " + unit.text(limit),
              partsOfMemory(report.nodes), unit, limit);
}

static llvm::Error checkLatency(const CompileOptions &options,
                                const Events &events, const Report &report) {
  const LayerReport &nodes = report.nodes;
  if (options.maxSeconds > 0 && nodes.milliseconds &&
      *nodes.milliseconds > 1e3 * options.maxSeconds) {
    Unit unit = Unit::ofSeconds(options.maxSeconds);
    return tell(events, report,
                "a run takes " + unit.text(1e-3 * *nodes.milliseconds) +
                    " by the profile, but --max-latency allows " +
                    unit.text(options.maxSeconds),
                partsOf(nodes,
                        [](const Layer &layer) -> Part {
                          return {1e-3 * layer.milliseconds.value_or(0), "",
                                  " measured"};
                        }),
                unit, options.maxSeconds);
  }
  double cycles = 0;
  for (const LayerLaunch &launch : nodes.launches)
    cycles += launch.cycles;
  if (options.maxCycles == 0 || cycles <= options.maxCycles)
    return llvm::Error::success();
  Unit unit = Unit::ofCycles();
  return tell(events, report,
              "a run takes " + unit.text(cycles) + " of " +
                  (options.hasDevice() ? "the device" : "one thread") +
                  " as predicted, but --max-latency allows " +
                  unit.text(options.maxCycles),
              partsOf(nodes,
                      [](const Layer &layer) -> Part {
                        return {layer.cycles, "", " predicted"};
                      }),
              unit, options.maxCycles);
}

llvm::Error onnxc::checkMemoryAndTime(const CompileOptions &options,
                                      const Events &events,
                                      const Report &report) {
  if (options.maxRam)
    if (llvm::Error error = checkRam(options, events, report))
      return error;
  return checkLatency(options, events, report);
}

llvm::Error onnxc::checkFlash(const CompileOptions &options,
                              const Events &events, const Report &report) {
  const LayerReport &nodes = report.nodes;
  // What is linked into another program has no runtime of its own yet.
  int64_t bytes =
      options.emit == "lib"
          ? report.artefactBytes
          : report.weightsBytes + nodes.codeBytes + nodes.constantBytes;
  if (!options.maxFlash || bytes <= int64_t(options.maxFlash))
    return llvm::Error::success();
  Unit unit = Unit::ofBytes(options.maxFlash);
  double limit = double(options.maxFlash);
  return tell(events, report,
              "the artefact takes " + unit.text(double(bytes)) +
                  ", but --max-flash allows " + unit.text(limit),
              partsOf(nodes,
                      [&](const Layer &layer) -> Part {
                        return {double(layer.storedBytes + layer.codeBytes), "",
                                ": " + unit.number(double(layer.storedBytes)) +
                                    " of weights and " +
                                    unit.text(double(layer.codeBytes)) +
                                    " of code"};
                      }),
              unit, limit);
}
