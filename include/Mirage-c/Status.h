/*===- Mirage-c/Status.h - What came of a call ------------------ -*- C -*-===*\
|*                                                                            *|
|* Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.        *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Functions return a status. What they make they leave in the place that     *|
|* their last argument points at, which is null, or empty, where they fail;   *|
|* it is the caller's, who gives it back by the function for it.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef MIRAGE_C_STATUS_H
#define MIRAGE_C_STATUS_H

#include <stddef.h>

#if defined(__GNUC__)
#define MIRAGE_C_EXPORTED __attribute__((visibility("default")))
#else
#define MIRAGE_C_EXPORTED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What came of a call. */
typedef enum {
  MirageSuccess = 0,
  /** The call itself is wrong: a null pointer, a number out of range, an
   * address that is not aligned, a shape that does not fit. */
  MirageInvalidArgument = 1,
  /** All else: a program that is none, no driver, no such file, a device that
   * is too old, a kernel that failed. */
  MirageFailure = 2,
  /** A fault of Mirage's own, for a bug report: a pass that left a module which
   * does not verify, operations that no pass lowers, a kernel that breaks a
   * rule of the machine on the emulator. */
  MirageInternalError = 3
} MirageStatus;

/** The sentence that belongs to the last call of this thread that did not
 * succeed: what was expected and what was found, without a full stop. Empty
 * before the first one. Valid until the thread's next call that does not
 * succeed. */
MIRAGE_C_EXPORTED const char *mirageGetLastError(void);

/** The version of Mirage, "0.1.0". */
MIRAGE_C_EXPORTED const char *mirageGetVersion(void);

/** Bytes that the caller owns; text in UTF-8 has a zero behind its end, which
 * `size` does not count. */
typedef struct {
  char *data;
  size_t size;
} MirageText;

/** Gives the bytes back and empties \p text. Null is fine, and so is what is
 * empty. */
MIRAGE_C_EXPORTED void mirageTextFree(MirageText *text);

#ifdef __cplusplus
}
#endif

#endif /* MIRAGE_C_STATUS_H */
