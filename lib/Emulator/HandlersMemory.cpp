//===- HandlersMemory.cpp - ld and st -------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "HostKernels.h"
#include "LaneLoop.h"
#include "MemoryAccess.h"

using namespace mlir::mirage::emulator;
using llvm::StringRef;

Space mlir::mirage::emulator::spaceOf(const Form &form) {
  Space space = Space::Generic;
  for (StringRef piece : form.pieces)
    if (!piece.empty() && parseSpace(("." + piece).str(), space))
      break;
  return space;
}

MemoryOrder mlir::mirage::emulator::orderOf(const Form &form) {
  MemoryOrder order;
  if (form.has("relaxed") || form.has("volatile") || form.has("mmio"))
    order.ordering = Ordering::Relaxed;
  if (form.has("acquire"))
    order.ordering = Ordering::Acquire;
  if (form.has("release"))
    order.ordering = Ordering::Release;
  if (form.has("acq_rel") || form.has("sc"))
    order.ordering = Ordering::AcqRel;
  order.blockScope = form.has("cta");
  return order;
}

namespace {

/// Moves one register of each lane. `offset` is its place behind the address.
/// Memory elements of E, registers of R; signed ones are extended.
template <typename E, typename R>
void loadRegister(const MemoryAccess &access, unsigned offset, R *registers) {
  if (access.isContiguous && access.bytes == sizeof(E)) {
    const uint8_t *source = access.host(0);
    MIRAGE_LANE_LOOP
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      E element;
      std::memcpy(&element, source + lane * sizeof(E), sizeof(E));
      registers[lane] = R(element);
    }
    return;
  }
  for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    E element;
    std::memcpy(&element, access.host(lane) + offset, sizeof(E));
    registers[lane] = R(element);
  }
}

template <typename E, typename R>
void storeRegister(const MemoryAccess &access, unsigned offset,
                   const R *registers) {
  if (access.isContiguous && access.bytes == sizeof(E)) {
    uint8_t *destination = access.host(0);
    MIRAGE_LANE_LOOP
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      E element = E(registers[lane]);
      std::memcpy(destination + lane * sizeof(E), &element, sizeof(E));
    }
    return;
  }
  for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    E element = E(registers[lane]);
    std::memcpy(access.host(lane) + offset, &element, sizeof(E));
  }
}

struct Bytes16 {
  uint64_t low, high;
};

template <typename E>
void moveAs(ExecutionState &state, const Instruction &instruction,
            const MemoryAccess &access, unsigned index, bool isLoad) {
  uint32_t slot = instruction.slots[isLoad ? index : index + 1];
  unsigned offset = index * sizeof(E);
  unsigned bytes = isLoad ? instruction.resultBytes : instruction.sourceBytes;
  auto with = [&](auto *registers) {
    using R = std::remove_reference_t<decltype(*registers)>;
    isLoad ? loadRegister<E, R>(access, offset, registers)
           : storeRegister<E, R>(access, offset, registers);
  };
  if constexpr (sizeof(E) == 16) {
    with(state.lanes<Bytes16>(slot));
  } else {
    if constexpr (sizeof(E) <= 2)
      if (bytes == 2)
        return with(state.lanes<uint16_t>(slot));
    if constexpr (sizeof(E) <= 4)
      if (bytes == 4)
        return with(state.lanes<uint32_t>(slot));
    with(state.lanes<uint64_t>(slot));
  }
}

void moveRegister(ExecutionState &state, const Instruction &instruction,
                  const MemoryAccess &access, unsigned index, bool isLoad) {
  bool extends = instruction.signExtends && isLoad;
  switch (instruction.elementBytes) {
  case 1:
    return extends ? moveAs<int8_t>(state, instruction, access, index, isLoad)
                   : moveAs<uint8_t>(state, instruction, access, index, isLoad);
  case 2:
    return extends
               ? moveAs<int16_t>(state, instruction, access, index, isLoad)
               : moveAs<uint16_t>(state, instruction, access, index, isLoad);
  case 4:
    return extends
               ? moveAs<int32_t>(state, instruction, access, index, isLoad)
               : moveAs<uint32_t>(state, instruction, access, index, isLoad);
  case 8:
    return moveAs<uint64_t>(state, instruction, access, index, isLoad);
  default:
    return moveAs<Bytes16>(state, instruction, access, index, isLoad);
  }
}

