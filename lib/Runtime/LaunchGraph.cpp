//===- LaunchGraph.cpp - A program's launches as one graph ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchGraph.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::cuda;

CUresult LaunchGraph::add(DriverLaunch &launch) {
  CUgraphNode before = nodes.empty() ? nullptr : nodes.back().node;
  nodes.push_back({&launch, {}});
  return launch.addTo(driver, graph.get(), before, &nodes.back().node);
}

llvm::Expected<std::unique_ptr<LaunchGraph>>
LaunchGraph::make(const Driver &driver,
                  llvm::ArrayRef<std::unique_ptr<DriverLaunch>> launches) {
  std::unique_ptr<LaunchGraph> made(new LaunchGraph(driver));
  CUresult result = driver.graphCreate(made->graph.receive(), 0);
  for (const std::unique_ptr<DriverLaunch> &launch : launches)
    if (result == 0)
      result = made->add(*launch);
  if (result == 0)
    result = driver.graphInstantiate(made->executable.receive(),
                                     made->graph.get(), 0);
  if (llvm::Error error = driver.check(result, "no CUDA graph can be made"))
    return std::move(error);
  return made;
}

void LaunchGraph::place(unsigned launch,
                        llvm::ArrayRef<CUdeviceptr> addresses) {
  Node &node = nodes[launch];
  if (addresses == llvm::ArrayRef(node.addresses))
    return;
  node.addresses.assign(addresses.begin(), addresses.end());
  node.hasMoved = true;
}

bool LaunchGraph::update(Node &node) {
  if (!node.hasMoved)
    return true;
  // Others may have placed the launch elsewhere meanwhile.
  if (llvm::errorToBool(node.launch->place(driver, node.addresses)) ||
      node.launch->update(driver, executable.get(), node.node) != 0)
    return false;
  node.hasMoved = false;
  return true;
}

bool LaunchGraph::enqueue(CUstream stream) {
  return llvm::all_of(nodes, [&](Node &node) { return update(node); }) &&
         driver.graphLaunch(executable.get(), stream) == 0;
}
