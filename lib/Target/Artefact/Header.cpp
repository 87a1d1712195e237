//===- Header.cpp - C and C++ header of a model ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Artefact/Header.h"

#include "Arguments.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Target/Artefact/Descriptor.h"
#include "onnxc/Target/Artefact/RealTime.h"
#include "onnxc/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace onnxc::target {

/// Words of C and C++, macros, and names whose NAME_create the system has.
static constexpr StringLiteral keywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch "
    "char char16_t char32_t char8_t class co_await co_return co_yield compl "
    "concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern "
    "false float for friend goto if inline int long mutable namespace new "
    "noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires restrict return short signed sizeof "
    "static static_assert static_cast struct switch template this thread_local "
    "throw true try typedef typeid typename union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq errno linux main pthread thrd timer "
    "unix";

/// Returns true for types and macros of the standard headers that the header
/// includes: int64_t, INT64_MAX, UINT8_C.
static bool isOfStandardHeaders(StringRef name) {
  static const llvm::Regex names(
      "^(U?INT((_LEAST|_FAST)?(8|16|32|64)|PTR|MAX)|SIZE|PTRDIFF|WCHAR|WINT|"
      "SIG_ATOMIC)_(T|MAX|MIN|WIDTH|C)$",
      llvm::Regex::IgnoreCase);
  return name == "NULL" || names.match(name);
}

std::string cIdentifier(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  SmallVector<StringRef> words;
  keywords.split(words, ' ');
  if (name.empty() || !llvm::isAlpha(name[0]) ||
      llvm::is_contained(words, name) || isOfStandardHeaders(name))
    name = "m_" + name;
  return name;
}

namespace {

/// One input or output with its names in C.
struct Field {
  Argument argument;
  std::string name;
  /// The element type and how many of it are an element of the tensor; empty
  /// for a tensor of any rank.
  StringRef type;
  int64_t parts = 1;

  bool isTensor() const { return argument.kind == ONNXC_KIND_TENSOR; }
  bool hasShape() const { return isTensor() && argument.rank >= 0; }
  bool isStatic() const {
    return hasShape() && !llvm::is_contained(argument.dims, -1);
  }
};

/// Writes the header.
class HeaderWriter {
public:
  HeaderWriter(raw_ostream &os, StringRef prefix, StringRef tag,
               StringRef digest)
      : os(os), prefix(prefix), tag(tag), digest(digest),
        guard(prefix.upper()) {}

  /// `memory` is null but for a real-time model.
  void write(ArrayRef<Field> inputs, ArrayRef<Field> outputs, StringRef source,
             const RealTimeMemory *memory) const;

private:
  void writeSizes(ArrayRef<Field> fields) const;
  void writeStruct(StringRef kind, ArrayRef<Field> fields,
                   StringRef comment) const;
  void writeCreate() const;
  void writeRun(ArrayRef<Field> inputs, ArrayRef<Field> outputs) const;
  void writeInput(const Field &field, size_t i) const;
  void writeOutput(const Field &field, size_t i) const;
  void writeClass() const;
  void writeContexts(ArrayRef<Field> inputs, ArrayRef<Field> outputs) const;
  void writeRealTime(ArrayRef<Field> inputs, ArrayRef<Field> outputs,
                     const RealTimeMemory &memory) const;

  raw_ostream &os;
  StringRef prefix, tag, digest;
  std::string guard;
};

} // namespace

/// The other name of `function`.
static std::string withDigest(StringRef function, StringRef digest) {
  return (function + "_of_header_" + digest).str();
}

/// C's type of an element, by the numbers of onnxc/rt/DataTypes.def.
static StringRef elementType(int64_t type) {
  static constexpr StringLiteral names[] = {
      "void",     "float",    "uint8_t", "int8_t", "uint16_t", "int16_t",
      "int32_t",  "int64_t",  "char *",  "bool",   "uint16_t", "double",
      "uint32_t", "uint64_t", "float",   "double", "uint16_t"};
  constexpr int64_t int4 = 22, int2 = 26;
  if (type >= 0 && type < int64_t(std::size(names)))
    return names[type];
  return type == int4 || type == int2 ? "int8_t" : "uint8_t";
}

