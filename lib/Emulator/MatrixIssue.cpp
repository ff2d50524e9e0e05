//===- MatrixIssue.cpp - A warp issues a wgmma ----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "MemoryAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;
using llvm::formatv;

namespace {

template <typename... Values>
void misuse(ExecutionState &state, const char *format,
            const Values &...values) {
  state.report(FindingKind::MatrixMisuse, state.firstLane(),
               [&]() -> std::string { return formatv(format, values...); });
}

/// Reads the operands behind the registers; lanes must agree on them.
class OperandReader {
public:
  OperandReader(ExecutionState &state, const Instruction &instruction)
      : state(state), slots(instruction.slots),
        shape(MatrixShape::unpack(instruction.variant)) {}

  MatrixProduct read(unsigned numFragments, unsigned numSlots) {
    MatrixProduct product;
    product.shape = shape;
    product.hasFragments = numFragments != 0;
    unsigned next = shape.numRegisters() + numFragments;
    if (!product.hasFragments)
      product.left = readUniform<uint64_t>(slots[next++], "left descriptor");
    product.right = readUniform<uint64_t>(slots[next++], "right descriptor");
    uint32_t accumulates = state.predicate(slots[next++]);
    if (accumulates != 0 && accumulates != allLanes)
      misuse(state, "expected one scale-d of wgmma in all lanes of a warp");
    product.accumulates = accumulates & 1;
    if (next == numSlots) // integers
      return product;
    product.isNegated = readSign(slots[next]) != readSign(slots[next + 1]);
    next += 2;
    if (next != numSlots && !product.hasFragments)
      product.leftMajor = readMajor(slots[next++]);
    if (next != numSlots)
      product.rightMajor = readMajor(slots[next++]);
    return product;
  }

private:
  template <typename T>
  T readUniform(uint32_t slot, const char *what) {
    const T *values = state.lanes<T>(slot);
    if (!llvm::all_equal(llvm::ArrayRef(values, warpSize)))
      misuse(state, "expected one {0} of wgmma in all lanes of a warp", what);
    return values[0];
  }
  bool readSign(uint32_t slot) {
    auto scale = int32_t(readUniform<uint32_t>(slot, "scale"));
    if (scale != 1 && scale != -1)
      misuse(state, "expected a scale of 1 or -1 of a wgmma operand, found {0}",
             scale);
    return scale < 0;
  }
  MatrixMajor readMajor(uint32_t slot) {
    auto transposes = readUniform<uint32_t>(slot, "transposition");
    if (transposes > 1)
      misuse(state,
             "expected a transposition of 0 or 1 of a wgmma operand, "
             "found {0}",
             transposes);
    return transposes ? MatrixMajor::MN : MatrixMajor::K;
  }

  ExecutionState &state;
  const uint32_t *slots;
  MatrixShape shape;
};

/// One warp issues a wgmma.
class Issue {
public:
  Issue(ExecutionState &state, const Instruction &instruction,
        MatrixGroup &group)
      : state(state), instruction(instruction), group(group),
        matrices(state.warp->matrices),
        registers(state.worker->launch.kernel.matrixRegisters),
        use(registers.uses.find(state.pc)->second),
        inGroup(state.warp->index % warpsPerGroup) {}

  /// \returns false after a report of what leaves nothing to go on with.
  bool run() {
    MatrixProduct product =
        OperandReader(state, instruction)
            .read(use.fragments.size(), instruction.numSlots);
    uint32_t number = ++matrices.issued;
    if (state.worker->watchesRaces())
      checkRegisters(product.shape);
    MatrixOperation &operation = group.at(number);
    enter(operation, product);
    if (operation.pc != state.pc) // and so perhaps of another shape
      return false;
    operation.accumulators[inGroup] = takeAccumulator(product, number);
    markRegisters(operation.accumulators[inGroup], number);
    const MatrixShape &shape = product.shape;
    state.worker->counters.matrixFlops +=
        2 * MatrixShape::rowsPerWarp * shape.columns * shape.depth();
    if (operation.isComplete())
      start(operation, number);
    return true;
  }

private:
  /// Operations that may be put off: a kernel that never waits takes no more
  /// memory than this.
  static constexpr size_t mostQueued = 64;

  /// A live accumulator of these very registers; none: -1.
  int32_t findAccumulator(const MatrixShape &shape) const {
    int32_t index = matrices.registers[use.numbers.front()].accumulator;
    if (index < 0)
      return -1;
    const MatrixAccumulator &accumulator = matrices.accumulators[index];
    bool isSame = accumulator.isLive && accumulator.shape == shape &&
                  *accumulator.numbers == use.numbers;
    return isSame ? index : -1;
  }

  void report(uint32_t number, const char *what) {
    const MatrixRegister &entry = matrices.registers[number];
    state.report(
        FindingKind::MatrixMisuse, 0,
        [&] { return formatv(what, registers.names[number]).str(); },
        matrices.isPending(entry) ? entry.pc : noPc);
  }

  void checkRegisters(const MatrixShape &shape) {
    if (findAccumulator(shape) < 0)
      for (uint32_t number : use.numbers) {
        const MatrixRegister &entry = matrices.registers[number];
        if (matrices.isPending(entry))
          return report(number, "accumulator {0} of wgmma belongs to another "
                                "one, of other registers or shape, that was "
                                "not waited for");
        if (entry.touched > matrices.fences)
          return report(number, "accumulator {0} of wgmma was used with no "
                                "wgmma.fence between");
      }
    for (uint32_t number : use.fragments) {
      const MatrixRegister &entry = matrices.registers[number];
      if (matrices.isPending(entry) && entry.accumulator >= 0)
        return report(number, "left operand {0} of wgmma is an accumulator of "
                              "another one that was not waited for");
      if (entry.touched > matrices.fences)
        return report(number, "left operand {0} of wgmma was used with no "
                              "wgmma.fence between");
    }
  }

