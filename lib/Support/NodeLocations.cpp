//===- NodeLocations.cpp - Nodes of the model in locations -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Support/NodeLocations.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace onnxc {

/// Most locations that are fused in one, and most parts of a name.
static constexpr size_t maxFused = 64;

Location nodeLocation(StringRef name, StringRef op, Location parent) {
  auto text = [&](StringRef text) {
    return StringAttr::get(parent.getContext(), text);
  };
  return NameLoc::get(text(name), NameLoc::get(text(op), parent));
}

/// The names in a name, the innermost first and the file last.
static SmallVector<StringRef> chainOf(NameLoc loc) {
  SmallVector<StringRef> chain;
  for (; loc; loc = dyn_cast<NameLoc>(loc.getChildLoc()))
    chain.push_back(loc.getName());
  return chain;
}

/// Calls `visit` with each name that is fused in the location.
static void forEachName(Location loc, llvm::function_ref<void(NameLoc)> visit) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return visit(name);
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return forEachName(call.getCaller(), visit);
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      forEachName(part, visit);
}

SmallVector<NodeName> nodesOf(Location loc) {
  SmallVector<NodeName> nodes;
  forEachName(loc, [&](NameLoc named) {
    SmallVector<StringRef> chain = chainOf(named);
    if (chain.size() < 3)
      return;
    NodeName node{chain[chain.size() - 3], chain[chain.size() - 2]};
    if (!llvm::is_contained(nodes, node))
      nodes.push_back(node);
  });
  return nodes;
}

SmallVector<NodeName> enclosingNodesOf(Location loc) {
  SmallVector<NodeName> nodes;
  forEachName(loc, [&](NameLoc named) {
    SmallVector<StringRef> chain = chainOf(named);
    for (size_t i = chain.size(); i >= 3; i -= 2)
      nodes.push_back({chain[i - 3], chain[i - 2]});
  });
  return nodes;
}

SmallVector<StringRef> namesOf(Location loc) {
  llvm::SmallSetVector<StringRef, 4> names;
  forEachName(loc, [&](NameLoc named) { names.insert(named.getName()); });
  return names.takeVector();
}

/// The names that are in a model: the outermost name is the model's file.
static SmallVector<StringRef> modelNamesOf(Location loc) {
  llvm::SmallSetVector<StringRef, 4> names;
  forEachName(loc, [&](NameLoc named) {
    if (isa<NameLoc>(named.getChildLoc()))
      names.insert(named.getName());
  });
  return names.takeVector();
}

StringRef nameOf(Location loc) {
  SmallVector<StringRef> names = modelNamesOf(loc);
  return names.empty() ? StringRef() : names.front();
}

std::string pathOf(Location loc,
                   llvm::function_ref<std::string(StringRef)> shown) {
  std::string text;
  if (auto name = dyn_cast<NameLoc>(loc)) {
    SmallVector<StringRef> chain = chainOf(name);
    text = chain.pop_back_val().str();
    // Names, but for the operators that follow those of nodes.
    size_t tensors = chain.size() % 2;
    for (size_t i = chain.size(); i > tensors; i -= 2)
      text += ":\"" + shown(chain[i - 2]) + "\"";
    if (tensors)
      text += ":\"" + shown(chain.front()) + "\"";
    return text;
  }
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return llvm::formatv("{0}:{1}:{2}", file.getFilename().str(),
                         file.getLine(), file.getColumn());
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return pathOf(call.getCaller(), shown);
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (text = pathOf(part, shown); !text.empty())
        return text;
  return text;
}

std::string printable(StringRef text, StringRef allowed) {
  std::string clean;
  for (char c : text) {
    bool isShown = !llvm::isASCII(c) || llvm::isPrint(c) || allowed.contains(c);
    clean += isShown ? c : '?';
  }
  return clean;
}

std::string shortName(StringRef name) {
  constexpr size_t maxLength = 120;
  StringRef first = name.take_front(maxLength);
  // No part of a character of UTF-8: those after the first byte are 10xxxxxx.
  auto isInside = [&](size_t at) {
    return at < name.size() && (static_cast<unsigned char>(name[at]) >> 6) == 2;
  };
  while (isInside(first.size()) && !first.empty())
    first = first.drop_back();
  return printable(first) + (first.size() < name.size() ? "..." : "");
}

std::string listNames(ArrayRef<StringRef> names) {
  // The runtime has room for 512 characters of a message, reason included.
  constexpr size_t maxNames = 3, maxLength = 200;
  std::string text;
  size_t listed = 0;
  for (StringRef name : names.take_front(maxNames)) {
    if (listed && text.size() + name.size() > maxLength)
      break;
    text += (text.empty() ? "'" : ", '") + shortName(name) + "'";
    ++listed;
  }
  if (listed < names.size())
    text += llvm::formatv(" and {0} more", names.size() - listed);
  return text;
}

std::string nodesText(Location loc) {
  SmallVector<StringRef> names = modelNamesOf(loc);
  if (names.empty())
    return "";
  return (names.size() == 1 ? "node " : "nodes ") + listNames(names);
}

std::string nodeMessage(Location loc, StringRef message) {
  std::string nodes = nodesText(loc);
  return nodes.empty() ? message.str() : nodes + ": " + message.str();
}

Location fuseLocations(Location loc, ArrayRef<Location> others) {
  SmallVector<Location> parts{loc};
  if (auto fused = dyn_cast<FusedLoc>(loc); fused && !fused.getMetadata())
    parts.assign(fused.getLocations().begin(), fused.getLocations().end());
  for (Location other : others) {
    auto fused = dyn_cast<FusedLoc>(other);
    ArrayRef<Location> inner =
        fused && !fused.getMetadata() ? fused.getLocations() : other;
    for (Location part : inner)
      if (parts.size() < maxFused && !llvm::is_contained(parts, part))
        parts.push_back(part);
  }
  return FusedLoc::get(loc.getContext(), parts);
}

std::string fuseNames(StringRef first, StringRef second) {
  SmallVector<StringRef> parts;
  first.split(parts, '+');
  second.split(parts, '+');
  parts.truncate(std::min(parts.size(), maxFused));
  return llvm::join(parts, "+");
}

} // namespace onnxc
