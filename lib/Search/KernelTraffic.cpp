//===- KernelTraffic.cpp - What a kernel moves, before it has sizes -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/KernelTraffic.h"
#include "Mirage/Search/Tilings.h"
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

SmallVector<unsigned, 3>
mlir::mirage::search::getJoinedAxes(const KernelStructure &kernel) {
  std::set<unsigned> axes;
  for (const StructureOperator &op : kernel.operators)
    if (op.gridAxis)
      axes.insert(*op.gridAxis);
  return llvm::to_vector<3>(axes);
}

SmallVector<int64_t>
mlir::mirage::search::getLeastExtents(const TargetProgram &program) {
  SmallVector<int64_t> extents = program.getExtents();
  for (NameId part : toList(program.getPartNames()))
    extents[part] = 2;
  return extents;
}

/// Names that nothing splits are held whole, others one at a time at the least.
static KernelTraffic::Input getInputTraffic(const StoredTensor &tensor,
                                            ArrayRef<int64_t> extents,
                                            ArrayRef<NameId> gridNames,
                                            NameId loopName) {
  KernelTraffic::Input input;
  input.bytes = input.leastTileBytes = getSizeBytes(tensor.element);
  for (NameId name : tensor.layout) {
    if (name == kNoName)
      continue;
    double extent = extents[name];
    bool isOnGrid = llvm::is_contained(gridNames, name);
    input.bytes *= extent;
    input.maxShares *= isOnGrid ? extent : 1;
    input.leastTileBytes *= isOnGrid || name == loopName ? 1 : extent;
  }
  for (NameId name : gridNames)
    if (!llvm::is_contained(tensor.layout, name))
      input.minReaders *= 2;
  return input;
}

KernelTraffic mlir::mirage::search::getTraffic(const TargetProgram &program,
                                               ArrayRef<StoredTensor> inputs,
                                               ArrayRef<StoredTensor> results,
                                               ArrayRef<NameId> gridNames,
                                               NameId loopName) {
  SmallVector<int64_t> extents = getLeastExtents(program);
  KernelTraffic traffic;
  traffic.canBeSplit = canBeSplit(gridNames, loopName, extents);
  for (const StoredTensor &input : inputs)
    traffic.inputs.push_back(
        getInputTraffic(input, extents, gridNames, loopName));
  for (const StoredTensor &result : results)
    traffic.resultBytes +=
        getInputTraffic(result, extents, gridNames, loopName).bytes;
  return traffic;
}

KernelTraffic mlir::mirage::search::getTraffic(const TargetProgram &program,
                                               const KernelPlan &plan) {
  SmallVector<StoredTensor> inputs, results;
  for (const KernelTensor &input : plan.inputs)
    inputs.push_back(input.stored);
  for (const KernelTensor &result : plan.results)
    results.push_back(result.stored);
  KernelTraffic traffic = getTraffic(
      program, inputs, results, plan.kernel.gridNames, plan.kernel.loopName);
  traffic.numJoins = getJoinedAxes(plan.kernel).size();
  return traffic;
}
