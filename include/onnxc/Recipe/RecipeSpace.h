//===- RecipeSpace.h - The space that recipes are proposed from -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The sizes that planners propose, the bounds of their choices, and the extents
// that they and the cost model assume where they are dynamic. Properties
// of a processor are in Processor.h.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_RECIPESPACE_H
#define ONNXC_RECIPE_RECIPESPACE_H

#include "onnxc/Target/IR/Processor.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace onnxc {

//===----------------------------------------------------------------------===//
// Assumed extents
//===----------------------------------------------------------------------===//

/// The assumed value of a dynamic extent in comparisons of tiles or orders of a
/// contraction: long enough for whole tiles and for operands to be packed.
/// Loops that both operands have, a batch or its heads, are not compared: they
/// run outside of all others.
constexpr int64_t guessedExtent = 512;

/// The assumed value of a dynamic extent for loops outside of a tile, and for
/// all other kernels: many, but not so many that the products of a few of them
/// decide everything.
constexpr int64_t outerExtent = 64;

/// The number of rows of a product below which lanes are along sums of `depth`
/// steps rather than along columns that are packed in each run. The lanes of
/// each sum are added up for that, which takes as long as packing some
/// elements: fewer where they may not be in a cache, as those of a dynamic
/// number of columns (`isKnown` is false).
int64_t fewRows(const target::Processor &target, int64_t depth,
                bool isKnown = false);

/// Rows of a contraction whose number is dynamic: widths of images and their
/// halves, sentences, and many.
constexpr int64_t usualRows[] = {4,  7,  10, 14, 20,
                                 28, 40, 56, 80, guessedExtent};

/// The assumed dynamic number of rows that threads of a device share.
constexpr int64_t guessedRow = 1024;

//===----------------------------------------------------------------------===//
// Bounds of the space
//===----------------------------------------------------------------------===//

/// Lanes: fewer are not profitable. Squares that are transposed have minSquare
/// rows.
constexpr int64_t minLanes = 4;
/// Vectors of one lane loop, by the operations of the payload for each of them:
/// the more there are, the fewer values wait for others.
struct VectorsOfPayload {
  int64_t maxOperations;
  int64_t vectors;
};
constexpr VectorsOfPayload vectorsOfPayload[] = {{8, 4}, {24, 2}};
/// Operations of a payload up to which more lanes repay what is done once for
/// all of them.
constexpr int64_t sharingPayload = 32;
/// Operations, with the terminator, of payloads that do little beside loading
/// and storing: those of sums over many columns, and of copies.
constexpr size_t smallSum = 8, smallPayload = 12;

/// Short sums for a few columns have rows as lanes: the extents that make them
/// so, and the rows that it takes.
constexpr int64_t shortSum = 64, fewColumns = 4, minRows = 16;
/// Elements of partial results that are in memory while rows are added to them.
/// Rows of no more are not cut for two workers: 512 rows of 1024 take 0.7 of
/// the time if they are read and written as they lie in memory.
constexpr int64_t maxStrip = 2048;

/// The maximum number of unrolled instances of a payload, times the operations
/// of each: of short loops around accumulators, of windows, whose results share
/// their reads, and of whole rows.
constexpr int64_t maxInstances = 36, maxWindowInstances = 200,
                  maxRowInstances = 256;
/// Vectors on the stack for each unrolled copy of a function, such as exp, at
/// most.
constexpr int64_t spilledByFunction = 8;
/// Rows of a window that are unrolled where the size is dynamic.
constexpr int64_t dynamicWindowRows = 4;
/// Sums along rows of a dynamic size that are transposed together. Those of
/// windows of 3x3 to 7x7 take 0.82 to 0.97 of the time of twice as many.
constexpr int64_t dynamicTransposedRows = 8;
/// Steps of sums over windows up to which those of a few rows of a dynamic size
/// stand side by side. Those of 4 to 25 steps in short rows take 0.37 to 0.98
/// of the time so.
constexpr int64_t longestWindow = 64;
/// Vectors of results under a window, and of interleaved results.
constexpr int64_t maxWindowVectors = 2, maxInterleavedVectors = 8;
/// Stores of a border that are unrolled.
constexpr int64_t maxBorderStores = 8;
/// Streams of results far apart that a copy writes at once to read in order: 4
/// of an image of 3 x 640 x 640 take 0.58 of the time of one after the other.
constexpr int64_t maxStreams = 4;
/// An unrolled loop of so many instances is unrolled by a quarter for its rest.
constexpr int64_t minUnrolledTail = 8;

