//===- MBarrierFaultTest.cpp - What mbarriers must not be used for --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncSupport.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

namespace {

/// Only arrivals and byte counts go to other blocks: a generic address is not
/// said to be of the own one.
TEST(MBarrierFault, OthersMayOnlyArrive) {
  auto text = [](const std::string &place, const std::string &operation) {
    return init({{0, 1}}) +
           "cvt.u64.u32 %rd10, %full;\ncvta.shared.u64 %rd10, %rd10;\n"
           "mapa.u64 %rd11, %rd10, %r41;\n" +
           meet + "mov.b64 %rd12, " + place + ";\n@%p0 " + operation + meet;
  };
  const std::string inval = "mbarrier.inval.b64 [%rd12];\n";
  const std::string initOther = "mbarrier.inval.shared::cta.b64 [%full];\n" +
                                meet + "@%p0 mbarrier.init.b64 [%rd12], 1;\n";
  const std::string arriveAtOwn =
      "mbarrier.arrive.shared::cta.b64 %state, [%full];\n" + meet;
  const std::string poll =
      "@%p0 mbarrier.test_wait.b64 %p1, [%rd12], %state;\n";
  const std::string wait =
      "@%p0 mbarrier.try_wait.parity.b64 %p1, [%rd12], 0;\n";
  const std::string noComplete =
      "mbarrier.arrive.noComplete.b64 %state, [%rd12], 1;\n";
  const std::string arriveAfterCopies =
      "cp.async.mbarrier.arrive.b64 [%rd12];\n";
  for (const std::string &operation :
       {inval, initOther, arriveAtOwn + poll, arriveAtOwn + wait, noComplete,
        arriveAfterCopies})
    expectFault(pair(text("%rd11", operation)), FindingKind::MBarrierMisuse,
                "of the block, found one of another block of the cluster");
  for (const std::string &operation : {inval, initOther, arriveAtOwn + poll,
                                       arriveAtOwn + wait, arriveAfterCopies})
    expectClean(pair(text("%rd10", operation)));
  // An arrival may.
  expectClean(
      pair(text("%rd11", "mbarrier.arrive.release.cluster.b64 _, [%rd12];\n")));
}

} // namespace
