//===- InstructionSets.h - One function for several processors --*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that is declared MIRAGE_KERNEL is compiled for AVX-512, for AVX2
// and for the base instruction set, and the machine picks one when the program
// starts. With the address sanitizer, which runs before that, there is one.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_INSTRUCTIONSETS_H
#define MIRAGE_ALGEBRA_INSTRUCTIONSETS_H

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MIRAGE_KERNEL
#endif
#endif
#ifndef MIRAGE_KERNEL
#define MIRAGE_KERNEL                                                          \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#else
#define MIRAGE_KERNEL
#endif

#endif // MIRAGE_ALGEBRA_INSTRUCTIONSETS_H