/// Moves all registers of each lane, words of the whole warp as vectors.
/// \returns false if they are no such words.
bool moveVectors(ExecutionState &state, const Instruction &instruction,
                 const MemoryAccess &access, bool isLoad) {
  constexpr unsigned wordBytes = 4;
  const unsigned size = instruction.vectorSize, bytes = size * wordBytes;
  if (access.mask != allLanes || instruction.elementBytes != wordBytes ||
      (isLoad ? instruction.resultBytes : instruction.sourceBytes) !=
          wordBytes ||
      (size != 2 && size != 4))
    return false;
  std::array<uint32_t *, 4> registers;
  for (unsigned i = 0; i < size; ++i)
    registers[i] = state.lanes<uint32_t>(instruction.slots[isLoad ? i : i + 1]);
  alignas(64) uint8_t gathered[warpSize * 4 * wordBytes];
  uint8_t *memory = access.isContiguous ? access.host(0) : gathered;
  auto forEachLane = [&](auto copy) {
    if (!access.isContiguous)
      for (unsigned lane = 0; lane < warpSize; ++lane)
        copy(gathered + lane * bytes, access.host(lane));
  };
  if (isLoad) {
    forEachLane([&](uint8_t *vector, const uint8_t *place) {
      std::memcpy(vector, place, bytes);
    });
    host::splitVectors(registers.data(), memory, size);
  } else {
    host::joinVectors(memory, registers.data(), size);
    forEachLane([&](const uint8_t *vector, uint8_t *place) {
      std::memcpy(place, vector, bytes);
    });
  }
  return true;
}

void moveRegisters(ExecutionState &state, const Instruction &instruction,
                   const MemoryAccess &access, bool isLoad) {
  if (!moveVectors(state, instruction, access, isLoad))
    for (unsigned i = 0; i < instruction.vectorSize; ++i)
      moveRegister(state, instruction, access, i, isLoad);
}

uint32_t unusedBytesOf(const Instruction &instruction) {
  unsigned bytes = instruction.elementBytes;
  uint32_t part = (1u << bytes) - 1, unused = 0;
  for (unsigned i = 0; i < instruction.vectorSize; ++i)
    if (instruction.unusedParts >> i & 1)
      unused |= part << i * bytes;
  return unused;
}

AccessRequest requestFor(const Instruction &instruction, bool isLoad) {
  AccessRequest request;
  request.slot = instruction.slots[isLoad ? instruction.vectorSize : 0];
  request.space = instruction.space;
  request.bytes = instruction.elementBytes * instruction.vectorSize;
  request.kind = isLoad ? AccessKind::Read : AccessKind::Write;
  if (isLoad && instruction.unusedParts)
    request.unusedBytes = unusedBytesOf(instruction);
  return request;
}

Outcome load(ExecutionState &state, const Instruction &instruction) {
  uint32_t served =
      accessMemory(state, instruction, requestFor(instruction, true),
                   [&](const MemoryAccess &access) {
                     moveRegisters(state, instruction, access, true);
                   });
  // Lanes with a bad address read zeros.
  for (uint32_t rest = state.active & ~served; rest; rest &= rest - 1)
    for (unsigned i = 0; i < instruction.vectorSize; ++i)
      std::memset(state.lanes<uint8_t>(instruction.slots[i]) +
                      size_t(llvm::countr_zero(rest)) * instruction.resultBytes,
                  0, instruction.resultBytes);
  return Outcome::Next;
}