/// Lanes of vectors that are worth a half.
constexpr int64_t minHalved = 8;
/// Packing for fewer rows than this takes less than a second launch: with 16
/// keys of 16 elements a step of a decoder of 16 us took 0.7 us longer (AMD
/// EPYC, Zen 4, 2026-11-24).
constexpr int64_t minLimit = 4;
/// Vectors of lanes of a transposition; fewer are worth a second version, whose
/// lanes are the other side. One to sixteen of 50176 pixels take 0.5 to 0.9 of
/// the time there, 20 and 32 0.9 and 0.96.
constexpr int64_t vectorsOfFewLanes = 2;
/// Lines of memory that a transposition writes of a row of its result before it
/// goes on to the next rows, so that both sides are read and written in runs.
/// Of 68 copies in four sizes of elements it takes 0.9 of the time of whole
/// rows in the mean, where one side is far longer 0.4 to 0.65 (2026-11-29).
constexpr int64_t transposedRun = 4;
/// Lines of memory that are read of each row before the next rows are, where
/// they are written across, at most. Concatenations of two to four parts take
/// 0.65 to 1 of the time of one line, and 0.8 to 1 of that of sixteen
/// (2026-11-30).
constexpr int64_t linesOfReads = 2;
/// Rows of a tile of an attention.
constexpr int64_t maxAttentionRows = 14;
/// Vectors of results from which on a register tile hides the cost of the loop
/// around it; with fewer the reduction is unrolled by so much.
constexpr int64_t hidingTile = 12, reductionUnroll = 4;
/// Pairs of bytes in a step of a larger tile: one is half of what a group has.
constexpr int64_t pairUnroll = 2;
/// Bytes of the rows of a tile that are extended to 16 bits, and tiles of such
/// rows that are enough for all workers.
constexpr int64_t maxWideBytes = 48 << 10, manyRowTiles = 8;
/// Steps of a slice of a panel for each of its columns, where it is computed
/// and where it is stored, and blocks of columns that workers share, if there
/// are as many panels.
constexpr int64_t computedSliceSteps = 2, storedSliceSteps = 8,
                  minColumnBlocks = 16;
/// What a step takes whose products do not fit 16 bits, its branch included,
/// divided by one whose products do.
constexpr double longSumsTimes = 4.5;
/// Bytes of a constant that are looked at to find the share of such steps.
constexpr int64_t sampledBytes = 32 << 10;
/// Parts of elements, the loops over which are unrolled.
constexpr int64_t maxParts = 8;

/// Parts of a tensor that one op has at most: each is a load and a selection
/// for every element.
inline constexpr unsigned maxJoinedParts = 32;
/// Groups of bytes that are all unrolled, a part of more, and how full groups
/// have to be.
constexpr int64_t maxUnrolledGroups = 8, unrolledGroups = 4;
constexpr double minFilledGroups = 0.3;

/// Blocks of threads: rows of a thread's tile; vectors of a row that a thread
/// adds up and rows of a block, where there are so many rows that there are
/// enough blocks.
constexpr int64_t tileRows = 4, vectorsOfThread = 4, rowsOfBlock = 8,
                  manyRows = 1024;
/// The fewest threads that have a row together.
constexpr int64_t minRowThreads = 2;
/// Vectors of a row that a thread has at once.
constexpr int64_t maxVectorsOfThread = 8;
/// Terms of a sum that a thread reads at once, beside one.
constexpr int64_t termsAtOnce[] = {4, 8, 16};
/// The fewest elements of a tile of a thread in a contraction.
constexpr int64_t minTileElements = 4;
/// Results of a block of warpgroups from which on blocks are tried as clusters,
/// and its warpgroups and the blocks of a cluster at most: smaller blocks have
/// little to share, and larger clusters gain nothing more.
constexpr int64_t minClusterResults = 8192, maxClusterWarpgroups = 2,
                  maxCluster = 4;
/// Parts of a sum that are added up by a kernel of its own, and the fewest
/// terms of one.
constexpr int64_t maxSumParts = 64, minTermsOfPart = 32;
/// The fewest terms of a thread in a part of a long row that blocks share, and
/// the most ops of its kernel that are computed again for another reader.
constexpr int64_t minTermsOfThread = 8;
constexpr unsigned maxCopiedOps = 32;
/// A kernel that computes a factor in panels is taken if it takes less than
/// this part of the cycles: tiles that start and end with sums in memory take
/// longer than is counted.
constexpr double minGainOfPanels = 0.9;
/// A recipe that stores constants in forms which they have for other kernels is
/// chosen if it takes no more than this many times the cycles of the best.
constexpr double maxCyclesOfSharedForms = 1.2;
/// Of fewer rows than one of these, where their number is dynamic, a kernel
/// computes the factor for each product.
constexpr int64_t fewRowsOfPanels[] = {16, 32, 64, 128};

