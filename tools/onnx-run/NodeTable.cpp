//===- NodeTable.cpp - Launches of an artefact and their nodes --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "NodeTable.h"

#include "onnxc/Values/Tensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/Decompressor.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

static constexpr StringLiteral sectionName = ".onnxc_nodes";
/// A table that says that it is larger is damaged.
static constexpr uint64_t maxBytes = uint64_t(1) << 30;

/// The bytes of a section, decompressed.
static Expected<std::string> contentsOf(const object::ELFSectionRef &section) {
  Expected<StringRef> bytes = section.getContents();
  if (!bytes || !section.isCompressed())
    return bytes ? Expected<std::string>(bytes->str()) : bytes.takeError();
  auto decompressor =
      object::Decompressor::create(sectionName, *bytes, /*IsLE=*/true,
                                   /*Is64Bit=*/true);
  if (!decompressor)
    return decompressor.takeError();
  if (decompressor->getDecompressedSize() > maxBytes)
    return createStringError("the table is too large");
  std::string text(decompressor->getDecompressedSize(), '\0');
  if (Error error = decompressor->decompress(MutableArrayRef(
          reinterpret_cast<uint8_t *>(text.data()), text.size())))
    return std::move(error);
  return text;
}

/// A number, or a list of products of a number and of sizes.
static double sumOf(const json::Value *value, ArrayRef<int64_t> sizes) {
  const json::Array *terms = value ? value->getAsArray() : nullptr;
  if (!terms)
    return value ? value->getAsNumber().value_or(0) : 0;
  double sum = 0;
  for (const json::Value &term : *terms) {
    const json::Array *factors = term.getAsArray();
    if (!factors || factors->empty())
      continue;
    double product = factors->front().getAsNumber().value_or(0);
    for (const json::Value &factor : drop_begin(*factors)) {
      std::optional<uint64_t> position = factor.getAsUINT64();
      product *=
          position && *position < sizes.size() ? double(sizes[*position]) : 0;
    }
    sum += product;
  }
  return sum;
}

std::optional<Work> Launch::workOf(ArrayRef<int64_t> sizes) const {
  const json::Object *facts = work.getAsObject();
  const json::Object *types = facts ? facts->getObject("operations") : nullptr;
  if (!types || sizes.size() != numSizes)
    return std::nullopt;
  Work result;
  for (const auto &[type, sum] : *types)
    result.operations[type.str()] = sumOf(&sum, sizes);
  const json::Array *pairs = facts->getArray("bytes");
  if (!pairs)
    result.bytes = sumOf(facts->get("bytes"), sizes);
  for (const json::Value &value : pairs ? *pairs : json::Array()) {
    const json::Array *pair = value.getAsArray();
    result.bytes +=
        pair && pair->size() == 2
            ? std::min(sumOf(&(*pair)[0], sizes), sumOf(&(*pair)[1], sizes))
            : value.getAsNumber().value_or(0);
  }
  return result;
}

bool NodeTable::parseNodes(const json::Array *list) {
  for (const json::Value &value : *list) {
    const json::Array *node = value.getAsArray();
    if (!node || node->size() != 2 || !(*node)[0].getAsString() ||
        !(*node)[1].getAsString())
      return false;
    nodes.emplace_back((*node)[0].getAsString()->str(),
                       (*node)[1].getAsString()->str());
  }
  return true;
}

bool NodeTable::parseLaunches(const json::Array *list) {
  for (const json::Value &value : *list) {
    const json::Object *object = value.getAsObject();
    const json::Array *numbers = object ? object->getArray("nodes") : nullptr;
    if (!numbers)
      return false;
    Launch launch;
    launch.function = object->getString("function").value_or("").str();
    launch.region = object->getInteger("region").value_or(-1);
    if (const json::Object *work = object->getObject("work")) {
      launch.work = json::Object(*work);
      const json::Array *sizes = work->getArray("sizes");
      launch.numSizes = sizes ? sizes->size() : 0;
    }
    for (const json::Value &number : *numbers) {
      std::optional<uint64_t> node = number.getAsUINT64();
      if (!node || *node >= nodes.size())
        return false;
      launch.nodes.push_back(*node);
    }
    launches.push_back(std::move(launch));
  }
  return true;
}

Error NodeTable::parse(StringRef text, StringRef cpu) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return value.takeError();
  const json::Object *table = value->getAsObject();
  const json::Array *names = table ? table->getArray("nodes") : nullptr;
  const json::Array *levels = table ? table->getArray("levels") : nullptr;
  if (!names || !levels || table->getInteger("schema") != 1 ||
      !parseNodes(names))
    return failure("it has another form");
  for (const json::Value &entry : *levels) {
    const json::Object *level = entry.getAsObject();
    const json::Array *list = level ? level->getArray("launches") : nullptr;
    if (!list)
      return failure("it has another form");
    bool isHere = levels->size() == 1 || level->getString("cpu") == cpu;
    if (!isHere)
      continue;
    if (!parseLaunches(list))
      return failure("it has another form");
    if (const json::Object *rates = level->getObject("peaks"))
      peaks = json::Object(*rates);
  }
  return Error::success();
}

Expected<NodeTable> NodeTable::read(StringRef path, StringRef cpu) {
  auto file = object::ObjectFile::createObjectFile(path);
  if (!file)
    return file.takeError();
  NodeTable table;
  for (object::ELFSectionRef section : file->getBinary()->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name || *name != sectionName) {
      consumeError(name.takeError());
      continue;
    }
    Expected<std::string> text = contentsOf(section);
    table.isKnown = true;
    Error error = text ? table.parse(*text, cpu) : text.takeError();
    if (error)
      return failure("the table of nodes in %s is damaged: %s",
                     path.str().c_str(), toString(std::move(error)).c_str());
  }
  return table;
}

std::string NodeTable::nodeText(size_t node) const {
  return nodes[node].first + " (" + nodes[node].second + ")";
}

std::string NodeTable::text(ArrayRef<size_t> numbers) const {
  return join(map_range(numbers, [&](size_t node) { return nodeText(node); }),
              ", ");
}

json::Object NodeTable::nodeJson(size_t node) const {
  return json::Object{{"name", nodes[node].first}, {"op", nodes[node].second}};
}

json::Array NodeTable::json(ArrayRef<size_t> numbers) const {
  json::Array list;
  for (size_t node : numbers)
    list.push_back(nodeJson(node));
  return list;
}

std::vector<size_t> NodeTable::nodesOf(StringRef function) const {
  std::vector<size_t> found;
  for (const Launch &launch : launches)
    if (launch.function == function)
      for (size_t node : launch.nodes)
        if (!is_contained(found, node))
          found.push_back(node);
  return found;
}

std::string run::nodesText(const json::Object &row) {
  std::string text;
  for (const json::Value &value : *row.getArray("nodes")) {
    const json::Object &node = *value.getAsObject();
    text += (text.empty() ? ": " : ", ") + node.getString("name")->str() +
            " (" + node.getString("op")->str() + ")";
  }
  return text;
}
