//===- CudaLibrary.cpp - cuBLASLt, opened at run time ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices of cuBLASLt are column-major: element (i, j) lies i + j · ld behind
// the first one. What is row-major to us, i · ld + j, is to the library the
// transposed matrix, with the same leading dimension and nothing moved. So the
// row-major result = lhs · rhs is asked for as
//
//   resultᵀ = rhsᵀ · lhsᵀ,   n x m = n x k · k x m:
//
// its A is our rhs, its B our lhs, its C and D our result. A matrix that
// is transposed to us, element (i, j) at i + j · ld, is to the library what it
// is to us, and the operation "T" gives the transposed one that the product
// takes:
//
//                       stored, as the library sees it   operation
//   rhs                 n x k                            N
//   rhs, isTransposed   k x n                            T
//   lhs                 k x m                            N
//   lhs, isTransposed   m x k                            T
//   result              n x m                            N
//
//===----------------------------------------------------------------------===//

#include "CudaLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <dlfcn.h>

using namespace mlir::mirage;
using namespace mlir::mirage::cuda;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

llvm::Expected<Library> Library::open(const char *name) {
  // Stays open: it has threads and memory of its own.
  void *file = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!file)
    return llvm::createStringError(dlerror());
  Library library;
  bool isWhole = true;
  auto load = [&](auto &function, const char *name) {
    function =
        reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(file, name));
    isWhole &= function != nullptr;
  };
#define MIRAGE_CUBLASLT_LOAD(function, name, parameters)                       \
  load(library.function, name);
  MIRAGE_CUBLASLT_FUNCTIONS(MIRAGE_CUBLASLT_LOAD)
#undef MIRAGE_CUBLASLT_LOAD
  load(library.getStatusString, "cublasLtGetStatusString");
  load(library.getVersion, "cublasLtGetVersion");
  if (!isWhole)
    return llvm::createStringError(llvm::Twine(name) +
                                   ": lacks a function that Mirage calls");
  return library;
}

std::string Library::getName() const {
  size_t version = getVersion();
  return llvm::formatv("cuBLASLt {0}.{1}.{2}", version / 10000,
                       version / 100 % 100, version % 100)
      .str();
}

llvm::Error Library::check(LtStatus status, const llvm::Twine &what) const {
  if (status == 0)
    return llvm::Error::success();
  const char *explanation = getStatusString(status);
  return llvm::createStringError(
      what + ": " +
      (explanation ? explanation : "cuBLAS status " + std::to_string(status)));
}

//===----------------------------------------------------------------------===//
// One matmul
//===----------------------------------------------------------------------===//

static LtDataType convertElement(ElementType element) {
  switch (element) {
  case ElementType::F16:
    return kR16F;
  case ElementType::BF16:
    return kR16BF;
  case ElementType::F32:
    return kR32F;
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    break;
  }
  llvm_unreachable("no library's matmul is of 8-bit floats");
}

namespace {
/// A matrix as the library is to see it.
struct StoredMatrix {
  const LibraryMatrix &matrix;
  ElementType element;
  int64_t rows, columns;
};
} // namespace

static LtStatus makeLayout(const Library &library, const StoredMatrix &stored,
                           int32_t batch, LtMatrixLayout *layout) {
  const LibraryMatrix &matrix = stored.matrix;
  int64_t rows = stored.rows, columns = stored.columns;
  if (matrix.isTransposed)
    std::swap(rows, columns);
  LtStatus status =
      library.matrixLayoutCreate(layout, convertElement(stored.element), rows,
                                 columns, matrix.leadingDimension);
  if (status == 0 && batch > 1)
    status = library.matrixLayoutSetAttribute(*layout, kBatchCount, &batch,
                                              sizeof(batch));
  if (status == 0 && batch > 1)
    status = library.matrixLayoutSetAttribute(*layout, kStridedBatchOffset,
                                              &matrix.batchStride,
                                              sizeof(matrix.batchStride));
  return status;
}