/// `taken`: names of other fields.
static std::vector<Field> makeFields(ArrayRef<Argument> arguments,
                                     llvm::StringSet<> &taken) {
  std::vector<Field> fields;
  for (const Argument &argument : arguments) {
    Field field{argument, cIdentifier(argument.name), {}};
    // Others are named after it: x_shape, x_size.
    for (StringRef suffix : {"_shape", "_size"})
      if (StringRef(field.name).ends_with(suffix))
        field.name += "_";
    while (!taken.insert(field.name).second)
      field.name += "_";
    field.type = elementType(argument.type);
    constexpr int64_t complex64 = 14, complex128 = 15;
    field.parts =
        argument.type == complex64 || argument.type == complex128 ? 2 : 1;
    fields.push_back(std::move(field));
  }
  return fields;
}

/// "f32[batch, 3]"
static std::string describe(const Argument &argument) {
  std::string text = argument.typeText;
  if (argument.kind != ONNXC_KIND_TENSOR)
    return text;
  if (argument.rank < 0)
    return text + " of any rank";
  text += "[";
  for (auto [i, dim] : llvm::enumerate(argument.dims)) {
    text += i ? ", " : "";
    if (dim >= 0)
      text += std::to_string(dim);
    else if (!argument.symbols.empty() && !argument.symbols[i].empty())
      text += cIdentifier(argument.symbols[i]); // ends no comment
    else
      text += "?";
  }
  return text + "]";
}

static int64_t elementsOf(const Field &field) {
  int64_t count = field.parts;
  for (int64_t dim : field.argument.dims)
    count *= dim;
  return count;
}

void HeaderWriter::writeSizes(ArrayRef<Field> fields) const {
  for (const Field &field : fields) {
    std::string name = guard + "_" + StringRef(field.name).upper();
    if (field.hasShape())
      os << "#define " << name << "_RANK " << field.argument.rank << "\n";
    if (field.isStatic())
      os << "#define " << name << "_SIZE " << elementsOf(field) << "\n";
  }
}

void HeaderWriter::writeStruct(StringRef kind, ArrayRef<Field> fields,
                               StringRef comment) const {
  bool isInput = kind == "inputs";
  os << "\n" << comment << "typedef struct " << prefix << "_" << kind << " {\n";
  for (const Field &field : fields) {
    os << "  /* " << describe(field.argument) << " */\n  ";
    if (!field.isTensor())
      os << "OMValue *" << field.name << ";\n";
    else if (!field.hasShape())
      os << "OMBuffer " << field.name << ";\n";
    else
      os << (isInput ? "const " : "") << field.type
         << (field.type.ends_with("*") ? (isInput ? "const *" : "*") : " *")
         << field.name << ";\n";
    if (!field.hasShape() || field.isStatic())
      continue;
    if (!isInput)
      os << "  int64_t " << field.name << "_size;\n";
    os << "  int64_t " << field.name << "_shape[" << field.argument.rank
       << "];\n";
  }
  if (fields.empty())
    os << "  int nothing;\n";
  os << "} " << prefix << "_" << kind << ";\n";
}

void HeaderWriter::writeCreate() const {
  std::string query = withDigest(("omQueryEntryPoints_" + tag).str(), digest);
  if (!tag.empty())
    os << "\n/* Missing where this header is not that of the artefact. */\n"
       << "OM_EXTERNAL_VISIBILITY const char *const *\n"
       << query << "(int64_t *count);\n";
  os << "\n/* A context to run in; NULL on failure: see omGetLastError. */\n";
  os << "static inline OMContext *" << prefix << "_create(void) {\n";
  if (tag.empty())
    os << "  return omContextCreate(0);\n}\n";
  else
    os << "  const char *const *names =\n      " << query << "(0);\n"
       << "  return names ? omContextCreate(names[0]) : 0;\n}\n";
}

