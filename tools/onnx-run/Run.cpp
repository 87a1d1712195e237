//===- Run.cpp - onnx-run run and verify ------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Extremes.h"
#include "Measure/Snapshots.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

template <typename Table>
static void show(const Table &table, const Options &options) {
  if (options.json)
    outs() << formatv("{0:2}\n", table.asJson());
  else
    table.print(outs());
}

namespace {

/// Runs of the model on the data sets, one after the other.
class Runs {
public:
  Runs(const Artefact &artefact, const Options &options, OMContext *context,
       Snapshots *snapshots)
      : artefact(artefact), options(options), context(context),
        snapshots(snapshots),
        isOneOfMany(options.runs > 1 || options.dataSets.size() > 1) {}

  Error run(StringRef dataSet);
  /// The inputs with the extremes of tensors, if there were several.
  void showExtremes() const;
  Verdict getVerdict() const { return verdict; }

private:
  Expected<std::vector<Value>> compute(const InputSet &inputs);
  std::vector<Value> limitBodies(std::vector<Value> outputs) const;
  Error show(ArrayRef<Value> outputs, const std::string &input, int64_t batch);
  void compare(ArrayRef<Value> outputs, const ValuesByIndex &expectations);
  std::string nameOf(StringRef dataSet, uint64_t seed) const;

  const Artefact &artefact;
  const Options &options;
  OMContext *context;
  Snapshots *snapshots;
  Verdict verdict = Verdict::NothingToCompare;
  int64_t runs = 0;
  bool isOneOfMany, hasExtremes = false;
  Extremes extremes;
};

} // namespace

/// The first size that all inputs with several dimensions have; 0 if there is
/// none.
static int64_t batchOf(const InputSet &inputs) {
  int64_t batch = -1;
  for (const Value &value : inputs.getValues()) {
    ArrayRef<int64_t> shape = value.tensor.shape;
    if (value.kind != OM_VALUE_TENSOR || shape.size() < 2)
      continue;
    batch = batch < 0 || batch == shape.front() ? shape.front() : 0;
  }
  return std::max<int64_t>(batch, 0);
}

/// The outputs of a run, which is written if it is to be.
Expected<std::vector<Value>> Runs::compute(const InputSet &inputs) {
  std::vector<OMBuffer> buffers(artefact.outputs().size());
  bool isFine =
      artefact.omContextRun(context, inputs.buffers().data(),
                            int64_t(inputs.buffers().size()), buffers.data(),
                            int64_t(buffers.size())) == OM_STATUS_OK;
  Error error = isFine ? Error::success()
                       : inputs.refusal(artefact.omContextGetMessage(context));
  std::vector<Value> outputs;
  if (isFine)
    for (auto [argument, buffer] : zip_equal(artefact.outputs(), buffers))
      outputs.push_back(Value::copyOf(artefact, *argument, buffer));
  if (snapshots && snapshots->isDue(outputs))
    error = joinErrors(std::move(error),
                       snapshots->write(runs, inputs.getValues(), outputs));
  ++runs;
  if (error)
    return std::move(error);
  return outputs;
}

/// The outputs without the elements of tensors of branches and bodies in late
/// iterations.
std::vector<Value> Runs::limitBodies(std::vector<Value> outputs) const {
  Taps taps = Taps::of(artefact);
  auto maxSaved = size_t(options.saveIterations);
  for (auto [argument, value] : zip_equal(artefact.outputs(), outputs)) {
    if (!taps.isInBody(argument->name) || value.elements.size() <= maxSaved)
      continue;
    errs() << shownName(argument->name) << ": the first " << maxSaved << " of "
           << value.elements.size()
           << " iterations are written; --save-iterations changes the limit\n";
    value.elements.resize(maxSaved);
  }
  return outputs;
}

Error Runs::show(ArrayRef<Value> outputs, const std::string &input,
                 int64_t batch) {
  if (options.statistics) {
    StatisticsTable table(Taps::of(artefact));
    for (auto [argument, value] : zip_equal(artefact.outputs(), outputs))
      table.add(*argument, value);
    hasExtremes |= isOneOfMany || (batch > 1 && !options.json);
    if (hasExtremes)
      extremes.add(table, input, batch);
    if (!isOneOfMany || !options.quiet)
      ::show(table, options);
  } else if (!options.quiet) {
    for (auto [argument, value] : zip_equal(artefact.outputs(), outputs))
      outs() << valueText(shownName(argument->name), value);
  }
  if (options.saveFolder.empty())
    return Error::success();
  return writeValues(options.saveFolder, artefact.outputs(),
                     limitBodies(outputs));
}

void Runs::compare(ArrayRef<Value> outputs, const ValuesByIndex &expectations) {
  for (const auto &[number, expected] : expectations) {
    bool agrees = compareOutput(shownName(artefact.outputs()[number]->name),
                                outputs[number], expected, options);
    if (!agrees || verdict == Verdict::NothingToCompare)
      verdict = agrees ? Verdict::Agrees : Verdict::Differs;
  }
}

/// What a run was given.
std::string Runs::nameOf(StringRef dataSet, uint64_t seed) const {
  std::string seedText = "seed " + std::to_string(seed);
  if (dataSet.empty())
    return isOneOfMany ? seedText : "input";
  return options.runs == 1 ? dataSet.str() : dataSet.str() + ", " + seedText;
}

Error Runs::run(StringRef dataSet) {
  Expected<ValuesByIndex> expectations =
      readValues(options.expects, dataSet, "output", artefact.outputs());
  if (!expectations)
    return expectations.takeError();
  if (options.command == Command::Verify && expectations->empty())
    return failure("%s has no output to compare with: output_0.pb, ...",
                   dataSet.str().c_str());
  Options seeded = options;
  for (int64_t i = 0; i < options.runs; ++i) {
    seeded.seed = options.seed + i;
    Expected<InputSet> inputs = makeInputs(artefact, seeded, dataSet);
    if (!inputs)
      return inputs.takeError();
    Expected<std::vector<Value>> outputs = compute(*inputs);
    if (!outputs)
      return outputs.takeError();
    if (Error error =
            show(*outputs, nameOf(dataSet, seeded.seed), batchOf(*inputs)))
      return error;
    compare(*outputs, *expectations);
  }
  return Error::success();
}

void Runs::showExtremes() const {
  if (hasExtremes)
    ::show(extremes, options);
}

Expected<Verdict> run::runAndCompare(const Artefact &artefact,
                                     const Options &options) {
  Expected<OMContext *> created = artefact.createContext(options.device);
  if (!created)
    return created.takeError();
  OMContext *context = *created;
  scope_exit destroy([&] { artefact.omContextDestroy(context); });
  std::optional<Snapshots> snapshots;
  if (!options.snapshotFolder.empty()) {
    Expected<Snapshots> prepared = Snapshots::prepare(artefact, options);
    if (!prepared)
      return prepared.takeError();
    snapshots.emplace(std::move(*prepared));
  }
  Runs runs(artefact, options, context, snapshots ? &*snapshots : nullptr);
  std::vector<std::string> dataSets = options.dataSets;
  if (dataSets.empty())
    dataSets.push_back("");
  Error error = Error::success();
  for (const std::string &dataSet : dataSets) {
    if (dataSets.size() > 1)
      errs() << dataSet << ":\n";
    error = runs.run(dataSet);
    if (error)
      break;
  }
  if (snapshots)
    snapshots->summarise();
  if (error)
    return std::move(error);
  runs.showExtremes();
  return runs.getVerdict();
}
