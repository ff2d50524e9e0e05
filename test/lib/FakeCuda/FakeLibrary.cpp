//===- FakeLibrary.cpp - Plays cuBLASLt in tests --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of cuBLASLt that Mirage makes, on the CPU, written from NVIDIA's
// documentation ("cuBLAS library", "Using the cuBLASLt API") and not from the
// declarations that are tested: D = A · B of column-major matrices, sums in
// f32, one rounding. What the documentation asks of arguments is checked.
//
// The environment variable FAKE_CUBLASLT changes what is played: "start" fails
// at once, as on a driver that is too old, "decline" has no algorithm for
// anything, "fail" fails when a matmul is launched.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <vector>

#define FAKE extern "C" __attribute__((visibility("default")))

using llvm::APFloat;

enum Status : int {
  kSuccess = 0,
  kInvalidValue = 7,
  kExecutionFailed = 13,
  kNotSupported = 15,
};

static bool plays(llvm::StringRef part) {
  const char *text = std::getenv("FAKE_CUBLASLT");
  return text && part == text;
}

namespace {
struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t leadingDimension;
  int32_t batch = 1;
  int64_t batchStride = 0;
};

struct Operation {
  int32_t transposesA = 0, transposesB = 0;
  bool isInTF32 = false;
};

/// Attributes by their number, as 64 bits.
struct Preference {
  std::map<int, uint64_t> values = {{1, 0},   {3, 7},   {5, 256},
                                    {6, 256}, {7, 256}, {8, 256}};
};

struct Algorithm {
  uint64_t isOurs;
  uint64_t alignments[4]; ///< of A, B, C and D, that were promised
  uint64_t unused[3];
};
static_assert(sizeof(Algorithm) == 64);

struct HeuristicResult {
  Algorithm algorithm;
  size_t workspaceBytes;
  int state;
  float waves;
  int reserved[4];
};

/// One matmul in a stream.
struct Call {
  Operation operation;
  Layout a, b, d;
  const void *aData, *bData;
  void *dData, *workspace;
};
} // namespace

constexpr uint64_t kOurs = 0x6d6972616765;
constexpr size_t kWorkspaceBytes = 512;

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

FAKE size_t cublasLtGetVersion() { return 130102; }

FAKE const char *cublasLtGetStatusString(int status) {
  return status == kNotSupported      ? "the fake library has no algorithm"
         : status == kInvalidValue    ? "the fake library refuses an argument"
         : status == kExecutionFailed ? "the fake library fails"
                                      : "success";
}

FAKE int cublasLtCreate(void **handle) {
  if (plays("start"))
    return kExecutionFailed;
  *handle = new char;
  return kSuccess;
}
FAKE int cublasLtDestroy(void *handle) {
  delete static_cast<char *>(handle);
  return kSuccess;
}

FAKE int cublasLtMatmulDescCreate(Operation **operation, int compute,
                                  int scale) {
  // CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F
  if ((compute != 68 && compute != 77) || scale != 0)
    return kNotSupported;
  *operation = new Operation;
  (*operation)->isInTF32 = compute == 77;
  return kSuccess;
}
FAKE int cublasLtMatmulDescDestroy(Operation *operation) {
  delete operation;
  return kSuccess;
}

template <typename T>
static int set(T &member, const void *value, size_t bytes) {
  if (bytes != sizeof(T))
    return kInvalidValue;
  std::memcpy(&member, value, bytes);
  return kSuccess;
}

FAKE int cublasLtMatmulDescSetAttribute(Operation *operation, int attribute,
                                        const void *value, size_t bytes) {
  switch (attribute) {
  case 3: // CUBLASLT_MATMUL_DESC_TRANSA
    return set(operation->transposesA, value, bytes);
  case 4: // CUBLASLT_MATMUL_DESC_TRANSB
    return set(operation->transposesB, value, bytes);
  default:
    return kInvalidValue;
  }
}

FAKE int cublasLtMatrixLayoutCreate(Layout **layout, int type, uint64_t rows,
                                    uint64_t columns,
                                    int64_t leadingDimension) {
  if (leadingDimension < static_cast<int64_t>(rows))
    return kInvalidValue;
  *layout = new Layout{type, rows, columns, leadingDimension};
  return kSuccess;
}
FAKE int cublasLtMatrixLayoutDestroy(Layout *layout) {
  delete layout;
  return kSuccess;
}

FAKE int cublasLtMatrixLayoutSetAttribute(Layout *layout, int attribute,
                                          const void *value, size_t bytes) {
  switch (attribute) {
  case 5: // CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT
    return set(layout->batch, value, bytes);
  case 6: // CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
    return set(layout->batchStride, value, bytes);
  default:
    return kInvalidValue;
  }
}

FAKE int cublasLtMatmulPreferenceCreate(Preference **preference) {
  *preference = new Preference;
  return kSuccess;
}
FAKE int cublasLtMatmulPreferenceDestroy(Preference *preference) {
  delete preference;
  return kSuccess;
}

