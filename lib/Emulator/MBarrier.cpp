//===- MBarrier.cpp - Barrier objects in shared memory --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MBarrier.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage::emulator;

static bool isBefore(const std::unique_ptr<MBarrier> &object,
                     uint64_t address) {
  return object->address < address;
}

MBarrier *MBarriers::find(uint32_t address) const {
  auto found = llvm::lower_bound(live, address, isBefore);
  return found != live.end() && (*found)->address == address ? found->get()
                                                             : nullptr;
}

MBarrier *MBarriers::findOverlap(uint64_t begin, uint64_t end) const {
  if (live.empty() || end <= live.front()->address ||
      begin >= live.back()->address + bytes)
    return nullptr;
  auto found =
      llvm::lower_bound(live, begin < bytes ? 0 : begin - bytes + 1, isBefore);
  return found != live.end() && (*found)->address < end ? found->get()
                                                        : nullptr;
}

MBarrier *MBarriers::init(uint32_t address, uint32_t count, Epoch when,
                          uint32_t pc) {
  auto known = llvm::find_if(
      past, [&](const Past &one) { return one.address == address; });
  if (known == past.end()) {
    if (past.size() == agents::maxMBarriers)
      return nullptr;
    past.push_back({address, 0});
    known = past.end() - 1;
  }
  auto object = std::make_unique<MBarrier>();
  object->address = address;
  object->agent = agents::mbarriers + (known - past.begin());
  object->initialised = object->published = when;
  object->initPc = pc;
  object->expected = object->pending = count;
  object->phasesBefore = known->phases;
  auto place = llvm::lower_bound(live, address, isBefore);
  return live.insert(place, std::move(object))->get();
}

void MBarriers::invalidate(uint32_t address) {
  auto found = llvm::lower_bound(live, address, isBefore);
  // The phase that is under way is over, for whoever comes after it.
  past[(*found)->agent - agents::mbarriers].phases = (*found)->phaseClock();
  live.erase(found);
}

void MBarriers::clear() {
  live.clear();
  past.clear();
}
