//===- HandlersMatrix.cpp - ldmatrix, stmatrix, movmatrix -----------------===//
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

namespace {

//===----------------------------------------------------------------------===//
// 8x8 matrices of 16-bit elements
//===----------------------------------------------------------------------===//

using Matrix = uint16_t[8][8];

/// Four lanes hold a row, two neighbours each: 32 registers are the matrix as
/// it lies in memory.
void toRegister(const Matrix &matrix, bool isTransposed, uint32_t *lanes) {
  static_assert(sizeof(matrix) == warpSize * sizeof(*lanes));
  Matrix rows;
  std::memcpy(rows, matrix, sizeof(rows));
  if (isTransposed)
    host::transposeMatrix(rows[0], rows[0]);
  std::memcpy(lanes, rows, sizeof(rows));
}

void fromRegister(const uint32_t *lanes, bool isTransposed, Matrix &matrix) {
  std::memcpy(matrix, lanes, sizeof(matrix));
  if (isTransposed)
    host::transposeMatrix(matrix[0], matrix[0]);
}

/// Accesses rows of 8x8 matrices: lane l names the 16 bytes of row l % 8 of
/// matrix l / 8; lanes beyond the last matrix do not take part.
void accessRows(const ExecutionState &state, const Instruction &instruction,
                uint32_t slot, AccessKind kind,
                llvm::function_ref<void(const MemoryAccess &)> use) {
  AccessRequest request;
  request.slot = slot;
  request.space = instruction.space;
  request.bytes = 16;
  request.kind = kind;
  request.isRowWise = true;
  const unsigned count = instruction.vectorSize;
  ExecutionState naming = state;
  naming.active = count == 4 ? allLanes : (1u << (8 * count)) - 1;
  accessMemory(naming, instruction, request, use);
}

/// Variant: transposed or not.
Outcome loadMatrix(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!requireWholeWarp(state, "ldmatrix", outcome))
    return outcome;
  state.warp->clock.meetLanes();
  unsigned count = instruction.vectorSize;
  Matrix matrices[4] = {};
  accessRows(state, instruction, instruction.slots[count], AccessKind::Read,
             [&](const MemoryAccess &access) {
               for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
                 unsigned lane = llvm::countr_zero(rest);
                 std::memcpy(matrices[lane / 8][lane % 8], access.host(lane),
                             16);
               }
             });
  for (unsigned i = 0; i < count; ++i)
    toRegister(matrices[i], instruction.variant,
               state.lanes<uint32_t>(instruction.slots[i]));
  return Outcome::Next;
}

Outcome storeMatrix(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!requireWholeWarp(state, "stmatrix", outcome))
    return outcome;
  state.warp->clock.meetLanes();
  Matrix matrices[4];
  for (unsigned i = 0; i < instruction.vectorSize; ++i)
    fromRegister(state.lanes<uint32_t>(instruction.slots[1 + i]),
                 instruction.variant, matrices[i]);
  accessRows(state, instruction, instruction.slots[0], AccessKind::Write,
             [&](const MemoryAccess &access) {
               for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
                 unsigned lane = llvm::countr_zero(rest);
                 std::memcpy(access.host(lane), matrices[lane / 8][lane % 8],
                             16);
               }
             });
  noteProgress(state);
  return Outcome::Next;
}

Outcome transposeMatrix(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!requireWholeWarp(state, "movmatrix", outcome))
    return outcome;
  state.warp->clock.meetLanes();
  Matrix matrix;
  fromRegister(state.lanes<uint32_t>(instruction.slots[1]), false, matrix);
  toRegister(matrix, true, state.lanes<uint32_t>(instruction.slots[0]));
  return Outcome::Next;
}

void setUp(const Form &form, Instruction &instruction) {
  instruction.vectorSize = form.has("x4") ? 4 : form.has("x2") ? 2 : 1;
  instruction.variant = form.has("trans");
  instruction.space = spaceOf(form);
}
Handler selectLoad(const Form &form, Instruction &instruction) {
  setUp(form, instruction);
  return loadMatrix;
}
Handler selectStore(const Form &form, Instruction &instruction) {
  setUp(form, instruction);
  return storeMatrix;
}
Handler selectTranspose(const Form &, Instruction &) { return transposeMatrix; }

const Row rows[] = {
    {"ldmatrix.sync.aligned.m8n8.x1|x2|x4[.trans][.shared|shared::cta].b16",
     "=b32* m", InstructionClass::SharedMemory, selectLoad, "sm_75 6.5"},
    {"stmatrix.sync.aligned.m8n8.x1|x2|x4[.trans][.shared|shared::cta].b16",
     "m b32*", InstructionClass::SharedMemory, selectStore, "sm_90 7.8"},
    {"movmatrix.sync.aligned.m8n8.trans.b16", "=b32 b32",
     InstructionClass::Shuffle, selectTranspose, "sm_75 7.8"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::matrixRows() { return rows; }