void HeaderWriter::writeInput(const Field &field, size_t i) const {
  std::string in = "in[" + std::to_string(i) + "]";
  std::string from = "inputs->" + field.name;
  if (field.isTensor() && !field.hasShape()) {
    os << "  " << in << " = " << from << ";\n";
    return;
  }
  // A buffer of inputs is read alone, but its type is that of outputs.
  os << "  " << in << ".data = (void *)"
     << (field.isTensor() ? "(uintptr_t)" : "") << from << ";\n";
  if (!field.isTensor()) {
    os << "  " << in << ".bytes = 0;\n  " << in << ".shape = 0;\n  " << in
       << ".rank = 0;\n  " << in << ".type = ONNX_TYPE_UNDEFINED;\n";
    return;
  }
  os << "  " << in << ".bytes = " << field.parts << " * (int64_t)sizeof("
     << field.type << ");\n";
  for (auto [d, dim] : llvm::enumerate(field.argument.dims)) {
    std::string given = from + "_shape[" + std::to_string(d) + "]",
                fixed = std::to_string(dim);
    std::string size = dim < 0 ? given
                       : field.isStatic()
                           ? fixed
                           : given + " ? " + given + " : " + fixed;
    os << "  in_shape[" << i << "][" << d << "] = " << size << ";\n"
       << "  " << in << ".bytes *= in_shape[" << i << "][" << d << "];\n";
  }
  os << "  " << in << ".shape = in_shape[" << i << "];\n  " << in
     << ".rank = " << field.argument.rank << ";\n  " << in
     << ".type = (OM_DATA_TYPE)" << field.argument.type << ";\n";
}

void HeaderWriter::writeOutput(const Field &field, size_t i) const {
  std::string out = "out[" + std::to_string(i) + "]";
  std::string to = "outputs->" + field.name;
  if (field.isTensor() && !field.hasShape()) {
    os << "  " << out << " = " << to << ";\n";
    return;
  }
  os << "  " << out << ".data = " << (field.isTensor() ? "(void *)" + to : "0")
     << ";\n  " << out << ".bytes = ";
  if (!field.isTensor())
    os << "0;\n";
  else if (field.isStatic())
    os << elementsOf(field) << " * (int64_t)sizeof(" << field.type << ");\n";
  else
    os << to << "_size * (int64_t)sizeof(" << field.type << ");\n";
  os << "  " << out << ".shape = " << out << ".data ? out_shape[" << i
     << "] : 0;\n  " << out
     << ".rank = " << std::max<int64_t>(field.argument.rank, 0) << ";\n  "
     << out << ".type = ONNX_TYPE_UNDEFINED;\n";
}

/// The largest rank, 1 at least: C has no arrays without elements.
static int64_t maxRank(ArrayRef<Field> fields) {
  int64_t rank = 1;
  for (const Field &field : fields)
    rank = std::max(rank, field.argument.rank);
  return rank;
}

void HeaderWriter::writeRun(ArrayRef<Field> inputs,
                            ArrayRef<Field> outputs) const {
  size_t in = std::max<size_t>(inputs.size(), 1),
         out = std::max<size_t>(outputs.size(), 1);
  os << "\n/* Runs the model once; omContextGetMessage describes an error. "
        "*/\n"
     << "static inline OM_STATUS " << prefix << "_run(OMContext *context,\n"
     << "    const " << prefix << "_inputs *inputs, " << prefix
     << "_outputs *outputs) {\n  OMBuffer in[" << in << "], out[" << out
     << "];\n  int64_t in_shape[" << in << "][" << maxRank(inputs)
     << "], out_shape[" << out << "][" << maxRank(outputs)
     << "];\n  OM_STATUS status;\n  (void)inputs;\n  (void)in_shape;\n"
     << "  (void)out_shape;\n";
  for (auto [i, field] : llvm::enumerate(inputs))
    writeInput(field, i);
  for (auto [i, field] : llvm::enumerate(outputs))
    writeOutput(field, i);
  os << "  status = omContextRun(context, in, " << inputs.size() << ", out, "
     << outputs.size() << ");\n  if (status != OM_STATUS_OK)\n"
     << "    return status;\n";
  for (auto [i, field] : llvm::enumerate(outputs)) {
    std::string to = "outputs->" + field.name;
    if (!field.isTensor())
      os << "  " << to << " = (OMValue *)out[" << i << "].data;\n";
    else if (!field.hasShape())
      os << "  " << to << " = out[" << i << "];\n";
    else
      os << "  " << to << " = (" << field.type
         << (field.type.ends_with("*") ? "*" : " *") << ")out[" << i
         << "].data;\n";
    for (int64_t d = 0;
         field.hasShape() && !field.isStatic() && d < field.argument.rank; ++d)
      os << "  " << to << "_shape[" << d << "] = out[" << i << "].shape[" << d
         << "];\n";
  }
  os << "  return status;\n}\n";
}

