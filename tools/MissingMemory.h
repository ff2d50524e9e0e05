//===- MissingMemory.h - Commands that cannot have memory -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_MISSINGMEMORY_H
#define MIRAGE_TOOLS_MISSINGMEMORY_H

#include "Mirage/Graph/MachineMemory.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include <exception>
#include <new>
#include <unistd.h>

namespace mlir::mirage {

/// What is said, and the exit code, where there is no memory to make a text.
struct MissingMemory {
  static inline std::string text;
  static inline int exitCode = 0;

  [[noreturn]] static void end() {
    [[maybe_unused]] ssize_t written =
        ::write(STDERR_FILENO, text.data(), text.size());
    ::_exit(exitCode);
  }
};

/// From now on an allocation that fails, and a thread that cannot be started,
/// end the process after one sentence. Large allocations are asked for before
/// they are made (checkMemory), and refused with what they are for; this is for
/// all others. Only whoever owns the process may do so.
inline void endWhereMemoryIsMissing(llvm::StringRef tool, int exitCode) {
  MissingMemory::exitCode = exitCode;
  MissingMemory::text =
      (tool +
       ": error: expects more memory, or threads, than the system gives "
       "this process, which can have " +
       describeBytes(getMachineMemoryBytes()) + "\n")
          .str();
  std::set_new_handler(MissingMemory::end);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { MissingMemory::end(); });
  // Nothing throws but the standard library, where it cannot have these.
  std::set_terminate(MissingMemory::end);
}

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_MISSINGMEMORY_H
