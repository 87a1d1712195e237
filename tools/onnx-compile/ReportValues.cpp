//===- ReportValues.cpp - Tensors of a snapshot for a report ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ReportValues.h"

#include "onnxc/Values/Statistics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace llvm;
using onnxc::run::failure;
using onnxc::run::Statistics;
using onnxc::run::Tensor;

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

namespace {

/// How the elements of a tensor are images: of height x width, with 1 or 3
/// channels, or a map of each channel. Strides are numbers of elements.
struct Layout {
  int64_t maps, channels, height, width;
  int64_t mapStride, channelStride, rowStride, columnStride;
};

} // namespace

/// The first entry of a batch. Channels come first, unless the last dimension
/// alone is 1 or 3, or the first two are equal and the last one is not.
static std::optional<Layout> layoutOf(ArrayRef<int64_t> shape) {
  if (shape.size() == 4 && shape[0] > 0)
    shape = shape.drop_front();
  if (shape.size() == 2)
    return Layout{1, 1, shape[0], shape[1], 0, 0, shape[1], 1};
  if (shape.size() != 3)
    return std::nullopt;
  auto isColour = [](int64_t size) { return size == 1 || size == 3; };
  int64_t a = shape[0], b = shape[1], c = shape[2];
  bool isLast = !isColour(a) && (isColour(c) || (a == b && b != c));
  Layout layout = isLast ? Layout{c, 1, a, b, 1, 0, b * c, c}
                         : Layout{a, 1, b, c, b * c, 0, c, 1};
  if (!isColour(layout.maps))
    return layout;
  std::swap(layout.maps, layout.channels);
  std::swap(layout.mapStride, layout.channelStride);
  return layout;
}

/// 0 to 254 from minimum to maximum; 255 if it is not finite.
static char pixelOf(double element, const Statistics &statistics) {
  if (!std::isfinite(element))
    return char(255);
  double minimum = statistics.minimum(),
         range = statistics.maximum() / 2 - minimum / 2;
  double part = range > 0 ? (element / 2 - minimum / 2) / range : 0;
  return char(uint8_t(std::clamp(part, 0., 1.) * 254));
}

/// The mean of the elements that a pixel stands for; the first of them that is
/// not finite.
static double meanOf(const Tensor &tensor, const Layout &layout, int64_t origin,
                     int64_t y, int64_t x, int64_t step) {
  double mean = 0, count = 0, imaginary;
  for (int64_t i = y; i < std::min(y + step, layout.height); ++i)
    for (int64_t j = x; j < std::min(x + step, layout.width); ++j) {
      double element = onnxc::run::elementAsDouble(
          tensor, origin + i * layout.rowStride + j * layout.columnStride,
          imaginary);
      if (!std::isfinite(element))
        return element;
      ++count;
      mean += element / count - mean / count;
    }
  return mean;
}