FAKE int cublasLtMatmulPreferenceSetAttribute(Preference *preference,
                                              int attribute, const void *value,
                                              size_t bytes) {
  // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES is 64 bits, the others 32.
  if (!preference->values.count(attribute) ||
      bytes != (attribute == 1 ? sizeof(uint64_t) : sizeof(uint32_t)))
    return kInvalidValue;
  uint64_t number = 0;
  std::memcpy(&number, value, bytes);
  preference->values[attribute] = number;
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Matmuls
//===----------------------------------------------------------------------===//

/// Whether shapes and types are ones that the library has.
static bool fits(const Operation &operation, const Layout &a, const Layout &b,
                 const Layout &d) {
  uint64_t m = operation.transposesA ? a.columns : a.rows;
  uint64_t k = operation.transposesA ? a.rows : a.columns;
  uint64_t n = operation.transposesB ? b.rows : b.columns;
  bool isShaped = k == (operation.transposesB ? b.columns : b.rows) &&
                  d.rows == m && d.columns == n;
  return isShaped && a.type == b.type && (d.type == a.type || d.type == 0) &&
         a.batch == d.batch && b.batch == d.batch;
}

FAKE int cublasLtMatmulAlgoGetHeuristic(void *, Operation *operation, Layout *a,
                                        Layout *b, Layout *c, Layout *d,
                                        Preference *preference, int requested,
                                        HeuristicResult *results, int *count) {
  *count = 0;
  auto &values = preference->values;
  // Other reductions of parts round them to the result's type.
  bool isExact = (values[3] & ~uint64_t(2)) == 0;
  if (plays("decline") || !fits(*operation, *a, *b, *d) || c != d ||
      requested < 1 || values[1] < kWorkspaceBytes || !isExact)
    return kNotSupported;
  results[0] = {{kOurs, {values[5], values[6], values[7], values[8]}, {}},
                kWorkspaceBytes,
                kSuccess,
                1,
                {}};
  *count = 1;
  return kSuccess;
}

static const llvm::fltSemantics &getSemantics(int type) {
  return type == 2    ? APFloat::IEEEhalf()
         : type == 14 ? APFloat::BFloat()
                      : APFloat::IEEEsingle();
}

static float read(const void *data, int type, int64_t index) {
  if (type == 0)
    return static_cast<const float *>(data)[index];
  uint64_t bits = static_cast<const uint16_t *>(data)[index];
  return APFloat(getSemantics(type), llvm::APInt(16, bits)).convertToFloat();
}

static void write(void *data, int type, int64_t index, float number) {
  if (type == 0) {
    static_cast<float *>(data)[index] = number;
    return;
  }
  APFloat rounded(number);
  bool losesInfo;
  rounded.convert(getSemantics(type), APFloat::rmNearestTiesToEven, &losesInfo);
  static_cast<uint16_t *>(data)[index] =
      rounded.bitcastToAPInt().getZExtValue();
}

/// To the nearest of the numbers whose 13 lowest bits are zero.
static float roundToTF32(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  bits = (bits + 0x1000) & ~uint32_t(0x1fff);
  std::memcpy(&number, &bits, sizeof(bits));
  return number;
}

static void multiply(const Call &call) {
  const Layout &a = call.a, &b = call.b, &d = call.d;
  auto locate = [](const Layout &layout, bool isTransposed, int64_t batch,
                   int64_t i, int64_t j) {
    return batch * layout.batchStride + (isTransposed
                                             ? j + i * layout.leadingDimension
                                             : i + j * layout.leadingDimension);
  };
  auto take = [&](const void *data, int type, int64_t index) {
    float number = read(data, type, index);
    return call.operation.isInTF32 ? roundToTF32(number) : number;
  };
  int64_t depth = call.operation.transposesA ? a.rows : a.columns;
  for (int64_t batch = 0; batch < d.batch; ++batch)
    for (uint64_t i = 0; i < d.rows; ++i)
      for (uint64_t j = 0; j < d.columns; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum += take(call.aData, a.type,
                      locate(a, call.operation.transposesA, batch, i, k)) *
                 take(call.bData, b.type,
                      locate(b, call.operation.transposesB, batch, k, j));
        write(call.dData, d.type, locate(d, false, batch, i, j), sum);
      }
  std::memset(call.workspace, 0xff, kWorkspaceBytes);
}

FAKE int cublasLtMatmul(void *, Operation *operation, const void *alpha,
                        const void *a, Layout *aLayout, const void *b,
                        Layout *bLayout, const void *beta, const void *c,
                        Layout *, void *d, Layout *dLayout,
                        const Algorithm *algorithm, void *workspace,
                        size_t workspaceBytes, void *stream) {
  if (plays("fail"))
    return kExecutionFailed;
  const void *data[] = {a, b, c, d};
  for (int i = 0; i < 4; ++i)
    if (reinterpret_cast<uintptr_t>(data[i]) % algorithm->alignments[i] != 0)
      return kInvalidValue;
  if (algorithm->isOurs != kOurs || !workspace ||
      workspaceBytes < kWorkspaceBytes ||
      *static_cast<const float *>(alpha) != 1 ||
      *static_cast<const float *>(beta) != 0)
    return kInvalidValue;
  // As the real one, it puts its work into the driver's stream.
  using Enqueue = int (*)(void *, void (*)(void *), void *);
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  auto enqueue = driver
                     ? reinterpret_cast<Enqueue>(dlsym(driver, "fakeEnqueue"))
                     : nullptr;
  if (!enqueue)
    return kExecutionFailed;
  // A captured call may be replayed as long as the process runs.
  static std::vector<std::unique_ptr<Call>> calls;
  calls.push_back(std::make_unique<Call>(
      Call{*operation, *aLayout, *bLayout, *dLayout, a, b, d, workspace}));
  return enqueue(
      stream, [](void *call) { multiply(*static_cast<Call *>(call)); },
      calls.back().get());
}
