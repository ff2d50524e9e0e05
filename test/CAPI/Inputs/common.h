// What the programs of these tests share.
#ifndef MIRAGE_TEST_CAPI_COMMON_H
#define MIRAGE_TEST_CAPI_COMMON_H

#include "Mirage-c/Compiler.h"
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

// For what has to succeed.
static void require(MirageStatus status, const char *what) {
  if (status == MirageSuccess)
    return;
  printf("%s: %s\n", what, mirageGetLastError());
  exit(1);
}

// For what has not: prints the kind of failure and its sentence.
static void expect(MirageStatus status, const char *what) {
  printf("%s: %s: %s\n", what,
         status == MirageInvalidArgument ? "argument"
         : status == MirageFailure       ? "failure"
         : status == MirageInternalError ? "fault"
                                         : "success",
         status == MirageSuccess ? "" : mirageGetLastError());
}

#endif // MIRAGE_TEST_CAPI_COMMON_H
