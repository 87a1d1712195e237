//===- Target.cpp - The target of a module ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/IR/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace onnxc::krnl;
using onnxc::target::Processor;

// The dialect parses and prints its attributes itself (RecipeSteps.cpp).
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"
#define GET_ATTRDEF_CLASSES
#include "onnxc/Target/IR/Target.cpp.inc"
#pragma clang diagnostic pop

/// Visits the numbers of memory, and those that choices of layouts, algorithms
/// and threads compare with.
template <typename P, typename F>
static void forEachThreshold(P &&p, F visit) {
  visit("way_bytes", p.wayBytes);
  visit("line_bytes", p.lineBytes);
  visit("layout_elements", p.layoutElements);
  visit("row_elements", p.rowElements);
  visit("border_elements", p.borderElements);
  visit("padded_bytes", p.paddedBytes);
  visit("attention_bytes", p.attentionBytes);
  visit("winograd_channels", p.winogradChannels);
  visit("filter_products", p.filterProducts);
  visit("transform_products", p.transformProducts);
  visit("far_transform_products", p.farTransformProducts);
  visit("parallel_bytes", p.parallelBytes);
  visit("parallel_products", p.parallelProducts);
  visit("wake_cycles", p.wakeCycles);
  visit("loop_wake_cycles", p.loopWakeCycles);
  visit("barrier_cycles", p.barrierCycles);
  visit("poll_cycles", p.pollCycles);
}

/// Visits the numbers of a device alone.
template <typename P, typename F>
static void forEachDeviceNumber(P &&p, F visit) {
  visit("warp_threads", p.warpThreads);
  visit("cores", p.cores);
  visit("megahertz", p.megahertz);
  visit("issues_per_cycle", p.issuesPerCycle);
  visit("matrix_products", p.matrixProducts);
  visit("warp_matrix_share", p.warpMatrixShare);
  visit("block_threads", p.blockThreads);
  visit("small_block_threads", p.smallBlockThreads);
  visit("busy_threads", p.busyThreads);
  visit("thread_registers", p.threadRegisters);
  visit("address_registers", p.addressRegisters);
  visit("core_threads", p.coreThreads);
  visit("core_registers", p.coreRegisters);
  visit("core_shared_bytes", p.coreSharedBytes);
  visit("core_tiles", p.coreTiles);
  visit("register_unit", p.registerUnit);
  visit("shared_unit", p.sharedUnit);
  visit("tile_shared_bytes", p.tileSharedBytes);
  visit("core_bytes_per_cycle", p.coreBytesPerCycle);
  visit("cluster_bytes_per_cycle", p.clusterBytesPerCycle);
  visit("core_groups", p.coreGroups);
  visit("memory_latency", p.memoryLatency);
  visit("cluster_latency", p.clusterLatency);
  visit("cache_latency", p.cacheLatency);
  visit("launch_nanoseconds", p.launchNanoseconds);
}

/// Visits the numbers of a core: its registers, and cycles and operations that
/// instructions take.
template <typename P, typename F>
static void forEachCoreNumber(P &&p, F visit) {
  visit("vector_bytes", p.vectorBytes);
  visit("vector_registers", p.vectorRegs);
  visit("scalar_copies", p.scalarCopies);
  visit("free_masks", p.freeMasks);
  visit("tile_threads", p.tileThreads);
  visit("shared_bytes", p.sharedBytes);
  visit("index_bits", p.indexBits);
  visit("stack_bytes", p.stackBytes);
  visit("fma_per_cycle", p.fmaPerCycle);
  visit("loads_per_cycle", p.loadsPerCycle);
  visit("scalar_loads_per_cycle", p.scalarLoadsPerCycle);
  visit("fma_latency", p.fmaLatency);
  visit("independent_sums", p.independentSums);
  visit("tile_cycles", p.tileCycles);
  visit("scatter_cycles", p.scatterCycles);
  visit("transpose_cycles", p.transposeCycles);
  visit("pack_cycles", p.packCycles);
  visit("pack_rows", p.packRows);
  visit("group_rows", p.groupRows);
  visit("unaligned_factor", p.unalignedFactor);
  visit("l2_bytes_per_cycle", p.l2BytesPerCycle);
  visit("l3_bytes_per_cycle", p.l3BytesPerCycle);
  visit("memory_bytes_per_cycle", p.memoryBytesPerCycle);
  visit("function_operations", p.functionOperations);
  visit("function_bytes", p.functionBytes);
  visit("division_operations", p.divisionOperations);
  visit("far_unaligned_factor", p.farUnalignedFactor);
  visit("shuffled_step", p.shuffledStep);
  visit("square_lanes", p.squareLanes);
  visit("gather_operations", p.gatherOperations);
  visit("operations_beside_gather", p.operationsBesideGather);
  visit("gather_moves", p.gatherMoves);
  visit("intermediate_elements", p.intermediateElements);
}

