//===- DriverLaunch.cpp - A launch as the driver takes it -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverLaunch.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>

using namespace mlir::mirage;
using namespace mlir::mirage::cuda;

/// No address that the driver gives.
static constexpr CUdeviceptr kNowhere = ~CUdeviceptr(0);

static bool hasTensorMap(const LaunchArgument &argument) {
  return argument.tensorMap.has_value();
}

DriverLaunch::DriverLaunch(const KernelLaunch &launch, CUfunction function)
    : launch(launch), function(function),
      addresses(launch.arguments.size(), kNowhere),
      maps(llvm::count_if(launch.arguments, hasTensorMap)) {
  llvm::copy(launch.grid, config.grid);
  llvm::copy(launch.block, config.block);
  config.dynamicSharedBytes = launch.getLaunchedSharedBytes();
  config.attributes = attributes;
  if (launch.cluster != std::array<int64_t, 3>{1, 1, 1})
    llvm::copy(launch.cluster, add(kClusterDimension).value.clusterDimension);
  if (launch.dependent)
    add(kProgrammaticStreamSerialization)
        .value.programmaticStreamSerialization = 1;
  auto map = maps.begin();
  for (auto [argument, address] :
       llvm::zip_equal(launch.arguments, addresses)) {
    if (hasTensorMap(argument))
      parameters.push_back(&*map++);
    else
      parameters.push_back(&address);
  }
}

LaunchAttribute &DriverLaunch::add(LaunchAttributeId id) {
  LaunchAttribute &attribute = attributes[config.numAttributes++];
  attribute.id = id;
  return attribute;
}

static int getDataType(const TensorMap &map) {
  switch (map.elementBytes) {
  case 1:
    return kTensorMapUInt8;
  case 2:
    return kTensorMapUInt16;
  case 4:
    return kTensorMapUInt32;
  default:
    return kTensorMapUInt64;
  }
}

static CUresult encode(const Driver &driver, const TensorMap &map,
                       CUdeviceptr address, TensorMapImage &image) {
  static constexpr unsigned kOnes[5] = {1, 1, 1, 1, 1};
  return driver.tensorMapEncodeTiled(
      &image, getDataType(map), map.getRank(), address, map.sizes.data(),
      map.strideBytes.data(), map.box.data(), kOnes, /*interleave=*/0,
      static_cast<int>(map.swizzle), kTensorMapPromote256, /*fill=*/0);
}

CUresult DriverLaunch::place(const Driver &driver, unsigned argument,
                             CUdeviceptr address) {
  if (addresses[argument] == address)
    return 0;
  // A map that is refused is encoded anew, whoever comes next.
  CUdeviceptr last = std::exchange(addresses[argument], kNowhere);
  const std::optional<TensorMap> &map = launch.arguments[argument].tensorMap;
  CUresult result = 0;
  if (map) {
    auto &image = *static_cast<TensorMapImage *>(parameters[argument]);
    result = last == kNowhere ? encode(driver, *map, address, image)
                              : driver.tensorMapReplaceAddress(&image, address);
  }
  if (result == 0)
    addresses[argument] = address;
  return result;
}

llvm::Error DriverLaunch::place(const Driver &driver,
                                llvm::ArrayRef<CUdeviceptr> addresses) {
  for (auto [argument, address] : llvm::enumerate(addresses))
    if (CUresult result = place(driver, argument, address))
      return driver.check(result, "kernel " + launch.kernel +
                                      ": a tensor map is refused");
  return llvm::Error::success();
}

llvm::Error DriverLaunch::enqueue(const Driver &driver, CUstream stream) {
  config.stream = stream;
  CUresult result =
      driver.launchKernelEx(&config, function, parameters.data(), nullptr);
  if (result == 0) // no sentence is made for nothing
    return llvm::Error::success();
  return driver.check(result,
                      "kernel " + launch.kernel + " cannot be launched");
}

KernelNodeParameters DriverLaunch::describeNode() {
  KernelNodeParameters node = {};
  node.function = function;
  llvm::copy(config.grid, node.grid);
  llvm::copy(config.block, node.block);
  node.dynamicSharedBytes = config.dynamicSharedBytes;
  node.parameters = parameters.data();
  return node;
}

CUresult DriverLaunch::addTo(const Driver &driver, CUgraph graph,
                             CUgraphNode before, CUgraphNode *node) {
  // A first launch has no other one to begin beside.
  bool isDependent = launch.dependent && before;
  if (isDependent && !driver.graphAddDependencies)
    return kCudaNotSupported;
  KernelNodeParameters described = describeNode();
  bool waitsForEnd = before && !isDependent;
  CUresult result = driver.graphAddKernelNode(
      node, graph, waitsForEnd ? &before : nullptr, waitsForEnd, &described);
  if (result == 0 && isDependent)
    result = driver.graphAddDependencies(graph, &before, node,
                                         &kProgrammaticEdge, 1);
  for (const LaunchAttribute &attribute :
       llvm::ArrayRef(attributes, config.numAttributes))
    if (result == 0 && attribute.id == kClusterDimension)
      result = driver.graphKernelNodeSetAttribute(*node, attribute.id,
                                                  &attribute.value);
  return result;
}

CUresult DriverLaunch::update(const Driver &driver, CUgraphExec graph,
                              CUgraphNode node) {
  KernelNodeParameters described = describeNode();
  return driver.graphExecKernelNodeSetParams(graph, node, &described);
}
