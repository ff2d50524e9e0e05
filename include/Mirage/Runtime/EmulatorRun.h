//===- EmulatorRun.h - Runs an artifact without a GPU --------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_RUNTIME_EMULATORRUN_H
#define MIRAGE_RUNTIME_EMULATORRUN_H

#include "Mirage/Artifact/Artifact.h"
#include "Mirage/Emulator/Launch.h"
#include "Mirage/Reference/HostTensor.h"

namespace mlir::mirage {

struct EmulatorOptions {
  unsigned threads = 0; ///< of the host; 0: as many as it has
  emulator::Checks checks = emulator::Checks::All;
  /// Warp instructions one block may execute before it is stopped.
  uint64_t stepLimitPerBlock = emulator::LaunchConfig().stepLimitPerBlock;
  /// 0: warps take turns in their order, and what is asynchronous is done when
  /// it is waited for. Else both are at random, by this seed; a program without
  /// faults computes the same.
  uint64_t scheduleSeed = 0;
};

/// What one launch of the artifact did.
struct EmulatedLaunch {
  std::string kernel;
  emulator::LaunchResult result;
  double timeS = 0; ///< of the emulation, on the host
};

struct EmulatorRun {
  std::vector<HostTensor> outputs; ///< row-major, whatever their strides
  /// In order. Later ones are missing if a launch did not complete.
  std::vector<EmulatedLaunch> launches;

  bool isClean() const; ///< all launches completed without a fault
};

/// Bytes that a run allocates beside the inputs: copies of these, the outputs
/// and the workspace.
double countEmulatedBytes(const Artifact &artifact);

/// Emulates the artifact's PTX, launch by launch. Outputs and workspace start
/// as NaNs, so that an element that no kernel wrote is none by accident.
/// \param inputs  one for each of the artifact's, of its type.
/// \returns an error for PTX that the emulator does not know, for launches that
/// contradict it, and where memory cannot hold all of it. Faults of the kernels
/// are findings.
llvm::Expected<EmulatorRun> runOnEmulator(const Artifact &artifact,
                                          llvm::ArrayRef<HostTensor> inputs,
                                          const EmulatorOptions &options = {});

} // namespace mlir::mirage

#endif // MIRAGE_RUNTIME_EMULATORRUN_H