  void enter(MatrixOperation &operation, const MatrixProduct &product) {
    uint32_t open = matrices.openGroup();
    if (operation.issuedBy == 0) {
      operation.instruction = &instruction;
      operation.pc = state.pc;
      operation.product = product;
      operation.group = open;
      operation.clock = state.warp->clock.startGroup();
    } else {
      if (operation.pc != state.pc || !(operation.product == product) ||
          operation.group != open)
        reportDifference(operation, product);
      operation.clock.addToGroup(state.warp->clock);
    }
    operation.issuedBy |= 1u << inGroup;
  }

  void reportDifference(const MatrixOperation &operation,
                        const MatrixProduct &product) {
    const char *what = operation.pc != state.pc       ? "instruction"
                       : operation.product == product ? "group"
                                                      : "operands";
    state.report(
        FindingKind::MatrixMisuse, 0,
        [&] {
          return formatv("expected one {0} of wgmma in all warps of a "
                         "warpgroup, and an earlier warp has another",
                         what)
              .str();
        },
        operation.pc);
  }

  /// Takes the accumulator out of its registers, unless a wgmma has it already.
  int32_t takeAccumulator(const MatrixProduct &product, uint32_t number) {
    int32_t index = findAccumulator(product.shape);
    if (index < 0) {
      index = newAccumulator();
      MatrixAccumulator &accumulator = matrices.accumulators[index];
      accumulator.shape = product.shape;
      accumulator.numbers = &use.numbers;
      accumulator.slots = instruction.slots;
      accumulator.values.resize(MatrixShape::rowsPerWarp *
                                product.shape.columns);
      if (product.accumulates)
        loadAccumulator(state.registers, accumulator);
    }
    MatrixAccumulator &accumulator = matrices.accumulators[index];
    bool wasInRegisters = !accumulator.isLive || accumulator.isStored;
    if (wasInRegisters &&
        state.worker->launch.config.asyncDelivery != AsyncDelivery::AtOnce)
      fillRegisters();
    accumulator.isLive = true;
    accumulator.isStored = false;
    accumulator.lastUse = number;
    return index;
  }

  int32_t newAccumulator() {
    auto found = llvm::find_if(matrices.accumulators,
                               [](const auto &entry) { return !entry.isLive; });
    if (found == matrices.accumulators.end())
      found = matrices.accumulators.emplace(found);
    return found - matrices.accumulators.begin();
  }

  void fillRegisters() {
    for (unsigned i = 0; i < use.numbers.size(); ++i)
      std::fill_n(state.lanes<uint32_t>(instruction.slots[i]), warpSize,
                  undefinedPattern);
  }

  void markRegisters(int32_t accumulator, uint32_t number) {
    auto mark = [&](uint32_t which, int32_t partOf) {
      MatrixRegister &entry = matrices.registers[which];
      entry.usedBy = number;
      entry.pc = state.pc;
      entry.accumulator = partOf;
    };
    for (uint32_t which : use.fragments)
      mark(which, -1);
    for (uint32_t which : use.numbers)
      mark(which, accumulator);
  }

  /// All four warps are here: shared memory is read from now on.
  void start(MatrixOperation &operation, uint32_t number) {
    operation.product.listPieces(operation.pieces);
    llvm::ArrayRef<uint32_t> addresses = operation.pieces;
    state.worker->counters.sharedLoadBytes +=
        addresses.size() * kMatrixPieceBytes;
    if (checkBounds(addresses) && state.worker->watchesRaces())
      watch(operation, addresses);
    if (state.worker->arrivesAtOnce())
      deliver(number);
    else if (group.countQueued() > mostQueued)
      group.carryOut(*state.block, firstWarpOf(state), number);
  }

  bool checkBounds(llvm::ArrayRef<uint32_t> addresses) {
    const Block &block = *state.block;
    for (uint32_t address : addresses) {
      if (block.sharedRegion.contains(address, kMatrixPieceBytes))
        continue;
      state.report(FindingKind::OutOfBounds, 0, [&] {
        return formatv("wgmma would read {0} bytes at shared address {1}, {2}",
                       kMatrixPieceBytes, address, describeShared(block))
            .str();
      });
      return false;
    }
    return true;
  }

  void watch(const MatrixOperation &operation,
             llvm::ArrayRef<uint32_t> addresses) {
    unsigned agent = agents::matrices + state.warp->index / warpsPerGroup;
    RangeAccess access{
        Epoch(state.block->number, agent, severalLanes, operation.group),
        AccessKind::Read};
    access.clock = &operation.clock;
    watchPieces(state, 0, *state.block, addresses, kMatrixPieceBytes, access);
  }

  void deliver(uint32_t number) {
    unsigned first = firstWarpOf(state);
    group.carryOut(*state.block, first, number);
    for (unsigned i = 0; i < warpsPerGroup; ++i)
      storeEarly(state.block->warps[first + i], number);
  }

  ExecutionState &state;
  const Instruction &instruction;
  MatrixGroup &group;
  WarpMatrices &matrices;
  const MatrixRegisters &registers;
  const MatrixRegisters::Use &use;
  unsigned inGroup;
};

} // namespace

bool mlir::mirage::emulator::issueProduct(ExecutionState &state,
                                          const Instruction &instruction,
                                          MatrixGroup &group) {
  return Issue(state, instruction, group).run();
}