/// Whether another lane of a store writes other bytes to the place of `lane`.
/// Places are the same or apart, as each is aligned to its size.
bool conflictsWithin(const MemoryAccess &access, const uint8_t *source,
                     unsigned stride, unsigned bytes, unsigned lane) {
  for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
    unsigned other = llvm::countr_zero(rest);
    if (access.address[other] == access.address[lane] &&
        std::memcmp(source + size_t(other) * stride,
                    source + size_t(lane) * stride, bytes) != 0)
      return true;
  }
  return false;
}

/// Lanes of one store that write different bytes to one place: whose stay is
/// not defined. Looks whether memory holds what each lane wrote; where it does
/// not, the block of another host thread may have been there, too.
void checkStoreConflicts(ExecutionState &state, const Instruction &instruction,
                         const MemoryAccess &access) {
  if (access.firstLanes == access.mask || !state.worker->watchesRaces())
    return;
  unsigned bytes = instruction.elementBytes;
  for (unsigned i = 0; i < instruction.vectorSize; ++i) {
    const uint8_t *source = state.lanes<uint8_t>(instruction.slots[i + 1]);
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      if (std::memcmp(access.host(lane) + i * bytes,
                      source + size_t(lane) * instruction.sourceBytes,
                      bytes) == 0 ||
          !conflictsWithin(access, source, instruction.sourceBytes, bytes,
                           lane))
        continue;
      state.report(FindingKind::StoreConflict, lane, [] {
        return std::string("lanes of one store write different values to the "
                           "same address");
      });
      return;
    }
  }
}

Outcome store(ExecutionState &state, const Instruction &instruction) {
  accessMemory(state, instruction, requestFor(instruction, false),
               [&](const MemoryAccess &access) {
                 moveRegisters(state, instruction, access, false);
                 checkStoreConflicts(state, instruction, access);
               });
  noteProgress(state);
  return Outcome::Next;
}

/// Parameters are read by every thread in the same way: no checks but bounds.
Outcome loadParameter(ExecutionState &state, const Instruction &instruction) {
  AccessRequest request = requestFor(instruction, true);
  request.isWatched = false;
  accessMemory(state, instruction, request, [&](const MemoryAccess &access) {
    moveRegisters(state, instruction, access, true);
  });
  return Outcome::Next;
}

/// Loads that may read what another thread is writing: relaxed, acquire,
/// volatile.
Outcome loadOrdered(ExecutionState &state, const Instruction &instruction) {
  MemoryOrder order = MemoryOrder::unpack(instruction.variant);
  AccessRequest request = requestFor(instruction, true);
  request.kind = AccessKind::AtomicRead;
  llvm::SmallVector<const uint8_t *, 32> places;
  accessMemory(state, instruction, request, [&](const MemoryAccess &access) {
    moveRegisters(state, instruction, access, true);
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      places.push_back(access.host(lane));
      synchronizeRead(state, access, lane, order);
    }
  });
  return notePolling(state, request.bytes, hashPlaces(request.bytes, places),
                     places);
}

Outcome storeOrdered(ExecutionState &state, const Instruction &instruction) {
  MemoryOrder order = MemoryOrder::unpack(instruction.variant);
  AccessRequest request = requestFor(instruction, false);
  request.kind = AccessKind::Atomic;
  accessMemory(state, instruction, request, [&](const MemoryAccess &access) {
    moveRegisters(state, instruction, access, false);
    for (uint32_t rest = access.mask; rest; rest &= rest - 1)
      synchronizeWrite(state, access, llvm::countr_zero(rest), order, false);
    checkStoreConflicts(state, instruction, access);
  });
  if (order.releases())
    state.warp->clock.tick();
  noteProgress(state);
  return Outcome::Next;
}

InstructionClass classOf(Space space) {
  switch (space) {
  case Space::Generic:
  case Space::Global:
    return InstructionClass::GlobalMemory;
  case Space::Shared:
  case Space::Cluster:
    return InstructionClass::SharedMemory;
  default:
    return InstructionClass::OtherMemory;
  }
}

void setUp(const Form &form, Instruction &instruction) {
  instruction.space = spaceOf(form);
  instruction.instructionClass = classOf(instruction.space);
  instruction.signExtends = isSigned(form.type());
  MemoryOrder order = orderOf(form);
  instruction.variant = order.pack();
  instruction.communicates =
      order.ordering != Ordering::Weak &&
      instruction.instructionClass == InstructionClass::GlobalMemory;
}

