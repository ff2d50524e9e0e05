//===- HandlersTensorCopy.cpp - cp.async.bulk.tensor ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// TMA: boxes of tensors that a tensor map describes, to shared memory and back
// (PTX ISA, "cp.async.bulk.tensor"). Boxes are tiles; gathers, im2col and
// reductions are not known.
//
//===----------------------------------------------------------------------===//

#include "CopyIssue.h"
#include "Handlers.h"
#include "TensorMapImage.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

namespace {

/// Bits of Instruction::variant.
enum : uint16_t { isMulticast = 1, onlyOwn = 2 };

/// The box that each lane names: a tensor map and coordinates, the first of
/// which is slot `first + 1`.
class BoxOperand {
public:
  BoxOperand(ExecutionState &state, const Instruction &instruction,
             unsigned operand, unsigned first)
      : state(state), rank(instruction.vectorSize),
        coordinates(instruction.slots + first + 1) {
    computeAddresses(state, instruction, operand, instruction.slots[first],
                     maps);
  }

  /// The map of a lane, after a report none.
  std::optional<BoundTensorMap> findMap(CopyIssue &issue, unsigned lane) const;
  llvm::SmallVector<int32_t, 5> getCoordinates(unsigned lane) const {
    llvm::SmallVector<int32_t, 5> result;
    for (unsigned dim = 0; dim < rank; ++dim)
      result.push_back(state.lanes<int32_t>(coordinates[dim])[lane]);
    return result;
  }

private:
  ExecutionState &state;
  unsigned rank;
  const uint32_t *coordinates;
  std::array<uint64_t, warpSize> maps;
};

std::optional<BoundTensorMap> BoxOperand::findMap(CopyIssue &issue,
                                                  unsigned lane) const {
  uint64_t address = maps[lane];
  if (address % tensorMapAlign != 0) {
    issue.report(
        FindingKind::Misaligned,
        "expected a tensor map at a multiple of {0} bytes, found {1:x}",
        tensorMapAlign, address);
    return std::nullopt;
  }
  std::optional<llvm::ArrayRef<uint8_t>> image = issue.findTensorMap(address);
  if (!image)
    return std::nullopt;
  std::optional<BoundTensorMap> bound = decodeTensorMap(*image);
  if (!bound)
    issue.report(FindingKind::CopyMisuse,
                 "expected a tensor map at {0:x}, found other bytes", address);
  else if (bound->map.getRank() != rank) {
    issue.report(FindingKind::CopyMisuse,
                 "expected a tensor map of {0} dimensions, found one of {1}",
                 rank, bound->map.getRank());
    bound.reset();
  }
  return bound;
}

/// One lane's copy of a box: its pieces, and where they lie.
class BoxCopy {
public:
  BoxCopy(CopyIssue &issue, const BoundTensorMap &bound,
          llvm::ArrayRef<int32_t> coordinates, const MemoryRange &shared)
      : issue(issue), bound(bound), shared(shared) {
    listBoxPieces(bound.map, coordinates, shared.begin, pieces);
  }

  /// \returns false after a report: a part of the tensor is no memory, or that
  /// of another buffer.
  bool findGlobal(const LaunchContext &launch, bool isWritten) {
    tensor = findGlobalRegion(launch, bound.address);
    // Pieces that follow one another in the tensor are looked up together.
    for (size_t begin = 0, end; begin < pieces.size(); begin = end) {
      uint64_t bytes = pieces[begin].bytes;
      for (end = begin + 1; end < pieces.size() && follows(end); ++end)
        bytes += pieces[end].bytes;
      if (pieces[begin].global == BoxPiece::kOutside)
        continue;
      std::optional<MemoryRange> range = issue.findGlobal(
          bound.address + pieces[begin].global, bytes, isWritten);
      if (!range || !isOfTensor(launch, *range, isWritten))
        return false;
      rows.push_back(*range);
    }
    return true;
  }

  void watch(AccessKind onShared, Epoch sharedDone, AccessKind onGlobal,
             Epoch globalDone) {
    for (const MemoryRange &row : rows)
      issue.watch(row, onGlobal, globalDone);
    if (bound.map.getRowPitchBytes() * getNumRows() == bound.map.getBoxBytes())
      return issue.watch(shared, onShared, sharedDone);
    for (const BoxPiece &piece : pieces)
      issue.watch({shared.owner, shared.region, piece.shared, piece.bytes},
                  onShared, sharedDone);
  }