/// No name is the prefix alone: that may be one of the C library.
void HeaderWriter::writeClass() const {
  os << "\n#ifdef __cplusplus\n} // extern \"C\"\n\n#include <memory>\n\n"
     << "/// A context that destroys itself; false if there is none.\n"
     << "class " << prefix << "_model {\npublic:\n"
     << "  " << prefix << "_model() : owned(" << prefix << "_create()) {}\n"
     << "  explicit operator bool() const { return bool(owned); }\n"
     << "  OMContext *context() const { return owned.get(); }\n"
     << "  OM_STATUS run(const " << prefix << "_inputs &inputs, " << prefix
     << "_outputs &outputs) const {\n    return " << prefix
     << "_run(owned.get(), &inputs, &outputs);\n  }\n"
     << "  const char *message() const {\n"
     << "    return owned ? omContextGetMessage(owned.get()) : "
        "omGetLastError();\n  }\n\n"
     << "private:\n  struct Destroy {\n"
     << "    void operator()(OMContext *context) const { "
        "omContextDestroy(context); }\n  };\n"
     << "  std::unique_ptr<OMContext, Destroy> owned;\n};\n#endif\n";
}

void HeaderWriter::writeContexts(ArrayRef<Field> inputs,
                                 ArrayRef<Field> outputs) const {
  os << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  writeStruct(
      "inputs", inputs,
      "/* NAME_shape: the sizes of this run, which you set; a fixed size may "
      "be left 0. */\n");
  writeStruct("outputs", outputs,
              "/* Memory of the caller that overlaps no input and no other "
              "output; or NULL,\n * which a run sets to memory of the context "
              "that lives until the next run.\n * NAME_size: room for so many "
              "elements. */\n");
  writeCreate();
  writeRun(inputs, outputs);
  writeClass();
}

void HeaderWriter::writeRealTime(ArrayRef<Field> inputs,
                                 ArrayRef<Field> outputs,
                                 const RealTimeMemory &memory) const {
  os << "/* Bytes of memory of one run. */\n#define " << guard
     << "_MEMORY_SIZE " << memory.bytes << "\n#define " << guard
     << "_MEMORY_ALIGNMENT " << RealTimeMemory::alignment << "\n"
     << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  writeStruct("inputs", inputs, "/* Memory of the caller, for all. */\n");
  writeStruct("outputs", outputs,
              "/* Overlap no input and no other output. */\n");
  std::string run = withDigest((prefix + "_run").str(), digest);
  os << "\n/* Missing where this header is not that of the object. */\n"
     << "int32_t " << run << "(\n    void *memory, const " << prefix
     << "_inputs *inputs,\n    const " << prefix << "_outputs *outputs);\n"
     << "\n/* Runs the model once, on the thread of the caller, in `memory` "
        "alone: no heap,\n * no lock, no system call. Runs at the same time "
        "have memory of their own; what\n * it holds between runs does not "
        "matter. 0; 1 if a pointer is NULL or the memory\n * is not aligned; 2 "
        "if the data breaks a rule of the model. */\n"
     << "static inline int32_t " << prefix << "_run(void *memory, const "
     << prefix << "_inputs *inputs,\n    const " << prefix
     << "_outputs *outputs) {\n  return " << run
     << "(memory, inputs, outputs);\n}\n"
     << "\n/* Names the node after a run that has returned 2; else NULL. */\n"
     << "static inline const char *" << prefix
     << "_message(const void *memory) {\n"
     << "  const void *message = (const char *)memory + "
     << memory.messageOffset << ";\n"
     << "  return *(const char *const *)message;\n}\n"
     << "\n#ifdef __cplusplus\n} // extern \"C\"\n#endif\n";
}

