//===- KernelWork.h - What a kernel does ------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a cost model needs to know of a kernel: what it loads, computes, joins
// and stores. A block graph has it. So has a sketch (KernelSketch.h), at the
// least, of all block graphs whose tiles have sizes between two.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_KERNELWORK_H
#define MIRAGE_SEARCH_KERNELWORK_H

#include "Mirage/Graph/TileMemory.h"

namespace mlir::mirage::search {

struct KernelWork {
  /// A tile that one block reads of a tensor in device memory.
  struct Load {
    TensorSpec tile, tensor;
    bool isInLoop = false;
    TensorSpec largestTile; ///< that a sketch is of; else the same
    /// How often each element is read, by all blocks, at the least; 0 where
    /// that follows from tiles.
    double readers = 0;
    /// Whether the copy engine could load it into a ring: so far as is known,
    /// of a sketch. Else threads do.
    bool canBeBoxed = true;

    /// Whether a kernel ahead loads it as well (JoinedParts.h).
    bool isRepeated = false;

    /// Whether it stands for those of several tilings.
    bool isOfSketch() const { return readers > 0; }
  };
  /// Of one block, once or in each iteration.
  struct Operation {
    /// What is done to each element; nullptr of a product of matrices.
    const ScalarDefinition *applied = nullptr;
    bool isInLoop = false;
    int64_t elements = 0;    ///< of the largest operand, or the result
    int64_t bytes = 0;       ///< of operands and result
    bool isRepeated = false; ///< whether a kernel ahead does it as well
    /// Whether warps keep the rows that it works on (Mirage/Graph/WarpRows.h),
    /// so that what it hands on stays in registers.
    bool isOnRows = false;
    /// Whether the step of the one operation that reads its result computes it,
    /// so that it stays in registers.
    bool isInReader = false;
    /// Whether it reduces a tile, of which it leaves little.
    bool isReduction = false;
    /// Whether it is a sum in registers that each iteration corrects by a
    /// factor of a row, and nothing else of it takes time.
    bool isRescaled = false;
    /// Of a reduction: that tile, and the dimension; of rank 0 where sizes are
    /// not known.
    TensorSpec reducedTile = {};
    unsigned reducedDim = 0;

    /// Of a product: `elements` sums of so many terms.
    int64_t length = 0;
    bool isOnTensorCores = false;
    /// Of these: by m16n8k8 of tf32.
    bool isInTF32 = false;
    int64_t leftBytes = 0; ///< of a product's left operand
    /// Whether its operands are tiles that the copy engine could load into a
    /// ring, where four warps together read them as they lie.
    bool isLeftInRing = false, isRightInRing = false;
    /// Instructions on them, m16n8k16 or, two for each of those, m16n8k8.
    double matrixTiles = 0;
    /// Of these, those that follow each other along k for 16 rows, where each
    /// waits for the one before; 0 where sizes are not known.
    double chainedTiles = 0;

    /// How many instructions m16n8k16 of a product is.
    double getInstructionsPerTile() const { return isInTF32 ? 2 : 1; }

    /// Elements, or matrix tiles or else terms of a product, in all iterations
    /// of all blocks, at the least; 0 where that follows from the above.
    double total = 0;

    /// Whether it stands for those of several tilings.
    bool isOfSketch() const { return total > 0; }
  };
  /// Blocks along an axis leave their parts to one more kernel, which joins
  /// them (`--mirage-split-grid-joins`).
  struct Join {
    double bytes = 0;       ///< of the parts of one block
    int64_t numJoined = 1;  ///< blocks along the axis
    int64_t mostJoined = 1; ///< that there may be, of a sketch
    /// Whether each of these blocks goes on, and leaves another part of the
    /// results.
    bool keepsBlocks = false;
    /// Of all blocks, at the least; 0 where that follows from the above.
    double totalBytes = 0;
    /// What each block leaves for itself: it reads that again when it goes on.
    double ownBytes = 0;
    /// Whether parts are joined one after the other, however few they are.
    bool needsLoop = false;
    /// Whether it is for the loop to read: kernels of their own come first.
    bool isBeforeLoop = false;
    /// What each block of the kernel with the loop reads that was joined ahead.
    double leftBytes = 0;
  };