  BulkCopy toShared() const {
    BulkCopy copy;
    for (const BoxPiece &piece : pieces)
      copy.pieces.push_back(
          {hostOf(piece.shared), globalOf(piece), piece.bytes});
    return copy;
  }
  BulkCopy toGlobal() const {
    BulkCopy copy;
    for (const BoxPiece &piece : pieces)
      if (uint8_t *to = globalOf(piece))
        copy.pieces.push_back({to, hostOf(piece.shared), piece.bytes});
    return copy;
  }

private:
  /// A tensor is one buffer's: a stride that is too large may hit the next one.
  bool isOfTensor(const LaunchContext &launch, const MemoryRange &row,
                  bool isWritten) {
    if (row.region == tensor)
      return true;
    issue.report(FindingKind::OutOfBounds,
                 "bulk copy would {0} {1} bytes of {2} by a tensor map of {3}",
                 isWritten ? "write" : "read", row.bytes,
                 describeBuffer(launch, *row.region),
                 tensor ? describeBuffer(launch, *tensor) : "no buffer");
    return false;
  }
  bool follows(size_t index) const {
    const BoxPiece &before = pieces[index - 1], &piece = pieces[index];
    if (before.global == BoxPiece::kOutside)
      return piece.global == BoxPiece::kOutside;
    return piece.global == before.global + int64_t(before.bytes);
  }
  uint64_t getNumRows() const {
    return bound.map.getSharedBytes() / bound.map.getRowPitchBytes();
  }
  uint8_t *hostOf(uint64_t sharedAddress) const {
    return shared.region->host + (sharedAddress - shared.region->base);
  }
  uint8_t *globalOf(const BoxPiece &piece) const {
    if (piece.global == BoxPiece::kOutside)
      return nullptr;
    return tensor->host + (bound.address + piece.global - tensor->base);
  }

  CopyIssue &issue;
  const BoundTensorMap &bound;
  const MemoryRange &shared;
  const Region *tensor = nullptr; ///< that its first element lies in
  llvm::SmallVector<BoxPiece, 64> pieces;
  llvm::SmallVector<MemoryRange, 64> rows; ///< all of them in `tensor`
};

/// Slots: destination, tensor map and coordinates, mbarrier, then the blocks of
/// a multicast.
Outcome loadBox(ExecutionState &state, const Instruction &instruction) {
  const unsigned signalSlot = 2 + instruction.vectorSize;
  BoxOperand boxes(state, instruction, 1, 1);
  std::array<uint64_t, warpSize> to, signals;
  computeAddresses(state, instruction, 0, instruction.slots[0], to);
  computeAddresses(state, instruction, 2, instruction.slots[signalSlot],
                   signals);
  const uint16_t *masks =
      instruction.variant & isMulticast
          ? state.lanes<uint16_t>(instruction.slots[signalSlot + 1])
          : nullptr;
  const bool mayBeRemote = !(instruction.variant & onlyOwn);
  const LaunchContext &launch = state.worker->launch;
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    CopyIssue issue(state, lane);
    std::optional<BoundTensorMap> bound = boxes.findMap(issue, lane);
    if (!bound || !issue.isAligned(to[lane], kBoxAlignBytes, "the box"))
      continue;
    forEachDestination(
        issue, to[lane], signals[lane], mayBeRemote,
        masks ? &masks[lane] : nullptr,
        [&](uint64_t address, Block &owner, uint32_t signal) {
          auto shared = issue.findShared(address, bound->map.getSharedBytes(),
                                         /*mayBeRemote=*/true,
                                         /*isWritten=*/true);
          if (!shared)
            return;
          BoxCopy box(issue, *bound, boxes.getCoordinates(lane), *shared);
          std::optional<Epoch> done = issue.findSignal(owner, signal);
          if (!done || !box.findGlobal(launch, /*isWritten=*/false))
            return;
          box.watch(AccessKind::Write, *done, AccessKind::Read, *done);
          issue.start(box.toShared(), owner, signal, bound->map.getBoxBytes());
        });
  }
  noteProgress(state);
  return Outcome::Next;
}
Handler selectLoad(const Form &form, Instruction &instruction) {
  instruction.space = Space::Shared;
  instruction.vectorSize = form.pieces[4].front() - '0';
  instruction.variant = (form.has("multicast::cluster") ? isMulticast : 0) |
                        (form.has("shared::cta") ? onlyOwn : 0);
  return loadBox;
}

