//===- MachineMemory.cpp - What there is to compute in --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/MachineMemory.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace mlir::mirage;

double mlir::mirage::getMachineMemoryBytes() {
  double bytes =
      double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min(bytes, double(limit.rlim_cur));
  return bytes;
}

/// Of this process's address space; 0 where the system does not say.
static double getUsedBytes() {
  double pages = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lf", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  return pages * double(sysconf(_SC_PAGE_SIZE));
}

/// What is left of it where the address space has a limit, or else the
/// machine's memory: most of an address space is in no memory.
static double getAvailableBytes() {
  double bytes = getMachineMemoryBytes();
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes =
        std::min(bytes, std::max(0.0, double(limit.rlim_cur) - getUsedBytes()));
  return bytes;
}

std::string mlir::mirage::describeBytes(double bytes) {
  constexpr double kMiB = 1 << 20, kGiB = 1 << 30;
  return bytes < 10 * kGiB ? llvm::formatv("{0:f0} MiB", bytes / kMiB).str()
                           : llvm::formatv("{0:f1} GiB", bytes / kGiB).str();
}

/// Takes as many bytes of the address space as allocations will, and gives them
/// back. \returns the reason where the system refuses; 0 where it does not.
static int reserve(double bytes) {
  auto size = static_cast<size_t>(bytes);
  void *place = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED)
    return errno;
  munmap(place, size);
  return 0;
}

llvm::Error mlir::mirage::checkMemory(const llvm::Twine &what, double bytes) {
  constexpr double kSmall = 1 << 20;
  if (bytes < kSmall)
    return llvm::Error::success();
  if (double available = getAvailableBytes(); bytes > available)
    return llvm::createStringError(
        "expects " + what + " to fit the " + describeBytes(available) +
        " of memory that this process can have, got " + describeBytes(bytes));
  if (int error = reserve(bytes))
    return llvm::createStringError(
        "expects " + what + " to fit what memory the system gives this " +
        "process, got " + describeBytes(bytes) + ": " + std::strerror(error));
  return llvm::Error::success();
}
