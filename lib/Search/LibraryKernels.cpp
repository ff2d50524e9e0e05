//===- LibraryKernels.cpp - Kernels that are left to a library ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/LibraryKernels.h"
#include "Mirage/Search/CostModel.h"
#include "Mirage/Search/NamedChoice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::search;

static constexpr llvm::StringLiteral kNames[] = {"auto", "never", "always"};

llvm::StringRef
mlir::mirage::search::getLibraryKernelsName(LibraryKernels choice) {
  return kNames[static_cast<unsigned>(choice)];
}

llvm::Expected<LibraryKernels>
mlir::mirage::search::parseLibraryKernels(llvm::StringRef name) {
  llvm::Expected<unsigned> choice =
      parseNamedChoice("library-kernels", kNames, name);
  if (!choice)
    return choice.takeError();
  return static_cast<LibraryKernels>(*choice);
}

std::optional<LibraryMatmul>
mlir::mirage::search::findLibraryMatmul(const Graph &graph,
                                        const Node &operation) {
  if (operation.opcode != Opcode::Matmul)
    return std::nullopt;
  auto place = [&](ValueId value) {
    return PlacedTensor::makeRowMajor(graph.getType(value));
  };
  return mirage::findLibraryMatmul(
      place(operation.operands[0]), place(operation.operands[1]),
      place(operation.results[0]), graph.f32Products);
}

double mlir::mirage::search::getLibraryCostUs(const LibraryMatmul &matmul,
                                              LibraryKernels choice,
                                              const CostModel &costModel) {
  double weight = choice == LibraryKernels::Auto ? 2 : 1;
  return weight * costModel.estimateLibraryUs(matmul);
}

bool mlir::mirage::search::isLeftToLibrary(const LibraryMatmul &matmul,
                                           double kernelUs,
                                           LibraryKernels choice,
                                           const CostModel &costModel) {
  return choice == LibraryKernels::Always ||
         (choice == LibraryKernels::Auto &&
          getLibraryCostUs(matmul, choice, costModel) < kernelUs);
}

//===----------------------------------------------------------------------===//
// What the library takes
//===----------------------------------------------------------------------===//

// cuBLAS on an H200 did 622 to 643 TFLOP/s of f16 at 4096 x 4096 x 4096, of the
// 949 that there are; 1024 tiles fill 132 SMs 7.76 times, in eight waves. That
// f32 has the same share of its rate is an assumption, and that it has in tf32.
static constexpr double kArithmeticShare = 0.69;
// Two linear layers of 8 rows, 67 MB of weights, took PyTorch with cuBLAS 25.3
// µs of cold L2, and one of 16 rows with its norm, 50 MB, 17.8. Without the
// launches and the elementwise kernels that is 73 % and 80 % of 4.37 TB/s.
static constexpr double kStreamingShare = 0.75;
// A first tile to wait for and a last one to store. The three matmuls of LoRA,
// 16 x 256 x 4096 of rank 16, then come to 7.5 µs; the best of PyTorch and
// Triton took 7.45.
static constexpr double kLatencies = 1.4;
static constexpr int64_t kTile = 128, kSmallTile = 32, kLeastPartOfK = 256;

static double getMatrixBytes(int64_t rows, int64_t columns, ElementType element,
                             const LibraryMatrix &matrix, int64_t batch) {
  int64_t copies = matrix.batchStride == 0 ? 1 : batch;
  return double(rows) * double(columns) * double(copies) *
         getSizeBytes(element);
}

static double getFlopsPerUsSM(const LibraryMatmul &matmul,
                              const Target &target) {
  if (matmul.operandElement != ElementType::F32)
    return target.tensorFlopsPerUsSM;
  return matmul.f32Products == F32Products::TF32 ? target.tensorFlopsPerUsSM / 2
                                                 : 2 * target.scalarOpsPerUsSM;
}

/// Tiles in waves over the SMs. Where there are few, they are cut into smaller
/// ones and along K, as far as that goes, so that more SMs have one.
static double getArithmeticUs(const LibraryMatmul &matmul,
                              const Target &target) {
  auto countTiles = [&](int64_t size) {
    return double(llvm::divideCeil(matmul.m, size)) *
           double(llvm::divideCeil(matmul.n, size)) * double(matmul.batch);
  };
  double smsUsed = double(target.numSMs);
  if (double tiles = countTiles(kTile); tiles > smsUsed)
    smsUsed = tiles / std::ceil(tiles / smsUsed);
  else
    smsUsed = std::min(smsUsed,
                       countTiles(kSmallTile) *
                           double(llvm::divideCeil(matmul.k, kLeastPartOfK)));
  double flopsPerUs = getFlopsPerUsSM(matmul, target);
  double flops = 2.0 * double(matmul.m) * double(matmul.n) * double(matmul.k) *
                 double(matmul.batch);
  return flops / (kArithmeticShare * flopsPerUs * smsUsed);
}

double AnalyticCostModel::estimateLibraryUs(const LibraryMatmul &matmul) const {
  double bytes = getMatrixBytes(matmul.m, matmul.k, matmul.operandElement,
                                matmul.lhs, matmul.batch) +
                 getMatrixBytes(matmul.k, matmul.n, matmul.operandElement,
                                matmul.rhs, matmul.batch) +
                 getMatrixBytes(matmul.m, matmul.n, matmul.resultElement,
                                matmul.result, matmul.batch);
  return target.launchUs + kLatencies * target.loadLatencyUs +
         std::max(bytes / (kStreamingShare * target.memoryBytesPerUs),
                  getArithmeticUs(matmul, target));
}