/// Null if the tensor has no layout of images, or is too small.
static json::Value imageOf(const Tensor &tensor, const Statistics &statistics) {
  constexpr int64_t maxMaps = 16, minSide = 4, maxSide = 128, maxMapSide = 40;
  // Without elements, products of sizes may be larger than integers.
  if (tensor.elements() == 0)
    return nullptr;
  std::optional<Layout> layout = layoutOf(tensor.shape);
  if (!layout || std::min(layout->height, layout->width) < minSide)
    return nullptr;
  int64_t maps = std::min(layout->maps, maxMaps);
  int64_t side = maps == 1 ? maxSide : maxMapSide;
  int64_t step = divideCeil(std::max(layout->height, layout->width), side);
  std::string pixels;
  for (int64_t map = 0; map < maps; ++map)
    for (int64_t y = 0; y < layout->height; y += step)
      for (int64_t x = 0; x < layout->width; x += step)
        for (int64_t c = 0; c < layout->channels; ++c) {
          int64_t origin = map * layout->mapStride + c * layout->channelStride;
          pixels +=
              pixelOf(meanOf(tensor, *layout, origin, y, x, step), statistics);
        }
  return json::Object{{"width", int64_t(divideCeil(layout->width, step))},
                      {"height", int64_t(divideCeil(layout->height, step))},
                      {"channels", layout->channels},
                      {"maps", maps},
                      {"of", layout->maps},
                      {"data", encodeBase64(pixels)}};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {

/// Reads the files of runs until the page or the reader has no room for more.
class SnapshotReader {
public:
  /// The files inputs/NAME.npy and outputs/NAME.npy; none: NAME.npy.
  Error addRun(StringRef folder, StringRef name);
  Expected<std::string> finish(StringRef folder);

private:
  Error addFolder(StringRef folder, const json::Object *names);
  Expected<std::unique_ptr<MemoryBuffer>> read(const std::string &path);
  json::Object describe(const std::string &path, StringRef stem,
                        const json::Object *names);
  void add(json::Object tensor);

  int64_t bytesLeft = int64_t(1) << 30;
  size_t textLeft = 16 << 20, imagesLeft = 8 << 20;
  int64_t leftOut = 0;
  bool isEmpty = true;
  std::string runs, tensors;
};

} // namespace

/// The files of a folder in the order of their names, numbers by their size.
static Expected<std::vector<std::string>> list(StringRef folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (sys::fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    names.push_back(sys::path::filename(at->path()).str());
  if (error)
    return failure("cannot read %s: %s", folder.str().c_str(),
                   error.message().c_str());
  llvm::sort(names,
             [](StringRef a, StringRef b) { return a.compare_numeric(b) < 0; });
  return names;
}

/// Null if the file is left out: it is no file, or larger than there is room.
Expected<std::unique_ptr<MemoryBuffer>>
SnapshotReader::read(const std::string &path) {
  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(path, status))
    return failure("%s", error.message().c_str());
  if (status.type() != sys::fs::file_type::regular_file)
    return failure("it is not a file");
  if (status.getSize() > uint64_t(bytesLeft))
    return nullptr;
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return failure("%s", buffer.getError().message().c_str());
  bytesLeft -= int64_t((*buffer)->getBufferSize());
  return std::move(*buffer);
}

/// Adds the type of a tensor and the counts of its numbers.
static void addNumbers(json::Object &object, const Tensor &tensor) {
  object["type"] = onnxc::run::typeText(tensor.type, tensor.shape);
  object["elements"] = tensor.elements();
  if (tensor.type == ONNX_TYPE_STRING)
    return;
  Statistics statistics;
  forEachNumber(tensor, [&](double x) { statistics.add(x); });
  forEachNumber(tensor, [&](double x) { statistics.place(x); });
  object["min"] = statistics.minimum();
  object["max"] = statistics.maximum();
  object["mean"] = statistics.mean();
  object["zeros"] = statistics.zeros;
  object["nans"] = statistics.nans;
  object["infinities"] = statistics.infinities;
  object["histogram"] = json::Array(statistics.histogram);
  if (json::Value image = imageOf(tensor, statistics);
      image != json::Value(nullptr))
    object["image"] = std::move(image);
}

/// The name, the numbers and the image of a file, or its error. Empty if it
/// is left out.
json::Object SnapshotReader::describe(const std::string &path, StringRef stem,
                                      const json::Object *names) {
  constexpr size_t maxError = 200, maxRank = 64;
  json::Object object{{"file", json::fixUTF8(stem)}};
  OMArgument expected{};
  if (const json::Object *named = names ? names->getObject(stem) : nullptr) {
    if (std::optional<StringRef> name = named->getString("name"))
      object["name"] = *name;
    expected.type = OM_DATA_TYPE(named->getInteger("type").value_or(0));
  }
  auto fail = [&](Error error) {
    object["error"] = json::fixUTF8(
        StringRef(toString(std::move(error))).take_front(maxError));
    return std::move(object);
  };
  auto buffer = read(path);
  if (!buffer)
    return fail(buffer.takeError());
  if (!*buffer)
    return {};
  Expected<Tensor> tensor = onnxc::run::readNumpy(
      stem.str() + ".npy", (*buffer)->getBuffer(), &expected);
  if (!tensor)
    return fail(tensor.takeError());
  if (tensor->shape.size() > maxRank)
    return fail(failure("it has %zu dimensions", tensor->shape.size()));
  addNumbers(object, *tensor);
  return object;
}

void SnapshotReader::add(json::Object tensor) {
  auto textOf = [&] {
    std::string text;
    raw_string_ostream(text) << json::Value(json::Object(tensor));
    return text;
  };
  std::string text = textOf();
  if (tensor.getObject("image") && text.size() > imagesLeft) {
    tensor.erase("image");
    text = textOf();
  } else if (tensor.getObject("image")) {
    imagesLeft -= text.size();
  }
  if (tensor.empty() || text.size() > textLeft) {
    ++leftOut;
    return;
  }
  textLeft -= text.size();
  tensors += (tensors.empty() ? "" : ",") + text;
}

Error SnapshotReader::addFolder(StringRef folder, const json::Object *names) {
  Expected<std::vector<std::string>> files = list(folder);
  if (!files)
    return files.takeError();
  for (const std::string &file : *files) {
    StringRef stem = file;
    if (!stem.consume_back(".npy"))
      continue;
    isEmpty = false;
    add(describe((folder + "/" + file).str(), stem, names));
  }
  return Error::success();
}

Error SnapshotReader::addRun(StringRef folder, StringRef name) {
  json::Value names = nullptr;
  std::string path = (folder + "/names.json").str();
  if (sys::fs::exists(path)) {
    auto buffer = read(path);
    if (!buffer)
      return joinErrors(failure("cannot read %s", path.c_str()),
                        buffer.takeError());
    Expected<json::Value> parsed =
        json::parse(*buffer ? (*buffer)->getBuffer() : "");
    if (!parsed)
      return joinErrors(failure("%s is not a file of onnx-run", path.c_str()),
                        parsed.takeError());
    names = std::move(*parsed);
  }
  bool hasParts = false;
  for (StringRef part : {"inputs", "outputs"}) {
    std::string sub = (folder + "/" + part).str();
    if (!sys::fs::is_directory(sub))
      continue;
    hasParts = true;
    const json::Object *all = names.getAsObject();
    if (Error error = addFolder(sub, all ? all->getObject(part) : nullptr))
      return error;
  }
  if (!hasParts)
    if (Error error = addFolder(folder, nullptr))
      return error;
  if (tensors.empty())
    return Error::success();
  raw_string_ostream(runs) << (runs.empty() ? "" : ",")
                           << "{\"name\":" << json::Value(json::fixUTF8(name))
                           << ",\"tensors\":[" << tensors << "]}";
  tensors.clear();
  return Error::success();
}

Expected<std::string> SnapshotReader::finish(StringRef folder) {
  if (isEmpty)
    return failure("%s has no .npy file of onnx-run --snapshot or --save",
                   folder.str().c_str());
  return "{\"runs\":[" + runs + "],\"left_out\":" + std::to_string(leftOut) +
         "}";
}

Expected<std::string> readSnapshot(StringRef folder) {
  Expected<std::vector<std::string>> names = list(folder);
  if (!names)
    return names.takeError();
  SnapshotReader reader;
  bool hasRuns = false;
  for (const std::string &name : *names) {
    std::string path = (folder + "/" + name).str();
    if (!StringRef(name).starts_with("run-") || !sys::fs::is_directory(path))
      continue;
    hasRuns = true;
    if (Error error = reader.addRun(path, name))
      return std::move(error);
  }
  if (!hasRuns)
    if (Error error = reader.addRun(folder, sys::path::filename(folder)))
      return std::move(error);
  return reader.finish(folder);
}