PlannedMatmul::PlannedMatmul(const Library &library)
    : library(&library), operation(library), lhs(library), rhs(library),
      result(library) {}

LtStatus PlannedMatmul::describe(const LibraryMatmul &matmul) {
  int32_t rhsOperation = matmul.rhs.isTransposed ? kOpT : kOpN;
  int32_t lhsOperation = matmul.lhs.isTransposed ? kOpT : kOpN;
  LtComputeType compute = matmul.f32Products == F32Products::TF32
                              ? kCompute32FFastTF32
                              : kCompute32F;
  LtStatus status =
      library->matmulDescCreate(operation.receive(), compute, kR32F);
  if (status == 0)
    status = library->matmulDescSetAttribute(
        operation.get(), kTransA, &rhsOperation, sizeof(rhsOperation));
  if (status == 0)
    status = library->matmulDescSetAttribute(
        operation.get(), kTransB, &lhsOperation, sizeof(lhsOperation));
  ElementType element = matmul.operandElement;
  for (auto [stored, layout] :
       {std::pair(StoredMatrix{matmul.rhs, element, matmul.n, matmul.k}, &rhs),
        std::pair(StoredMatrix{matmul.lhs, element, matmul.k, matmul.m}, &lhs),
        std::pair(StoredMatrix{matmul.result, matmul.resultElement, matmul.n,
                               matmul.m},
                  &result)})
    if (status == 0)
      status = makeLayout(*library, stored, matmul.batch, layout->receive());
  return status;
}

LtStatus PlannedMatmul::choose(LtHandle handle,
                               std::array<uint32_t, 3> alignments) {
  // What NVIDIA recommends for Hopper ("cuBLAS library", cublasSetWorkspace).
  constexpr uint64_t kWorkspaceBytes = 32 << 20;
  constexpr uint32_t kReductions = kReduceComputeType;
  Handle<Library, LtPreference, &Library::preferenceDestroy> preference(
      *library);
  LtStatus status = library->preferenceCreate(preference.receive());
  auto set = [&](LtPreferenceAttribute attribute, const auto &value) {
    if (status == 0)
      status = library->preferenceSetAttribute(preference.get(), attribute,
                                               &value, sizeof(value));
  };
  auto [lhsAlignment, rhsAlignment, resultAlignment] = alignments;
  set(kMaxWorkspaceBytes, kWorkspaceBytes);
  set(kReductionSchemeMask, kReductions);
  set(kMinAlignmentABytes, rhsAlignment);
  set(kMinAlignmentBBytes, lhsAlignment);
  set(kMinAlignmentCBytes, resultAlignment);
  set(kMinAlignmentDBytes, resultAlignment);
  constexpr LtStatus kNotSupported = 15;
  int count = 0;
  if (status == 0)
    status = library->getHeuristic(handle, operation.get(), rhs.get(),
                                   lhs.get(), result.get(), result.get(),
                                   preference.get(), 1, &chosen, &count);
  if (status == 0)
    status = count == 0 ? kNotSupported : chosen.state;
  return status;
}

llvm::Expected<PlannedMatmul>
PlannedMatmul::make(const Library &library, LtHandle handle,
                    const LibraryMatmul &matmul,
                    std::array<uint32_t, 3> alignments) {
  PlannedMatmul planned(library);
  LtStatus status = planned.describe(matmul);
  if (status == 0)
    status = planned.choose(handle, alignments);
  if (llvm::Error error =
          library.check(status, library.getName() + " declines a matmul"))
    return std::move(error);
  return planned;
}

LtStatus PlannedMatmul::enqueue(LtHandle handle, CUdeviceptr lhsAddress,
                                CUdeviceptr rhsAddress,
                                CUdeviceptr resultAddress,
                                CUdeviceptr workspace, CUstream stream) const {
  constexpr float kOne = 1, kZero = 0;
  auto toPointer = [](CUdeviceptr address) {
    return reinterpret_cast<void *>(address);
  };
  return library->matmul(
      handle, operation.get(), &kOne, toPointer(rhsAddress), rhs.get(),
      toPointer(lhsAddress), lhs.get(), &kZero, toPointer(resultAddress),
      result.get(), toPointer(resultAddress), result.get(), &chosen.algorithm,
      toPointer(workspace), chosen.workspaceBytes, stream);
}

