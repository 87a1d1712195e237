//===- Inputs.cpp - Inputs from files, folders or chance --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <random>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static std::string namesOf(ArrayRef<const OMArgument *> known) {
  std::string names;
  for (const OMArgument *argument : known)
    names += (names.empty() ? "" : ", ") + std::string(argument->name);
  return names;
}

static Expected<size_t> indexOf(StringRef name,
                                ArrayRef<const OMArgument *> known) {
  for (auto [i, argument] : enumerate(known))
    if (name == argument->name)
      return i;
  return failure("the model has no '%s'; it has: %s", name.str().c_str(),
                 namesOf(known).c_str());
}

/// The files of a test data folder: prefix_0.pb, prefix_1.pb, ...
static Error readDataSet(StringRef folder, StringRef prefix,
                         ArrayRef<const OMArgument *> known,
                         ValuesByIndex &values) {
  for (auto [i, argument] : enumerate(known)) {
    std::string path = (folder + "/" + prefix + "_" + Twine(i) + ".pb").str();
    if (!sys::fs::exists(path))
      continue;
    Expected<Value> value = readValue(path, *argument);
    if (!value)
      return value.takeError();
    values[i] = std::move(*value);
  }
  return Error::success();
}

Expected<ValuesByIndex> run::readValues(ArrayRef<std::string> texts,
                                        StringRef dataSet, StringRef prefix,
                                        ArrayRef<const OMArgument *> known) {
  ValuesByIndex values;
  if (!dataSet.empty()) {
    if (!sys::fs::is_directory(dataSet))
      return failure("%s is not a folder", dataSet.str().c_str());
    if (Error error = readDataSet(dataSet, prefix, known, values))
      return std::move(error);
  }
  for (auto [position, text] : enumerate(texts)) {
    auto [name, path] = StringRef(text).rsplit("=@");
    size_t index = position;
    if (StringRef(text).starts_with("@"))
      path = StringRef(text).drop_front();
    else if (path.empty())
      return failure("'%s' should be NAME=@FILE or @FILE", text.c_str());
    else if (Expected<size_t> found = indexOf(name, known))
      index = *found;
    else
      return found.takeError();
    if (index >= known.size())
      return failure("the model has only %s", namesOf(known).c_str());
    Expected<Value> value = readValue(path, *known[index]);
    if (!value)
      return value.takeError();
    values[index] = std::move(*value);
  }
  return std::move(values);
}

//===----------------------------------------------------------------------===//
// Chance
//===----------------------------------------------------------------------===//

/// The names of the inputs' dimensions.
static SetVector<StringRef> symbolsOf(ArrayRef<const OMArgument *> known) {
  SetVector<StringRef> symbols;
  for (const OMArgument *argument : known)
    for (int64_t i = 0; argument->symbols && i < argument->rank; ++i)
      if (argument->symbols[i])
        symbols.insert(argument->symbols[i]);
  return symbols;
}

/// Sizes for unknown dimensions, by symbol; 1 unless given.
static Expected<StringMap<int64_t>>
symbolSizes(const Options &options, ArrayRef<const OMArgument *> known) {
  SetVector<StringRef> symbols = symbolsOf(known);
  StringMap<int64_t> sizes;
  for (StringRef text : options.dims) {
    auto [name, value] = text.split('=');
    int64_t size;
    if (value.getAsInteger(10, size) || size < 0)
      return failure("'%s' should be SYMBOL=SIZE", text.str().c_str());
    if (!symbols.contains(name))
      return failure("no input has a dimension '%s'; named are: %s",
                     name.str().c_str(),
                     symbols.empty() ? "none" : join(symbols, ", ").c_str());
    sizes[name] = size;
  }
  return sizes;
}

/// The shape that --shape gives to this input, if any.
static Expected<std::optional<std::vector<int64_t>>>
givenShape(const OMArgument &argument, const Options &options) {
  for (StringRef text : options.shapes) {
    auto [name, dims] = text.rsplit(':');
    if (name != argument.name)
      continue;
    std::vector<int64_t> shape;
    SmallVector<StringRef> parts;
    dims.split(parts, 'x', -1, /*KeepEmpty=*/false);
    for (StringRef part : parts) {
      int64_t size;
      if (part.getAsInteger(10, size) || size < 0)
        return failure("'%s' should be NAME:1x3x224", text.str().c_str());
      shape.push_back(size);
    }
    return shape;
  }
  return std::nullopt;
}

/// Fails where --dim gives a dimension another size than --shape.
static Error checkAgreement(const OMArgument &argument,
                            const StringMap<int64_t> &symbols,
                            ArrayRef<int64_t> shape) {
  if (!argument.symbols || argument.rank != int64_t(shape.size()))
    return Error::success();
  for (auto [i, size] : enumerate(shape))
    if (const char *symbol = argument.symbols[i])
      if (auto dim = symbols.find(symbol);
          dim != symbols.end() && dim->second != size)
        return failure("--shape gives dimension '%s' of input '%s' the size "
                       "%lld, but --dim gives it %lld",
                       symbol, argument.name, (long long)size,
                       (long long)dim->second);
  return Error::success();
}

