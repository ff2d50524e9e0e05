//===- CudaLibrary.h - cuBLASLt, opened at run time ----------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of cuBLASLt that Mirage uses, declared here so that no toolkit is
// needed to build and no library to start. Names, types and numbers are those
// of cublasLt.h, library_types.h and cublas_api.h, versions 12 and 13;
// semantics: "cuBLAS library", part "Using the cuBLASLt API"
// (docs.nvidia.com/cuda/cublas).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_CUDALIBRARY_H
#define MIRAGE_LIB_RUNTIME_CUDALIBRARY_H

#include "CudaHandles.h"
#include "Mirage/Artifact/Artifact.h"

namespace mlir::mirage::cuda {

using LtStatus = int; ///< cublasStatus_t; 0 is success
using LtHandle = struct cublasLtContext *;
using LtMatmulDesc = struct cublasLtMatmulDescOpaque_t *;
using LtMatrixLayout = struct cublasLtMatrixLayoutOpaque_t *;
using LtPreference = struct cublasLtMatmulPreferenceOpaque_t *;

enum LtDataType : int { kR32F = 0, kR16F = 2, kR16BF = 14 };
/// At least f32, and of f32 operands all bits; or these as tf32, and sums in
/// f32.
enum LtComputeType : int { kCompute32F = 68, kCompute32FFastTF32 = 77 };
enum LtOperation : int { kOpN = 0, kOpT = 1 };
enum LtMatmulDescAttribute : int { kTransA = 3, kTransB = 4 };
enum LtMatrixLayoutAttribute : int {
  kBatchCount = 5,        ///< int32_t
  kStridedBatchOffset = 6 ///< int64_t, in elements
};
enum LtPreferenceAttribute : int {
  kMaxWorkspaceBytes = 1,   ///< uint64_t
  kReductionSchemeMask = 3, ///< uint32_t
  kMinAlignmentABytes = 5,  ///< uint32_t, as those of B, C and D
  kMinAlignmentBBytes = 6,
  kMinAlignmentCBytes = 7,
  kMinAlignmentDBytes = 8,
};
/// Where K is split, parts are added in the type of sums, out of place; the
/// others round them to the result's type before.
enum LtReductionScheme : uint32_t { kReduceComputeType = 2 };

struct LtAlgorithm {
  uint64_t data[8];
};
struct LtHeuristicResult {
  LtAlgorithm algorithm;
  size_t workspaceBytes;
  LtStatus state;
  float wavesCount;
  int reserved[4];
};
static_assert(sizeof(LtHeuristicResult) == 96, "as in cublasLt.h");

/// Function, exported name, parameters; all return an LtStatus.
#define MIRAGE_CUBLASLT_FUNCTIONS(X)                                           \
  X(create, "cublasLtCreate", (LtHandle *))                                    \
  X(destroy, "cublasLtDestroy", (LtHandle))                                    \
  X(matmulDescCreate, "cublasLtMatmulDescCreate",                              \
    (LtMatmulDesc *, LtComputeType, LtDataType))                               \
  X(matmulDescDestroy, "cublasLtMatmulDescDestroy", (LtMatmulDesc))            \
  X(matmulDescSetAttribute, "cublasLtMatmulDescSetAttribute",                  \
    (LtMatmulDesc, LtMatmulDescAttribute, const void *, size_t))               \
  X(matrixLayoutCreate, "cublasLtMatrixLayoutCreate",                          \
    (LtMatrixLayout *, LtDataType, uint64_t, uint64_t, int64_t))               \
  X(matrixLayoutDestroy, "cublasLtMatrixLayoutDestroy", (LtMatrixLayout))      \
  X(matrixLayoutSetAttribute, "cublasLtMatrixLayoutSetAttribute",              \
    (LtMatrixLayout, LtMatrixLayoutAttribute, const void *, size_t))           \
  X(preferenceCreate, "cublasLtMatmulPreferenceCreate", (LtPreference *))      \
  X(preferenceDestroy, "cublasLtMatmulPreferenceDestroy", (LtPreference))      \
  X(preferenceSetAttribute, "cublasLtMatmulPreferenceSetAttribute",            \
    (LtPreference, LtPreferenceAttribute, const void *, size_t))               \
  X(getHeuristic, "cublasLtMatmulAlgoGetHeuristic",                            \
    (LtHandle, LtMatmulDesc, LtMatrixLayout, LtMatrixLayout, LtMatrixLayout,   \
     LtMatrixLayout, LtPreference, int, LtHeuristicResult *, int *))           \
  X(matmul, "cublasLtMatmul",                                                  \
    (LtHandle, LtMatmulDesc, const void *, const void *, LtMatrixLayout,       \
     const void *, LtMatrixLayout, const void *, const void *, LtMatrixLayout, \
     void *, LtMatrixLayout, const LtAlgorithm *, void *, size_t, CUstream))

/// Pointers into libcublasLt.so.
class Library {
public:
#define MIRAGE_CUBLASLT_MEMBER(function, name, parameters)                     \
  LtStatus(*function) parameters = nullptr;
  MIRAGE_CUBLASLT_FUNCTIONS(MIRAGE_CUBLASLT_MEMBER)
#undef MIRAGE_CUBLASLT_MEMBER
  const char *(*getStatusString)(LtStatus) = nullptr;
  size_t (*getVersion)() = nullptr;

