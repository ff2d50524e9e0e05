//===- FuzzTarget.h - What a program of this folder defines --- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_FUZZ_FUZZTARGET_H
#define MIRAGE_TEST_FUZZ_FUZZTARGET_H

#include <cstddef>
#include <cstdint>

/// Takes any bytes, as libFuzzer wants it
/// (https://llvm.org/docs/LibFuzzer.html): they are refused with a message or
/// used, and what is wrong with us ends the process.
/// \returns 0, or -1 for an input that new ones should not be made from.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif // MIRAGE_TEST_FUZZ_FUZZTARGET_H