/// Sizes that were not given are 1, and `guesses` has the option for others.
static Expected<std::vector<int64_t>>
shapeFor(const OMArgument &argument, const Options &options,
         const StringMap<int64_t> &symbols, std::string &guesses) {
  Expected<std::optional<std::vector<int64_t>>> given =
      givenShape(argument, options);
  if (!given)
    return given.takeError();
  if (*given) {
    Error error = checkAgreement(argument, symbols, **given);
    return error ? Expected<std::vector<int64_t>>(std::move(error)) : **given;
  }
  if (argument.rank < 0)
    return failure("input '%s' has no fixed rank: use --shape %s:1x...",
                   argument.name, argument.name);
  std::vector<int64_t> shape(argument.shape, argument.shape + argument.rank);
  bool guessed = false;
  for (auto [i, dim] : enumerate(shape)) {
    if (dim >= 0)
      continue;
    const char *symbol = argument.symbols ? argument.symbols[i] : nullptr;
    bool told = symbol && symbols.contains(symbol);
    dim = told ? symbols.lookup(symbol) : 1;
    guessed |= !told;
  }
  if (guessed)
    guesses +=
        (" --shape=" + StringRef(argument.name) + ":").str() +
        join(map_range(shape, [](int64_t dim) { return itostr(dim); }), "x");
  return shape;
}

/// Reals between -1 and 1; integers 0 or 1, which are valid as indices, tokens
/// and masks alike; strings of one letter.
static void fill(Tensor &tensor, std::mt19937_64 &random) {
  for (std::string &string : tensor.strings)
    string = std::string(1, char('a' + random() % 26));
  int64_t element = std::max<int64_t>(elementBytes(tensor.type), 1);
  auto store = [&](int64_t byte, auto value) {
    memcpy(&tensor.bytes[size_t(byte)], &value, sizeof value);
  };
  for (int64_t byte = 0; byte < int64_t(tensor.bytes.size()); byte += element) {
    uint64_t bits = random();
    double real = double(bits >> 11) / double(1ull << 52) - 1;
    switch (tensor.type) {
    case ONNX_TYPE_DOUBLE:
    case ONNX_TYPE_COMPLEX128:
      store(byte, real);
      break;
    case ONNX_TYPE_FLOAT:
    case ONNX_TYPE_COMPLEX64:
      store(byte, float(real));
      break;
    case ONNX_TYPE_BFLOAT16: { // the upper half of a float
      float single = float(real);
      uint32_t word;
      memcpy(&word, &single, sizeof word);
      store(byte, uint16_t(word >> 16));
      break;
    }
    case ONNX_TYPE_FLOAT16: // sign, exponent 8..14, any mantissa
      store(byte, uint16_t((bits & 0x83ff) | (8 + (bits >> 32) % 7) << 10));
      break;
    default:
      tensor.bytes[size_t(byte)] = char(bits >> 63);
    }
  }
}

static Expected<Tensor> randomTensor(const OMArgument &argument,
                                     const Options &options,
                                     const StringMap<int64_t> &symbols,
                                     std::mt19937_64 &random,
                                     std::string &guesses) {
  if (argument.kind != OM_VALUE_TENSOR)
    return failure("input '%s' is not a tensor: use --input %s=@FILE.pb",
                   argument.name, argument.name);
  Expected<std::vector<int64_t>> shape =
      shapeFor(argument, options, symbols, guesses);
  if (!shape)
    return shape.takeError();
  Tensor tensor;
  tensor.type = OM_DATA_TYPE(argument.type);
  tensor.shape = std::move(*shape);
  if (!tensor.allocate())
    return failure("input '%s': invalid shape", argument.name);
  fill(tensor, random);
  if (!options.quiet)
    errs() << "input " << shownName(argument.name) << ": random "
           << typeText(tensor.type, tensor.shape) << ", seed " << options.seed
           << "\n";
  return tensor;
}

Error InputSet::refusal(const char *message) const {
  if (guesses.empty())
    return failure("%s", message);
  return failure("%s\nnote: dynamic sizes that no option "
                 "fixes were 1:%s",
                 message, guesses.c_str());
}

Expected<InputSet> run::makeInputs(const Artefact &artefact,
                                   const Options &options, StringRef dataSet) {
  Expected<ValuesByIndex> given =
      readValues(options.inputs, dataSet, "input", artefact.inputs());
  if (!given)
    return given.takeError();
  for (StringRef text : options.shapes)
    if (Expected<size_t> found =
            indexOf(text.rsplit(':').first, artefact.inputs());
        !found)
      return found.takeError();
  Expected<StringMap<int64_t>> symbols =
      symbolSizes(options, artefact.inputs());
  if (!symbols)
    return symbols.takeError();
  std::mt19937_64 random(uint64_t(options.seed));
  std::vector<Value> values;
  std::string guesses;
  for (auto [i, argument] : enumerate(artefact.inputs())) {
    auto it = given->find(i);
    if (it != given->end()) {
      values.push_back(std::move(it->second));
      continue;
    }
    Expected<Tensor> tensor =
        randomTensor(*argument, options, *symbols, random, guesses);
    if (!tensor)
      return tensor.takeError();
    values.push_back(Value(std::move(*tensor)));
  }
  InputSet set(artefact, std::move(values));
  set.setGuesses(std::move(guesses));
  return set;
}