/// Visits sizes of caches, and which shares of them loops may fill.
template <typename P, typename F>
static void forEachCacheNumber(P &&p, F visit) {
  visit("l1", p.l1);
  visit("l2", p.l2);
  visit("l3", p.l3);
  visit("columns_share", p.columnsShare);
  visit("rows_share", p.rowsShare);
  visit("fewer_rows_share", p.fewerRowsShare);
  visit("streamed_rows_share", p.streamedRowsShare);
  visit("panel_share", p.panelShare);
  visit("matrix_share", p.matrixShare);
  visit("unpadded_share", p.unpaddedShare);
  visit("padded_share", p.paddedShare);
}

/// Calls `visit` with the name and the value of every number.
template <typename P, typename F>
static void forEachNumber(P &&p, F visit) {
  forEachCoreNumber(p, visit);
  forEachCacheNumber(p, visit);
  forEachThreshold(p, visit);
  forEachDeviceNumber(p, visit);
}

llvm::hash_code onnxc::target::hash_value(const Processor &processor) {
  llvm::hash_code hash = 0;
  forEachNumber(processor, [&](StringRef, auto value) {
    if constexpr (std::is_same_v<decltype(value), double>)
      hash = llvm::hash_combine(hash, llvm::bit_cast<uint64_t>(value));
    else
      hash = llvm::hash_combine(hash, value);
  });
  return hash;
}

static Attribute toAttribute(Builder &b, bool value) {
  return b.getBoolAttr(value);
}
static Attribute toAttribute(Builder &b, int64_t value) {
  return b.getI64IntegerAttr(value);
}
static Attribute toAttribute(Builder &b, double value) {
  return b.getF64FloatAttr(value);
}

static bool fromAttribute(Attribute attribute, bool &value) {
  auto flag = dyn_cast<BoolAttr>(attribute);
  value = flag && flag.getValue();
  return bool(flag);
}
static bool fromAttribute(Attribute attribute, int64_t &value) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number || !number.getType().isInteger(64))
    return false;
  value = number.getInt();
  return true;
}
static bool fromAttribute(Attribute attribute, double &value) {
  auto number = dyn_cast<FloatAttr>(attribute);
  if (!number || !number.getType().isF64())
    return false;
  value = number.getValueAsDouble();
  return true;
}
static bool fromAttribute(Attribute attribute, StringRef &value) {
  auto text = dyn_cast<StringAttr>(attribute);
  value = text ? text.getValue() : "";
  return bool(text);
}
static bool fromAttribute(Attribute attribute, DictionaryAttr &value) {
  value = dyn_cast<DictionaryAttr>(attribute);
  return bool(value);
}

