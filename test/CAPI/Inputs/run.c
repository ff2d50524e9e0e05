/* Runs sqrt(square(X)) of 7 x 130 f32 elements on host memory, twice, and tries
 * what is no call. Usage: run emulator|cuda FOLDER */
#include "Mirage-c/Runtime.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int expectError(MirageStatus status, MirageStatus expected,
                       const char *what) {
  if (status == expected) {
    printf("%s: %s\n", what, mirageGetLastError());
    return 0;
  }
  printf("%s: expects status %d, got %d\n", what, expected, status);
  return 1;
}

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, mirageGetLastError());
  return 1;
}

static int checkBadCalls(const MirageDevice *device,
                         const MirageProgram *program) {
  MirageProgram *other;
  MirageTensorInfo info;
  uint64_t addresses[1] = {8};
  int failures = 0;
  failures += expectError(mirageProgramGetInput(program, 1, &info),
                          MirageInvalidArgument, "number");
  failures += expectError(mirageProgramGetInput(NULL, 0, &info),
                          MirageInvalidArgument, "program");
  failures += expectError(
      mirageProgramLoad(device, "nowhere", MirageLibraryAuto, &other),
      MirageFailure, "folder");
  failures +=
      expectError(mirageProgramLoad(device, NULL, MirageLibraryAuto, &other),
                  MirageInvalidArgument, "null");
  failures +=
      expectError(mirageProgramEnqueue(program, NULL, addresses, addresses),
                  MirageInvalidArgument, "alignment");
  addresses[0] = 0;
  failures +=
      expectError(mirageProgramEnqueue(program, NULL, addresses, addresses),
                  MirageInvalidArgument, "address");
  return failures + (other != NULL);
}

static int runOnce(const MirageProgram *program, int64_t elements,
                   float factor) {
  float *x = malloc(elements * sizeof(float));
  float *y = malloc(elements * sizeof(float));
  const void *inputs[1] = {x};
  void *outputs[1] = {y};
  int64_t i, wrong = 0;
  for (i = 0; i < elements; ++i)
    x[i] = factor * (float)(i - elements / 2);
  if (mirageProgramRun(program, inputs, outputs) != MirageSuccess)
    return fail("run");
  for (i = 0; i < elements; ++i)
    wrong += fabsf(y[i] - fabsf(x[i])) > 1e-6f * fabsf(x[i]);
  printf("%lld of %lld wrong\n", (long long)wrong, (long long)elements);
  free(x);
  free(y);
  return wrong != 0;
}

/* Loads, runs and destroys in a thread that has opened no device. */
struct Task {
  const MirageDevice *device;
  const char *folder;
};
static void *runInThread(void *argument) {
  const struct Task *task = argument;
  MirageProgram *program;
  static int failed;
  failed = mirageProgramLoad(task->device, task->folder, MirageLibraryAuto,
                             &program) != MirageSuccess;
  if (failed)
    fail("load in a thread");
  else
    failed = runOnce(program, 7 * 130, 0.5f);
  mirageProgramDestroy(program);
  return failed ? &failed : NULL;
}

static int runElsewhere(const MirageDevice *device, const char *folder) {
  struct Task task;
  pthread_t thread;
  void *failed = NULL;
  task.device = device;
  task.folder = folder;
  if (pthread_create(&thread, NULL, runInThread, &task) != 0)
    return 1;
  pthread_join(thread, &failed);
  return failed != NULL;
}

int main(int argc, char **argv) {
  MirageDevice *device;
  MirageProgram *program;
  MirageTensorInfo x;
  int failures;
  int isCuda = argc == 3 && strcmp(argv[1], "cuda") == 0;
  if (argc != 3)
    return 2;
  if (mirageDeviceOpen(isCuda ? MirageDeviceCuda : MirageDeviceEmulator, 0,
                       &device) != MirageSuccess)
    return fail("open");
  printf("%s, %d, %d\n", mirageDeviceGetName(device),
         mirageDeviceGetComputeCapability(device),
         mirageDeviceGetDriverVersion(device));
  if (mirageProgramLoad(device, argv[2], MirageLibraryAuto, &program) !=
      MirageSuccess)
    return fail("load");
  if (mirageProgramGetInput(program, 0, &x) != MirageSuccess)
    return fail("input");
  printf("%s: element %d, rank %d, shape %d %d, strides %d %d, %d bytes\n",
         x.name, x.element, (int)x.rank, (int)x.shape[0], (int)x.shape[1],
         (int)x.strides[0], (int)x.strides[1], (int)x.sizeBytes);
  printf("%d inputs, %d outputs, %d bytes of workspace\n",
         (int)mirageProgramGetNumInputs(program),
         (int)mirageProgramGetNumOutputs(program),
         (int)mirageProgramGetWorkspaceBytes(program));
  failures = checkBadCalls(device, program);
  failures += runElsewhere(device, argv[2]);
  mirageDeviceClose(device); /* the program keeps what it needs */
  failures += runOnce(program, x.sizeBytes / 4, 0.25f);
  failures += runOnce(program, x.sizeBytes / 4, 3.0f);
  mirageProgramDestroy(program);
  return failures != 0;
}