/// The most operands of a kernel that does what two did, and what of the time
/// of the longer one it takes at most.
constexpr unsigned maxJoinedOperands = 12;
constexpr double maxSiblingGrowth = 1.25;
/// The assumed number of elements by which parts of rows of dynamic length get
/// their size: those of a long row that vectors do not divide.
constexpr int64_t longRow = 65521;
/// The most bytes of a factor that a kernel of its own computes, for each byte
/// of the operands: weights of 4 bits have 8 as f32, those of 2 bits as f16.
constexpr int64_t maxFactorBytes = 8;
/// The fewest iterations of a reduction whose operands are in shared memory
/// that are profitable, and the columns of a thread without vectors.
constexpr int64_t minDepth = 8, scalarColumns = 4;

/// A square of a tensor that a block of threads transposes: rows and vectors of
/// columns, and how many squares the block has one after the other. 16 bytes of
/// 32 rows are whole lines in both directions.
struct SquareTile {
  int64_t rows, columns, squares;
};
constexpr SquareTile squareTiles[] = {
    {32, 8, 4}, {32, 8, 1}, {16, 4, 4}, {16, 4, 1}};

/// Contenders of the cheapest candidate, which a device compares with the steps
/// that complete them: so many of those that take at most so many times its
/// cycles. 3 of 364 kernels of six networks get other recipes so than without
/// contenders (sm_90a, 2026-11-28).
constexpr size_t completedContenders = 16;
constexpr double contenderCycles = 1.1;

/// Tiles of each fused outer loop, and rows of each loop, whose mean stands for
/// what a mask leaves of all. With 256 to 8192 keys, tiles of 4 to 128 rows and
/// blocks of 16 to 256 keys the mean of 16 tiles is off by 3 percent at most,
/// that of 8 by 6 and that of 32 by 2; that of so many rows is off by less than
/// one.
constexpr int64_t sampledTiles = 16, sampledRows = 64;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// A register tile: rows of scalars by columns of whole vectors.
struct RegisterTile {
  int64_t rows;
  int64_t vectors;
};

/// The work to make a vector of columns, where it is not only loaded:
/// operations in each step of the reduction, and registers: those of computed
/// values, and of values that are invariant over some of the steps.
struct ColumnWork {
  int64_t operations = 0;
  int64_t registers = 0;
  /// The number of accumulators of each result.
  int64_t accumulators = 1;
  /// The operations for each factor, of rows and of columns, beside its load,
  /// and the multiply-adds of each product: other instructions take their
  /// place.
  int64_t ofFactor = 0, ofProduct = 1;
  /// The registers of products that another instruction adds to their sums.
  int64_t temporaries = 0;
  /// Cycles in which a vector comes from another cache for each tile of rows.
  double farCycles = 0;
  /// The loads of each factor in a step.
  int64_t loads = 1;
};

/// The number of vectors in `columns` columns; a dynamic number counts as many.
int64_t countVectors(int64_t columns, int64_t lanes);

/// The unroll factors for a dynamic rest of tiles of `rows` rows: powers of
/// two; the rows that these leave are executed one at a time. Each visit reads
/// all the vectors, and a few accumulators would wait for each other.
llvm::SmallVector<int64_t> rowTail(int64_t rows);

/// The tiles for `rows` x `columns` results, preferred ones first: those that
/// fit the registers, the result, and `maxRows`. A dynamic extent counts as
/// many.
llvm::SmallVector<RegisterTile>
registerTiles(const target::Processor &target, int64_t rows, int64_t columns,
              int64_t lanes, int64_t maxRows = INT64_MAX, ColumnWork work = {});

/// The tiles for windows over columns that do not mix: every row has vectors of
/// its own, and adjacent rows share most of them, so that few columns and
/// many rows are best.
llvm::SmallVector<RegisterTile> windowTiles(const target::Processor &target,
                                            int64_t rows, int64_t columns,
                                            int64_t lanes);

/// Where sums are in no vectors: whether they are integers, which share their
/// registers with addresses; how many of these registers a factor takes, or 0
/// if factors are in vectors; what the number of columns is a multiple of.
struct ScalarFactors {
  bool areIntegers = false;
  int64_t registers = 1;
  int64_t columns = 1;
};

/// Tiles of single sums, preferred ones first: `vectors` counts columns. All of
/// the code is unrolled for each element of a tile, and once more for a rest,
/// so tiles without a rest go before all others.
llvm::SmallVector<RegisterTile> scalarTiles(const target::Processor &target,
                                            int64_t rows, int64_t columns,
                                            ScalarFactors factors);

} // namespace onnxc

#endif // ONNXC_RECIPE_RECIPESPACE_H