  /// \param name  as the loader knows it: "libcublasLt.so.12".
  /// \returns one sentence where there is none, or it lacks a function.
  static llvm::Expected<Library> open(const char *name);

  /// "cuBLASLt 12.8.4".
  std::string getName() const;
  /// Success, or "what: the library's explanation".
  llvm::Error check(LtStatus status, const llvm::Twine &what) const;
};

/// One matmul with the algorithm that the library chose for it.
class PlannedMatmul {
public:
  /// \param alignments  what the addresses of lhs, rhs and result are
  ///                    multiples of, in bytes.
  /// \returns why the library does not do it, as one sentence.
  static llvm::Expected<PlannedMatmul> make(const Library &library,
                                            LtHandle handle,
                                            const LibraryMatmul &matmul,
                                            std::array<uint32_t, 3> alignments);

  size_t getWorkspaceBytes() const { return chosen.workspaceBytes; }

  /// Puts it into a stream; it can be captured in a CUDA graph. Addresses are
  /// of the matrices' first elements.
  LtStatus enqueue(LtHandle handle, CUdeviceptr lhs, CUdeviceptr rhs,
                   CUdeviceptr result, CUdeviceptr workspace,
                   CUstream stream) const;

private:
  explicit PlannedMatmul(const Library &library);
  LtStatus describe(const LibraryMatmul &matmul);
  LtStatus choose(LtHandle handle, std::array<uint32_t, 3> alignments);

  const Library *library;
  Handle<Library, LtMatmulDesc, &Library::matmulDescDestroy> operation;
  using Layout = Handle<Library, LtMatrixLayout, &Library::matrixLayoutDestroy>;
  Layout lhs, rhs, result;
  LtHeuristicResult chosen = {};
};

/// The launches of a program that the library does in the place of kernels.
class LibraryLaunches {
public:
  /// Version 13 or 12. \returns an error of one sentence where there is
  /// neither, or none that starts.
  static llvm::Expected<std::unique_ptr<LibraryLaunches>>
  open(const Driver &driver);

  /// Plans the matmul that a launch says it equals. An error says why the
  /// library does not do it.
  llvm::Error plan(unsigned number, const KernelLaunch &launch);
  /// Allocates what the planned matmuls need, which run one after the other.
  llvm::Error allocateWorkspace();

  bool has(unsigned number) const {
    return number < plans.size() && plans[number];
  }
  /// \param addresses  the launch's arguments.
  llvm::Error enqueue(unsigned number, const KernelLaunch &launch,
                      llvm::ArrayRef<CUdeviceptr> addresses,
                      CUstream stream) const;
  std::string getName() const { return library.getName(); }

private:
  static llvm::Expected<std::unique_ptr<LibraryLaunches>>
  open(const Driver &driver, const char *name);
  LibraryLaunches(const Driver &driver, const Library &library)
      : driver(driver), library(library), handle(this->library),
        workspace(driver) {}

  const Driver &driver;
  Library library;
  Handle<Library, LtHandle, &Library::destroy> handle;
  std::vector<std::optional<PlannedMatmul>> plans; ///< by launch
  Memory workspace;
};

} // namespace mlir::mirage::cuda

#endif // MIRAGE_LIB_RUNTIME_CUDALIBRARY_H
