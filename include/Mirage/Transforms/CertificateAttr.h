//===- CertificateAttr.h - Certificates in IR -------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute `mirage.certificate` of a kernel graph holds a Certificate
// (Mirage/Verify/Certificate.h):
//
//   {version = 3 : i64, program = "..", result = "..", seed = 0 : i64,
//    error_bound = 64 : i64, proved_log2 = -1752.6 : f64, trials = 64 : i64,
//    towers = 4 : i64, sizes = "4x6, 6x8", where_both_defined = false,
//    own_size = "trials agree", digest = ".."}
//
// and, where there is something to say, `conjectured_log2`, `literals`
// ([[0.000244140625, 0.25], ..], each with what it is at these sizes),
// `mask_offsets` ([[100, 1], ..], likewise), `keeps_numbers = true`, `pieces`,
// `same_graph = true` and `repeatable = false`. Each certificate is written in
// one way: an entry that says nothing is as little one as any other.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TRANSFORMS_CERTIFICATEATTR_H
#define MIRAGE_TRANSFORMS_CERTIFICATEATTR_H

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Verify/Certificate.h"

namespace mlir::mirage {

DictionaryAttr getCertificateAttr(MLIRContext *context,
                                  const Certificate &certificate);

/// The certificate of a graph; none if it has none. Of one of another version
/// than ours nothing but the version is read. Fails after a diagnostic that
/// names what is missing in it, is no such thing or is not to be there.
FailureOr<std::optional<Certificate>> readCertificate(kernel::GraphOp op);

} // namespace mlir::mirage

#endif // MIRAGE_TRANSFORMS_CERTIFICATEATTR_H
