//===- Launch.h - Runs one kernel of a module on the CPU --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_EMULATOR_LAUNCH_H
#define MIRAGE_EMULATOR_LAUNCH_H

#include "Mirage/Emulator/Counters.h"
#include "Mirage/Emulator/Finding.h"
#include "Mirage/Emulator/Module.h"
#include "Mirage/Layout/TensorMap.h"

#include "llvm/Support/Error.h"

namespace mlir::mirage::emulator {

/// What a buffer is to the kernel, and so which of its bytes are defined when
/// the launch starts and which must be when it ends.
enum class BufferKind : uint8_t {
  Input,     ///< defined; the kernel must not write it
  Output,    ///< undefined but for what was written before; all other bytes but
             ///< gaps must be written
  InOut,     ///< defined; may be written
  Workspace, ///< undefined but for what was written before; may be written
};

/// Bytes from `begin` up to `end`.
struct ByteRange {
  uint64_t begin = 0, end = 0;
};

/// Device memory, backed by host memory that the caller owns. Buffers get
/// device addresses far apart, so that one element past the end is noticed.
struct Buffer {
  std::string name; ///< for messages
  void *data = nullptr;
  uint64_t sizeBytes = 0;
  BufferKind kind = BufferKind::InOut;
  /// What lies between the tensor's elements, in ascending order: not the
  /// kernel's to write.
  std::vector<ByteRange> gaps = {};
  /// Of an output or a workspace: what earlier launches wrote, and so is
  /// defined, in ascending order with other bytes between any two.
  std::vector<ByteRange> written = {};
};

/// One argument: the address of a place in a buffer, plain bytes, or a tensor
/// map of 128 bytes.
class Argument {
public:
  static Argument pointer(unsigned bufferIndex, uint64_t offsetBytes = 0);
  static Argument bytes(llvm::ArrayRef<uint8_t> value);
  /// Of a tensor whose first element lies at this place in a buffer.
  static Argument tensorMap(unsigned bufferIndex, TensorMap map,
                            uint64_t offsetBytes = 0);
  template <typename T>
  static Argument scalar(T value) {
    return bytes(llvm::ArrayRef<uint8_t>(
        reinterpret_cast<const uint8_t *>(&value), sizeof(T)));
  }

  bool isPointer() const { return buffer >= 0 && !isTensorMap(); }
  bool isTensorMap() const { return map.getRank() != 0; }
  bool namesBuffer() const { return buffer >= 0; }
  unsigned bufferIndex() const { return static_cast<unsigned>(buffer); }
  uint64_t offsetBytes() const { return offset; }
  llvm::ArrayRef<uint8_t> value() const { return raw; }
  const TensorMap &getTensorMap() const { return map; }

private:
  int64_t buffer = -1;
  uint64_t offset = 0;
  std::vector<uint8_t> raw;
  TensorMap map;
};

/// What a launch did to bytes of a buffer.
struct BufferUse {
  unsigned buffer = 0; ///< index
  ByteRange bytes;
  bool isWrite = false; ///< else it only read them
};

/// What an earlier launch does, which may not have ended when this one starts
/// (programmatic dependent launch).
struct UnfinishedUse : BufferUse {
  /// Over once griddepcontrol.wait has been executed. Not so for grids before
  /// the last one, if that one ended without waiting for them.
  bool endsAtWait = true;
};

/// How much the emulator watches. Addresses are always checked.
enum class Checks : uint8_t {
  None,
  Race, ///< races, barriers and copies
  All,  ///< also uninitialised reads and unwritten outputs
};

/// When the bytes of an asynchronous copy arrive, and the results of a wgmma:
/// all are legal, and a correct kernel cannot tell. Mixed: each as a generator
/// with LaunchConfig::scheduleSeed says.
enum class AsyncDelivery : uint8_t { WhenWaitedFor, AtOnce, Mixed };

struct LaunchConfig {
  std::string kernel;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  /// Blocks along each axis that start together and may wait for one another;
  /// whole clusters fill the grid.
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
  /// May start before earlier launches have ended (programmatic dependent
  /// launch). Accesses that conflict with what these do are races.
  bool isDependent = false;
  std::vector<UnfinishedUse> unfinished;

  /// Of the host; results do not depend on it, but for what else ran before a
  /// block met the step limit.
  unsigned threads = 1;
  Checks checks = Checks::All;
  AsyncDelivery asyncDelivery = AsyncDelivery::WhenWaitedFor;
  /// 0: warps of a block take turns in their order; otherwise in random ones.
  uint64_t scheduleSeed = 0;
  /// Warp instructions one block may execute before it is stopped, and the
  /// launch with it: some 8 s of arithmetic (docs/Emulator.md, "Speed").
  uint64_t stepLimitPerBlock = uint64_t(1) << 29;
  unsigned maxFindings = 100; ///< distinct ones
  /// The device that is imitated, which is one that the PTX is for: how many
  /// blocks run at a time, where blocks wait for one another, follows from it.
  uint32_t numSMs = 132;
};

struct LaunchResult {
  Counters counters;
  std::vector<Finding> findings; ///< in the order of PTX lines
  /// Distinct findings beyond `maxFindings`, not listed.
  uint64_t findingsLeftOut = 0;
  /// False if a block was stopped: deadlock, step limit, trap, ...
  bool completed = true;
  /// True if any blocks of this kernel can talk to one another (atomics,
  /// volatile or ordered accesses, fences); they then ran interleaved on one
  /// host thread. Those of one cluster always run so.
  bool blocksCommunicate = false;

  /// Of buffers that the launch may write, with checks on.
  std::vector<BufferUse> uses;
  /// Each block executed griddepcontrol.wait: when the grid has ended, so have
  /// the ones before it.
  bool waitedForEarlierGrids = false;

  /// No finding but warnings.
  bool isClean() const;
};

/// Runs a kernel to its end and checks it on the way. Blocks are independent
/// state machines; without communication between them they run in parallel.
/// \returns an error if the launch contradicts the kernel (unknown name, number
///          or size of arguments, more threads or shared memory than allowed)
///          or asks for what devices of the PTX's target do not have, or does
///          what the emulator cannot.
///          Faults of the kernel itself are findings.
llvm::Expected<LaunchResult> launch(const Module &module,
                                    const LaunchConfig &config);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_EMULATOR_LAUNCH_H
