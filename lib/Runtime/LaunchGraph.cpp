//===- LaunchGraph.cpp - A program's launches as one graph ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchGraph.h"
#include <utility>

using namespace mlir::mirage;
using namespace mlir::mirage::cuda;

LaunchGraph::LaunchGraph(const Driver &driver,
                         llvm::ArrayRef<std::unique_ptr<DriverLaunch>> launches)
    : driver(driver), graph(driver), executable(driver) {
  for (const std::unique_ptr<DriverLaunch> &launch : launches)
    nodes.push_back({launch.get(), {}});
}

void LaunchGraph::place(unsigned launch,
                        llvm::ArrayRef<CUdeviceptr> addresses) {
  Node &node = nodes[launch];
  if (addresses == llvm::ArrayRef(node.addresses))
    return;
  node.addresses.assign(addresses.begin(), addresses.end());
  node.hasMoved = true;
}

/// Others may have placed the launch elsewhere meanwhile.
static bool placeNow(const Driver &driver, DriverLaunch &launch,
                     llvm::ArrayRef<CUdeviceptr> addresses) {
  llvm::Error error = launch.place(driver, addresses);
  bool isPlaced = !error;
  llvm::consumeError(std::move(error));
  return isPlaced;
}

bool LaunchGraph::make() {
  for (Node &node : nodes)
    if (!placeNow(driver, *node.launch, node.addresses))
      return false;
  BesideCaptures besideCaptures(driver);
  CUresult result = driver.graphCreate(graph.receive(), 0);
  CUgraphNode before = nullptr;
  for (Node &node : nodes) {
    if (result == 0)
      result = node.launch->addTo(driver, graph.get(), before, &node.node);
    node.hasMoved = false;
    before = node.node;
  }
  if (result == 0)
    result = driver.graphInstantiate(executable.receive(), graph.get(), 0);
  cannotBeMade = result != 0;
  return result == 0;
}

bool LaunchGraph::update() {
  for (Node &node : nodes) {
    if (!node.hasMoved)
      continue;
    if (!placeNow(driver, *node.launch, node.addresses) ||
        node.launch->update(driver, executable.get(), node.node) != 0)
      return false;
    node.hasMoved = false;
  }
  return true;
}

bool LaunchGraph::enqueue(CUstream stream) {
  if (cannotBeMade)
    return false;
  return (executable.get() ? update() : make()) &&
         driver.graphLaunch(executable.get(), stream) == 0;
}