/// Slots: tensor map and coordinates, source.
Outcome storeBox(ExecutionState &state, const Instruction &instruction) {
  BoxOperand boxes(state, instruction, 0, 0);
  std::array<uint64_t, warpSize> from;
  computeAddresses(state, instruction, 1,
                   instruction.slots[1 + instruction.vectorSize], from);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    CopyIssue issue(state, lane);
    std::optional<BoundTensorMap> bound = boxes.findMap(issue, lane);
    if (!bound || !issue.isAligned(from[lane], kBoxAlignBytes, "the box"))
      continue;
    auto shared = issue.findShared(from[lane], bound->map.getSharedBytes(),
                                   /*mayBeRemote=*/false, /*isWritten=*/false);
    if (!shared)
      continue;
    BoxCopy box(issue, *bound, boxes.getCoordinates(lane), *shared);
    if (!box.findGlobal(state.worker->launch, /*isWritten=*/true))
      continue;
    box.watch(AccessKind::Read, issue.readEpoch(), AccessKind::Write,
              issue.writeEpoch());
    issue.startInGroup(box.toGlobal());
  }
  noteProgress(state);
  return Outcome::Next;
}
Handler selectStore(const Form &form, Instruction &instruction) {
  instruction.space = Space::Shared;
  instruction.vectorSize = form.pieces[4].front() - '0';
  return storeBox;
}

/// Fetches a box, or just its map: they are looked at, and no more.
Outcome prefetchBox(ExecutionState &state, const Instruction &instruction) {
  BoxOperand boxes(state, instruction, 0, 0);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    CopyIssue issue(state, lane);
    boxes.findMap(issue, lane);
  }
  return Outcome::Next;
}
Handler selectPrefetch(const Form &form, Instruction &instruction) {
  instruction.vectorSize = form.pieces[5].front() - '0';
  return prefetchBox;
}

Outcome ignore(ExecutionState &, const Instruction &) { return Outcome::Next; }
Handler selectPrefetchMap(const Form &form, Instruction &instruction) {
  instruction.space = spaceOf(form);
  return ignore;
}

#define MIRAGE_TENSOR "1d|2d|3d|4d|5d"
#define MIRAGE_COMPLETES "mbarrier::complete_tx::bytes"

const Row rows[] = {
    {"cp.async.bulk.tensor." MIRAGE_TENSOR
     ".shared::cluster|shared::cta.global[.tile]." MIRAGE_COMPLETES,
     "m v m", InstructionClass::AsyncCopy, selectLoad,
     "sm_90 8.0; shared::cta: any 8.6"},
    {"cp.async.bulk.tensor." MIRAGE_TENSOR
     ".shared::cluster|shared::cta.global[.tile]." MIRAGE_COMPLETES
     ".L2::cache_hint",
     "m v m b64", InstructionClass::AsyncCopy, selectLoad,
     "sm_90 8.0; shared::cta: any 8.6"},
    {"cp.async.bulk.tensor." MIRAGE_TENSOR
     ".shared::cluster.global[.tile]." MIRAGE_COMPLETES
     ".multicast::cluster[.L2::cache_hint]",
     "m v m b16 ?b64", InstructionClass::AsyncCopy, selectLoad, "sm_90 8.0"},
    {"cp.async.bulk.tensor." MIRAGE_TENSOR
     ".global.shared::cta[.tile].bulk_group[.L2::cache_hint]",
     "v m ?b64", InstructionClass::AsyncCopy, selectStore, "sm_90 8.0"},
    {"cp.async.bulk.prefetch.tensor." MIRAGE_TENSOR
     ".L2.global[.tile][.L2::cache_hint]",
     "v ?b64", InstructionClass::AsyncCopy, selectPrefetch, "sm_90 8.0"},
    {"prefetch[.param|const].tensormap", "m", InstructionClass::OtherMemory,
     selectPrefetchMap, "sm_90 8.0"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::tensorCopyRows() { return rows; }