//===----------------------------------------------------------------------===//
// The launches of a program
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<LibraryLaunches>>
LibraryLaunches::open(const Driver &driver, const char *name) {
  llvm::Expected<Library> library = Library::open(name);
  if (!library)
    return library.takeError();
  std::unique_ptr<LibraryLaunches> self(new LibraryLaunches(driver, *library));
  if (llvm::Error error =
          library->check(self->library.create(self->handle.receive()),
                         library->getName() + " cannot start"))
    return std::move(error);
  return self;
}

llvm::Expected<std::unique_ptr<LibraryLaunches>>
LibraryLaunches::open(const Driver &driver) {
  // The newest first; it may be too new for the driver. Both have all that is
  // used here, with the same types.
  std::string reasons;
  for (const char *name : {"libcublasLt.so.13", "libcublasLt.so.12"}) {
    auto opened = open(driver, name);
    if (opened)
      return opened;
    reasons +=
        (reasons.empty() ? "" : "; ") + llvm::toString(opened.takeError());
  }
  return llvm::createStringError("neither cuBLASLt 13 nor 12 can be used (" +
                                 reasons + ")");
}

static int64_t getOffsetBytes(const LibraryMatmul &matmul,
                              const LibraryMatrix &matrix) {
  bool isResult = &matrix == &matmul.result;
  return matrix.offset *
         getSizeBytes(isResult ? matmul.resultElement : matmul.operandElement);
}

/// What the address of a matrix is a multiple of, whatever the caller binds.
static uint32_t getAlignment(const KernelLaunch &launch,
                             const LibraryMatrix &matrix) {
  const LaunchArgument &argument = launch.arguments[matrix.argument];
  uint64_t offset =
      argument.offsetBytes + getOffsetBytes(*launch.libraryMatmul, matrix);
  uint64_t base = argument.role == BufferRole::Workspace ? kWorkspaceAlignment
                                                         : kTensorAlignment;
  return llvm::MinAlign(base, offset);
}

llvm::Error LibraryLaunches::plan(unsigned number, const KernelLaunch &launch) {
  const LibraryMatmul &matmul = *launch.libraryMatmul;
  llvm::Expected<PlannedMatmul> planned = PlannedMatmul::make(
      library, handle.get(), matmul,
      {getAlignment(launch, matmul.lhs), getAlignment(launch, matmul.rhs),
       getAlignment(launch, matmul.result)});
  if (!planned)
    return planned.takeError();
  if (plans.size() <= number)
    plans.resize(number + 1);
  plans[number].emplace(std::move(*planned));
  return llvm::Error::success();
}

llvm::Error LibraryLaunches::allocateWorkspace() {
  size_t bytes = 0;
  for (const std::optional<PlannedMatmul> &planned : plans)
    if (planned)
      bytes = std::max(bytes, planned->getWorkspaceBytes());
  return allocate(driver, bytes, getName() + "'s workspace", workspace);
}

llvm::Error LibraryLaunches::enqueue(unsigned number,
                                     const KernelLaunch &launch,
                                     llvm::ArrayRef<CUdeviceptr> addresses,
                                     CUstream stream) const {
  const LibraryMatmul &matmul = *launch.libraryMatmul;
  auto locate = [&](const LibraryMatrix &matrix) {
    return addresses[matrix.argument] + getOffsetBytes(matmul, matrix);
  };
  LtStatus status = plans[number]->enqueue(
      handle.get(), locate(matmul.lhs), locate(matmul.rhs),
      locate(matmul.result), workspace.get(), stream);
  return library.check(status, getName() + " for kernel " + launch.kernel +
                                   " cannot be launched");
}
