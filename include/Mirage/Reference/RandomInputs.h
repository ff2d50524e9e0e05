//===- RandomInputs.h - Inputs to try a program with ---------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_REFERENCE_RANDOMINPUTS_H
#define MIRAGE_REFERENCE_RANDOMINPUTS_H

#include "Mirage/Graph/Graph.h"
#include "Mirage/Reference/HostTensor.h"

namespace mlir::mirage {

/// A standard deviation for an input of a program with which sums of products
/// stay of the size of one term: 1/sqrt(K) where the input is (seen through
/// movements, and into tile graphs) the right operand of a matmul that
/// contracts K elements, as weights are initialised; 1 elsewhere. So a µGraph
/// gets what its program gets.
double getTypicalDeviation(const Graph &program, unsigned input);

/// Independent, approximately normal numbers around 0: sums of eight uniform
/// ones, within 4.9 standard deviations. Made of integer arithmetic and single
/// IEEE operations, so that a seed gives the same bits on every machine and
/// with any number of threads.
/// \param stream  tells the inputs of one program apart.
HostTensor makeNormalTensor(const TensorSpec &type, double deviation,
                            uint64_t seed, uint64_t stream,
                            unsigned threads = 1);

/// Elements of that tensor from `first` on, row-major, as `decode` has them: of
/// one that is too large to be held.
void readNormalElements(ElementType type, double deviation, uint64_t seed,
                        uint64_t stream, size_t first,
                        llvm::MutableArrayRef<double> values);

/// One tensor for each input of `program`, with typical deviations.
std::vector<HostTensor> makeRandomInputs(const Graph &program, uint64_t seed,
                                         unsigned threads = 1);

} // namespace mlir::mirage

#endif // MIRAGE_REFERENCE_RANDOMINPUTS_H
