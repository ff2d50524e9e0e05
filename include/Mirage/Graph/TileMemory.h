//===- TileMemory.h - What a block's tiles take -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages. A tile that is loaded in the loop has a *ring* of as many places as
// the block graph has stages. The tile of iteration i is in place i mod stages,
// and is on its way from `stages - 1` iterations before:
//
//   3 stages, places    0        1        2
//   before the loop   load 0   load 1
//   iteration 0       use 0      |      load 2
//   iteration 1       load 3   use 1      |
//   iteration 2         |      load 4   use 2
//   iteration 3       use 3      |      load 5
//
// With one stage a tile is loaded and used in turn, in one place. Tiles that
// stay the same in all iterations, and those that are computed, have one place.
//
// Rows. A tile lies row by row, rows along its last dimension. Shared memory
// has 32 banks of 4 bytes, and a product reads eight rows at a time, 16 bytes
// of each (ldmatrix). Where all of them begin in the same banks it reads one
// after the other; so 16 bytes stay free behind each row of such a tile:
//
//   rows of 128 bytes, 128 apart    begin in banks 0  0  0  0  0  0  0  0
//   rows of 128 bytes, 144 apart                   0  4  8 12 16 20 24 28
//
// Eight rows at an odd multiple of 16 bytes are in all 32 banks, and what is
// aligned to 16 bytes in a row stays so. Rows of an odd multiple lie so
// already; those of no multiple, which ldmatrix does not read, begin in
// different banks for the most part.
// That is what the search reckons with. --mirage-plan-shared-memory, which
// knows how lanes go to each tile, may leave others free where there is place.
//
// Phases. What the loop works with is gone when its last iteration is, and what
// is computed behind it is not there before: both lie in the same bytes, since
// what comes first behind the loop reads sums that other threads made in it,
// and waits for all of them. So a block needs the larger of
//
//   while it loops      rings, tiles of the loop,      what outlasts it
//   behind the loop     tiles of what follows it,      what outlasts it
//
// where sums over the loop outlast it, and whatever is loaded or computed once.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_TILEMEMORY_H
#define MIRAGE_GRAPH_TILEMEMORY_H

#include "Mirage/Graph/Phases.h"
#include <algorithm>

namespace mlir::mirage {

/// Of every tile's place in shared memory, in bytes. TMA needs 128.
constexpr int64_t kTileAlignment = 128;

/// Whether the loop loads an input's tile, another one in each iteration.
bool isLoadedInLoop(const TileGraph &graph, unsigned input);
/// How many places an input's tile has.
int64_t getNumPlaces(const TileGraph &graph, unsigned input);

/// How many stages a loop gets that reads what several blocks left, of so many
/// bytes each: as many as are on their way without taking memory that others
/// need on any GPU.
unsigned getJoinStages(int64_t numJoined, int64_t bytes);
/// The most bytes of parts that a block joins without a loop
/// (--mirage-join-parts-at-once): three blocks of an H200's SM have place for
/// as many.
constexpr int64_t kMostBytesJoinedAtOnce = 64 * 1024;
/// Whether an accumulation is one of those that can be: a reduction of the
/// parts as they are.
bool canJoinAtOnce(const Attributes &accumulation, bool isRescaled);

/// Whether a transpose exchanges rows and columns, the last two dimensions, and
/// nothing else. Fragments of a product can be loaded so: eight elements of a
/// row are what ldmatrix takes either way.
bool exchangesRowsAndColumns(llvm::ArrayRef<int64_t> dims);
/// Whether a tile has no more dimensions larger than 1 than one step can count
/// its items along: a thread graph has as many axes.
bool hasStepDims(llvm::ArrayRef<int64_t> shape);
/// What reads a tile: Opcode::Graph where that is no operation of the table.
struct TileReader {
  Opcode opcode;
  Phase phase;
  llvm::ArrayRef<int64_t> result;
};
/// Whether a transpose is such a one, of what products of the same phase alone
/// read: it is no step then, and its result no tile. Steps of two phases run at
/// different times, so that a product of another one reads a tile.
/// \param dims  of the transpose; `tile` is its result's shape.
bool isLoadedTransposed(llvm::ArrayRef<int64_t> dims, Phase phase,
                        llvm::ArrayRef<int64_t> tile,
                        llvm::ArrayRef<TileReader> readers);
/// The same of an operation of a block graph.
bool isLoadedTransposed(const TileGraph &graph, const Node &operation);
/// The same with any sizes: tiles may turn out to have dimensions of size 1.
bool mayBeLoadedTransposed(const TileGraph &graph, const Node &operation);

/// The bytes that stay free behind each row of a tile that a product reads.
int64_t getRowPadding(const TensorSpec &tile);
/// Whether what a reshape makes of a tile has the same rows. Both are the same
/// bytes: rows that are not kept have nothing between them.
bool keepsRows(const TensorSpec &tile, const TensorSpec &reshaped);
/// What stays free behind the rows of each value of a graph.
llvm::SmallVector<int64_t> chooseRowPaddings(const TileGraph &graph);
/// The bytes of a tile, with those that stay free.
int64_t getTileBytes(const TensorSpec &tile, int64_t rowPadding);

/// Bytes from one place of a ring to the next.
int64_t getRingStride(int64_t tileBytes);

/// Bytes of shared memory in a block's two times. A block of one iteration has
/// one: what it needs in both it needs at once.
struct PhaseBytes {
  int64_t inLoop = 0, behindLoop = 0;

  int64_t getMost() const { return std::max(inLoop, behindLoop); }
  PhaseBytes &operator+=(PhaseBytes other) {
    inLoop += other.inLoop;
    behindLoop += other.behindLoop;
    return *this;
  }
  PhaseBytes &operator-=(PhaseBytes other) {
    return *this += {-other.inLoop, -other.behindLoop};
  }
  PhaseBytes operator+(PhaseBytes other) const { return other += *this; }
};

/// The bytes that a block needs if every tile has its own place, or ring, among
/// those of its time: an upper bound of what the shared-memory planner finds,
/// but for what boxes are aligned to.
PhaseBytes getPhaseBytes(const TileGraph &graph);
/// Of the time that needs more of them.
int64_t getSharedBytes(const TileGraph &graph);
/// How many of them the results of an operation take, with what it keeps for
/// itself.
/// \param number  of the operation, in the graph's order.
PhaseBytes getResultBytes(const TileGraph &graph, unsigned number);
/// When a tile of so many bytes is there.
/// \param executed  the phase in which its operation is carried out, or in
///                  which it is loaded.
/// \param known     the phase in which it is known.
/// \param hasLoop   there are two iterations or more.
PhaseBytes spreadOverPhases(int64_t bytes, Phase executed, Phase known,
                            bool hasLoop);
/// How many of them each further stage takes.
int64_t getStageBytes(const TileGraph &graph);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_TILEMEMORY_H