/// PTX has vectors of up to 32 bytes (ld.v4.b64 of sm_100).
bool isTooWide(const Instruction &instruction) {
  return instruction.elementBytes * instruction.vectorSize > 32;
}

Handler selectLoad(const Form &form, Instruction &instruction) {
  if (isTooWide(instruction))
    return nullptr;
  setUp(form, instruction);
  if (MemoryOrder::unpack(instruction.variant).ordering != Ordering::Weak)
    return loadOrdered;
  return instruction.space == Space::Param ? loadParameter : load;
}

Handler selectStore(const Form &form, Instruction &instruction) {
  if (isTooWide(instruction))
    return nullptr;
  setUp(form, instruction);
  return MemoryOrder::unpack(instruction.variant).ordering != Ordering::Weak
             ? storeOrdered
             : store;
}

/// Hints that change nothing here.
Outcome ignore(ExecutionState &, const Instruction &) { return Outcome::Next; }
Handler selectIgnore(const Form &, Instruction &) { return ignore; }

#define MIRAGE_MEMORY_TYPES                                                    \
  "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64"
#define MIRAGE_SCOPES "cta|cluster|gpu|sys"
#define MIRAGE_L1_HINTS                                                        \
  "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|"       \
  "L1::no_allocate"
#define MIRAGE_CACHE "ca|cg|cs|lu|cv|wb|wt"
#define MIRAGE_SHARED "shared|shared::cta|shared::cluster"

const Row rows[] = {
    {"ld[.weak][.global|" MIRAGE_SHARED "|local|param|const][." MIRAGE_CACHE
     "][.nc][." MIRAGE_L1_HINTS "][.L2::64B|L2::128B|L2::256B]"
     "[.v2|v4]." MIRAGE_MEMORY_TYPES,
     "=T+* m", InstructionClass::GlobalMemory, selectLoad,
     "v4+b64|u64|s64|f64: sm_100 8.8"},
    {"ld.volatile[.global|" MIRAGE_SHARED "|local][.v2|v4]"
     "." MIRAGE_MEMORY_TYPES,
     "=T+* m", InstructionClass::GlobalMemory, selectLoad,
     "v4+b64|u64|s64|f64: sm_100 8.8"},
    {"ld.relaxed|acquire." MIRAGE_SCOPES "[.global|" MIRAGE_SHARED
     "][.v2|v4]." MIRAGE_MEMORY_TYPES,
     "=T+* m", InstructionClass::GlobalMemory, selectLoad,
     "v4+b64|u64|s64|f64: sm_100 8.8"},
    {"st[.weak][.global|" MIRAGE_SHARED "|local][." MIRAGE_CACHE
     "][." MIRAGE_L1_HINTS "][.v2|v4]." MIRAGE_MEMORY_TYPES,
     "m T+*", InstructionClass::GlobalMemory, selectStore,
     "v4+b64|u64|s64|f64: sm_100 8.8"},
    {"st.volatile[.global|" MIRAGE_SHARED "|local][.v2|v4]"
     "." MIRAGE_MEMORY_TYPES,
     "m T+*", InstructionClass::GlobalMemory, selectStore,
     "v4+b64|u64|s64|f64: sm_100 8.8"},
    {"st.relaxed|release." MIRAGE_SCOPES "[.global|" MIRAGE_SHARED
     "][.v2|v4]." MIRAGE_MEMORY_TYPES,
     "m T+*", InstructionClass::GlobalMemory, selectStore,
     "v4+b64|u64|s64|f64: sm_100 8.8"},
    {"prefetch[.global|local].L1|L2|L2::evict_last|L2::evict_normal", "m",
     InstructionClass::OtherMemory, selectIgnore},
    {"prefetchu.L1", "m", InstructionClass::OtherMemory, selectIgnore},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::memoryRows() { return rows; }