void HeaderWriter::write(ArrayRef<Field> inputs, ArrayRef<Field> outputs,
                         StringRef source, const RealTimeMemory *memory) const {
  os << "/* Written by onnx-compile " ONNXC_VERSION " from "
     << (source.contains("*/") ? cIdentifier(source) : source.str())
     << ": the inputs and\n"
     << " * outputs of the model, their elements row by row, and one function "
        "that runs\n * it. NAME_SIZE is a number of elements. */\n"
     << "#ifndef " << guard << "_MODEL_H\n#define " << guard << "_MODEL_H\n\n"
     << (memory ? "#include <stdbool.h>\n#include <stdint.h>\n\n"
                : "#include \"onnxc/Runtime.h\"\n\n#include "
                  "<stdbool.h>\n\n");
  writeSizes(inputs);
  writeSizes(outputs);
  if (memory)
    writeRealTime(inputs, outputs, *memory);
  else
    writeContexts(inputs, outputs);
  os << "\n#endif /* " << guard << "_MODEL_H */\n";
}

/// Adds what programs that include the header are built with.
static void addToDigest(llvm::BLAKE3 &hash, ArrayRef<Field> fields) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Field &field : fields) {
    const Argument &argument = field.argument;
    os << field.name << ' ' << argument.kind << ' ' << argument.typeText << ' '
       << argument.rank << ':';
    llvm::interleave(argument.dims, os, "x");
    os << '\n';
  }
  os << '\n'; // between inputs and outputs
  hash.update(text);
}

namespace {

/// What the header of a module is about.
struct Interface {
  Interface(ModuleOp module, bool isRealTime) {
    auto entry = module.lookupSymbol<LLVM::LLVMFuncOp>(mainEntryName);
    llvm::StringSet<> taken;
    auto fieldsOf = [&](StringRef name) {
      auto attribute =
          entry ? entry->getAttrOfType<ArrayAttr>(name) : ArrayAttr();
      return makeFields(attribute ? readArguments(attribute)
                                  : SmallVector<Argument>(),
                        taken);
    };
    inputs = fieldsOf(inputsAttrName);
    outputs = fieldsOf(outputsAttrName);
    if (isRealTime)
      memory = realTimeMemory(module);
  }

  std::string digest() const {
    llvm::BLAKE3 hash;
    addToDigest(hash, inputs);
    addToDigest(hash, outputs);
    if (memory)
      hash.update(
          (Twine(memory->bytes) + " " + Twine(memory->messageOffset)).str());
    return llvm::toHex(hash.final<8>(), /*LowerCase=*/true);
  }

  std::vector<Field> inputs, outputs;
  /// That of a run of a real-time model.
  std::optional<RealTimeMemory> memory;
};

} // namespace

std::string nameForHeader(StringRef function, ModuleOp module,
                          bool isRealTime) {
  return withDigest(function, Interface(module, isRealTime).digest());
}

std::string headerText(ModuleOp module, StringRef prefix, StringRef tag,
                       StringRef source, bool isRealTime) {
  Interface interface(module, isRealTime);
  std::string text;
  llvm::raw_string_ostream os(text);
  HeaderWriter(os, prefix, tag, interface.digest())
      .write(interface.inputs, interface.outputs, source,
             interface.memory ? &*interface.memory : nullptr);
  return text;
}

} // namespace onnxc::target