  int64_t numBlocks = 1, loop = 1;
  /// What they may be, of a sketch; else the same.
  int64_t mostBlocks = 1, mostIterations = 1;
  /// Whether blocks load tiles at once and add some up along another dimension
  /// than the last, as kernels that join parts do: no loop and no product. Of a
  /// sketch: whether some of what it stands for do.
  bool isOneStream = false, mayBeOneStream = false;
  llvm::SmallVector<Load, 4> loads;
  llvm::SmallVector<Operation, 12> operations;
  llvm::SmallVector<Join, 3> joins; ///< in the order in which they are made
  double storedBytes = 0;           ///< of all blocks
  /// Of one block with one stage, each tile with a place of its own that warps
  /// do not keep in registers.
  PhaseBytes sharedBytes;
  PhaseBytes keptBytes;     ///< of what they keep
  int64_t rowRegisters = 0; ///< of a thread, for rows that warps keep
  int64_t stageBytes = 0;   ///< what each further stage takes, in the loop
  int64_t accumulators = 0; ///< of one block

  /// With so many stages.
  int64_t getSharedBytes(int64_t stages) const {
    return (sharedBytes + PhaseBytes{(stages - 1) * stageBytes}).getMost();
  }

  /// Says of each operation whether warps keep its rows, as
  /// --mirage-give-rows-to-warps decides it for the kernel's threads.
  /// \param kernel  of which this is the work, in any number of threads.
  void setRows(const TileGraph &kernel);
};

/// Whether an accumulation is no step of its own: what it adds up, element by
/// element, is computed by warps and read by nobody else, so that it grows in
/// their registers, if there are as many (`--mirage-hold-in-registers`).
bool growsInRegisters(const TileGraph &kernel, const Node &op);

/// Whether an operation takes nothing: such a sum, if it is not rescaled, or a
/// transpose that the product behind it loads (Mirage/Graph/TileMemory.h).
bool isNoStep(const TileGraph &kernel, const Node &op);
/// The same with any sizes.
bool mayBeNoStep(const TileGraph &kernel, const Node &op);

/// Says of an operation, if it is a product, which operands are such tiles, by
/// the loads of the kernel's work.
void findRings(const KernelWork &work, const TileGraph &kernel,
               const Node &product, KernelWork::Operation &operation);

/// \param operands  the tensors in device memory that the kernel's inputs are
///                  tiles of.
KernelWork getWork(const TileGraph &kernel, llvm::ArrayRef<TensorSpec> operands,
                   llvm::ArrayRef<TensorSpec> results);

/// A tile in shared memory that an operation reads or writes.
struct TileSize {
  int64_t elements = 0;
  ElementType element = ElementType::F32;

  int64_t getBytes() const { return elements * getSizeBytes(element); }
};

/// What a block does at an operator of a kernel, but for when it does it, and
/// for the matrices of a product: these follow from layouts.
/// \param result, operands  in the place of what the kernel says of the tiles'
///                          sizes.
KernelWork::Operation makeOperation(const TileGraph &kernel, const Node &op,
                                    TileSize result,
                                    llvm::ArrayRef<TileSize> operands);

/// Numbers that one block carries from one iteration, or block, to the next.
int64_t countAccumulators(const TileGraph &kernel);

/// What one instruction multiplies, m16n8k16.
constexpr int64_t kMatrixTileRows = 16, kMatrixTileColumns = 8,
                  kMatrixTileLength = 16;
constexpr double kMatrixTileProducts =
    kMatrixTileRows * kMatrixTileColumns * kMatrixTileLength;

/// Products of m16n8k16 that make so many sums of `length` terms in matrices of
/// that size.
double countMatrixTiles(int64_t sums, int64_t rows, int64_t columns,
                        int64_t length);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_KERNELWORK_H