/// target ::= `<` [name `=` attribute (`,` name `=` attribute)*] `>`
Attribute TargetAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  StringRef family, triple, cpu, features;
  Processor processor;
  auto instructions = DictionaryAttr::get(context);
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    Attribute value;
    if (parser.parseKeyword(&name) || parser.parseEqual() ||
        parser.parseAttribute(value))
      return failure();
    bool isKnown = false, isRight = false;
    auto take = [&](StringRef known, auto &number) {
      if (name != known)
        return;
      isKnown = true;
      isRight = fromAttribute(value, number);
    };
    take("family", family);
    take("triple", triple);
    take("cpu", cpu);
    take("features", features);
    take("instructions", instructions);
    forEachNumber(processor, take);
    if (!isKnown)
      return parser.emitError(loc, "a target has no '") << name << "'";
    if (!isRight)
      return parser.emitError(loc, "expected a value of another type for '")
             << name << "', but got " << value;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOne))
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); },
                    context, family, triple, cpu, features, processor,
                    instructions);
}

void TargetAttr::print(AsmPrinter &printer) const {
  Builder b(getContext());
  llvm::ListSeparator comma;
  printer << '<';
  auto write = [&](StringRef name, Attribute value) {
    printer << StringRef(comma) << name << " = ";
    printer.printAttributeWithoutType(value);
  };
  for (auto [name, text] :
       {std::pair("family", getFamily()), std::pair("triple", getTriple()),
        std::pair("cpu", getCpu()), std::pair("features", getFeatures())})
    if (!text.empty())
      write(name, b.getStringAttr(text));
  // Both lists are in the same order.
  SmallVector<Attribute> defaults;
  forEachNumber(Processor(), [&](StringRef, auto value) {
    defaults.push_back(toAttribute(b, value));
  });
  const Attribute *unchanged = defaults.begin();
  forEachNumber(getProcessor(), [&](StringRef name, auto value) {
    if (Attribute number = toAttribute(b, value); number != *unchanged++)
      write(name, number);
  });
  if (!getInstructions().empty())
    write("instructions", getInstructions());
  printer << '>';
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef, StringRef, StringRef, StringRef,
                                 Processor processor,
                                 DictionaryAttr instructions) {
  LogicalResult result = success();
  forEachNumber(processor, [&](StringRef name, auto value) {
    constexpr bool isFlag = std::is_same_v<decltype(value), bool>;
    constexpr auto maxValue = int64_t(1) << 40;
    if (succeeded(result) && !isFlag && !(value > 0 && value <= maxValue))
      result = emitError() << "expected '" << name
                           << "' of a target to be positive and at most 2^40";
  });
  if (failed(result))
    return failure();
  if (!llvm::isPowerOf2_64(processor.vectorBytes) ||
      processor.vectorBytes > 1024)
    return emitError() << "expected vectors of a power of two bytes, at most "
                          "1024, but got "
                       << processor.vectorBytes;
  if (processor.indexBits != 32 && processor.indexBits != 64)
    return emitError() << "expected indices of 32 or 64 bits, but got "
                       << processor.indexBits;
  for (NamedAttribute instruction : instructions)
    if (!isa<StringAttr>(instruction.getValue()))
      return emitError() << "expected the name of an intrinsic for '"
                         << instruction.getName().getValue() << "', but got "
                         << instruction.getValue();
  return success();
}

AbstractAttribute TargetAttr::registerWith(Dialect &dialect) {
  mlir::detail::AttributeUniquer::registerAttribute<TargetAttr>(
      dialect.getContext());
  return AbstractAttribute::get<TargetAttr>(dialect);
}

TargetAttr TargetAttr::of(Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp())
    if (auto target = at->getAttrOfType<TargetAttr>(attrName))
      return target;
  return {};
}

Processor TargetAttr::processorOf(Operation *op) {
  TargetAttr target = of(op);
  return target ? target.getProcessor() : Processor();
}

StringRef TargetAttr::getInstruction(const Twine &operation,
                                     int64_t lanes) const {
  auto name = *this ? getInstructions().getAs<StringAttr>(
                          (operation + "_x" + Twine(lanes)).str())
                    : StringAttr();
  return name ? name.getValue() : StringRef();
}

bool TargetAttr::hasInstruction(StringRef operation) const {
  return *this && getInstructions().contains(operation);
}
