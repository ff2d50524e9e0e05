//===- ExplorerState.h - Boundaries, items and workers ----------*- C++ -*-===//
//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_EXPLORERSTATE_H
#define MIRAGE_LIB_SEARCH_EXPLORERSTATE_H

#include "Mirage/Search/Explorer.h"
#include "Mirage/Search/KernelTraffic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::mirage::search {

/// A kernel that leads from one boundary to another. Its inputs are inputs of
/// the program, then tensors of the boundary that it starts from.
struct Explorer::Way {
  unsigned from = 0;
  KernelStructure kernel;
  double leastUs = 0; ///< of this kernel alone
};

/// When the kernels of one size after a boundary were looked at. What bounds
/// cut off then is looked at again when the way to the boundary is cheaper.
struct Explorer::Look {
  double leastUs = 0, limitUs = 0;
  /// Those that it did not cut are done; none of a first look.
  const Look *before = nullptr;

  /// \param us  bound on the kernel and on what has to come after it.
  bool cuts(double us) const {
    return (leastUs + us) * kBoundRounding > limitUs;
  }
};

/// What there is between two kernels: tensors that the kernel before left, then
/// older ones. The first boundary has none.
struct Explorer::Boundary {
  unsigned position = 0; ///< how many kernels are before it
  std::vector<BoundaryTensor> tensors;
  unsigned numNew = 0; ///< of these, what the kernel before left
  std::vector<Way> ways;
  unsigned minOperators = 0; ///< of all kernels before
  /// What the kernels before cannot go below, by any way so far.
  double leastUs = 0;
  /// What they read of the program, a bit for each input. The same by all ways:
  /// what is read is used, and then an atom of some form, as no law cancels.
  llvm::SmallBitVector inputsRead;
  /// The last look at kernels of each size, those that are the last ones and
  /// others.
  std::map<std::pair<bool, unsigned>, Look> looks;
  struct LastKernel {
    KernelStructure kernel;
    double leastUs = 0; ///< of this kernel alone
  };
  /// By number of operators.
  std::map<unsigned, std::vector<LastKernel>> lastKernels;
  std::string hash = "start"; ///< of what it is

  /// What no kernel so far has computed of the program's outputs.
  llvm::SmallVector<unsigned> getOpenOutputs(unsigned numOutputs) const {
    llvm::SmallVector<unsigned> open;
    for (unsigned output = 0; output < numOutputs; ++output)
      if (llvm::none_of(tensors, [&](const BoundaryTensor &tensor) {
            return tensor.output == output;
          }))
        open.push_back(output);
    return open;
  }
};

/// One kernel's space: where it starts, what it reads, its axes.
struct Explorer::Item {
  unsigned boundary = 0;
  llvm::SmallVector<unsigned>
      read; ///< inputs of the program, then the boundary's
  bool isLast = true;
  unsigned numOperators = 0;
  KernelChoice choice;
};

/// What enumerating an item brought, or a share of one.
struct ItemResult {
  struct Found {
    KernelStructure kernel;
    std::vector<BoundaryTensor> tensors; ///< if it is not the last
    uint64_t prefix = 0;                 ///< that leads there
  };
  EnumerationCounts counts;
  std::vector<Found> found; ///< by prefix
  bool isComplete = false;
  bool isEnumerated = false; ///< not recalled, nor another shard's
  /// Whose record it was, if it is recalled.
  ItemRecords *recalledFrom = nullptr;
  const ItemRecords::Entry *recalled = nullptr;
  bool isShared = false; ///< several threads had a part in it

  /// With what another thread has of the same item.
  void join(ItemResult other);
};

/// Forms belong to one context, and contexts to one thread.
class Explorer::Worker {
public:
  Worker(const TargetProgram &program, AtomReading reading,
         const PrunerChoice &pruner)
      : program(program), reading(reading), pruner(pruner) {}

  /// Made when the thread first needs it.
  EnumerationSpace &getSpace() {
    if (!space)
      space.emplace(program, reading, pruner);
    return *space;
  }

  /// By boundary: the forms of its tensors, once they were needed.
  std::map<unsigned, std::vector<FormId>> forms;
  /// Of the item that runs.
  std::atomic<uint64_t> numStates{0};

private:
  const TargetProgram &program;
  AtomReading reading;
  const PrunerChoice &pruner;
  std::optional<EnumerationSpace> space;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_EXPLORERSTATE_H
