//===- Ptxas.h - NVIDIA's assembler, where there is one ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TARGET_PTX_PTXAS_H
#define MIRAGE_TARGET_PTX_PTXAS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::mirage {

/// Looks for the program ptxas: in PATH, in $CUDA_HOME/bin and
/// $CUDA_PATH/bin, in /usr/local/cuda/bin, and in the Python package
/// nvidia-cuda-nvcc of $VIRTUAL_ENV and of the python3 in PATH.
/// \returns its path, or none: a machine without it is a normal one, on which
/// the driver compiles the PTX.
std::optional<std::string> findPtxas();

/// What the option `ptxas=` of a pass comes to on this machine.
struct PtxasChoice {
  std::optional<std::string> path; ///< none: no cubins are made
  /// The user asked for cubins, rather than that one was merely found: that
  /// there is none is then an error and no warning.
  bool isRequired = false;
};

/// \param option  "auto": the ptxas that is found, if one is; "never";
///                "required": one must be found; or the path of one, with a
///                slash in it, which is required too.
/// \returns an error for anything else and where one is required that is not
/// there.
llvm::Expected<PtxasChoice> choosePtxas(llvm::StringRef option);

/// What ptxas -v says of one kernel.
struct KernelResources {
  std::string name;
  unsigned registers = 0;   ///< per thread
  unsigned stackBytes = 0;  ///< per thread
  unsigned spillBytes = 0;  ///< per thread, stores and loads
  unsigned sharedBytes = 0; ///< static, per block
};

struct AssembledModule {
  std::string cubin; ///< the bytes of an ELF file
  std::vector<KernelResources> kernels;
  /// Lines that are no errors but tell of bad code, such as the messages C7510
  /// to C7519 on serialised wgmma.
  std::vector<std::string> warnings;
};

/// Reads what ptxas prints with -v.
AssembledModule parsePtxasReport(llvm::StringRef report);

/// Assembles PTX for one chip.
/// \returns an error with the first telling line of ptxas's own words where it
/// cannot be run, where it refuses the text, and where it gives no cubin.
llvm::Expected<AssembledModule>
assemblePTX(llvm::StringRef ptxas, llvm::StringRef ptx, llvm::StringRef chip);

/// What our code generation promises not to happen.
struct BrokenPromise {
  std::string kernel; ///< empty where ptxas does not say which
  std::string message;
};

/// Kernels that spill registers, and serialised wgmma.
std::vector<BrokenPromise> findBrokenPromises(const AssembledModule &assembled);

} // namespace mlir::mirage

#endif // MIRAGE_TARGET_PTX_PTXAS_H
