/* Runs sqrt(square(X)) in a stream and in a CUDA graph of the caller's, with
 * the caller's device memory. Usage: stream FOLDER */
#include "Mirage-c/Runtime.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of cuda.h, which is not there. */
typedef void *Handle;
static int (*memAlloc)(uint64_t *, size_t);
static int (*memFree)(uint64_t);
static int (*toDevice)(uint64_t, const void *, size_t);
static int (*toHost)(void *, uint64_t, size_t);
static int (*streamCreate)(Handle *, unsigned);
static int (*streamDestroy)(Handle);
static int (*streamSynchronize)(Handle);
static int (*beginCapture)(Handle, int);
static int (*endCapture)(Handle, Handle *);
static int (*instantiate)(Handle *, Handle, unsigned long long);
static int (*graphLaunch)(Handle, Handle);
static int (*graphDestroy)(Handle);
static int (*execDestroy)(Handle);

static void check(int isRight, const char *what) {
  if (isRight)
    return;
  fprintf(stderr, "%s: %s\n", what, mirageGetLastError());
  exit(1);
}

static void load(Handle driver, const char *name, void *function) {
  *(Handle *)function = dlsym(driver, name);
  check(*(Handle *)function != NULL, name);
}

static void loadDriver(void) {
  Handle driver = dlopen("libcuda.so.1", RTLD_NOW);
  check(driver != NULL, "libcuda.so.1");
  load(driver, "cuMemAlloc_v2", &memAlloc);
  load(driver, "cuMemFree_v2", &memFree);
  load(driver, "cuMemcpyHtoD_v2", &toDevice);
  load(driver, "cuMemcpyDtoH_v2", &toHost);
  load(driver, "cuStreamCreate", &streamCreate);
  load(driver, "cuStreamDestroy_v2", &streamDestroy);
  load(driver, "cuStreamSynchronize", &streamSynchronize);
  load(driver, "cuStreamBeginCapture_v2", &beginCapture);
  load(driver, "cuStreamEndCapture", &endCapture);
  load(driver, "cuGraphInstantiateWithFlags", &instantiate);
  load(driver, "cuGraphLaunch", &graphLaunch);
  load(driver, "cuGraphDestroy", &graphDestroy);
  load(driver, "cuGraphExecDestroy", &execDestroy);
}

enum { kElements = 7 * 130 };
static float x[kElements], y[kElements];

static void fillInput(uint64_t address, float factor) {
  int i;
  for (i = 0; i < kElements; ++i)
    x[i] = factor * (float)(i - 300);
  check(toDevice(address, x, sizeof(x)) == 0, "copying in");
}

static int countWrong(uint64_t address) {
  int i, wrong = 0;
  check(toHost(y, address, sizeof(y)) == 0, "copying out");
  for (i = 0; i < kElements; ++i)
    wrong += fabsf(y[i] - fabsf(x[i])) > 1e-6f * fabsf(x[i]);
  return wrong;
}

/* Where memory is, and one stream that waits for another. */
static void checkStreams(const MirageDevice *device,
                         const MirageProgram *program, Handle stream,
                         const uint64_t *input, const uint64_t *output) {
  MirageEvent *event;
  int ordinal = -1, answer = -1;
  check(mirageFindDevice(output[0] + 4, &ordinal) == MirageSuccess, "find");
  printf("on device %d\n", ordinal);
  if (mirageFindDevice(64, &ordinal) != MirageSuccess)
    printf("%d: %s\n", ordinal, mirageGetLastError());
  check(mirageProgramTrustStreams(program) == MirageSuccess, "trusting");
  check(mirageEventCreate(device, &event) == MirageSuccess &&
            mirageEventRecord(event, stream) == MirageSuccess &&
            mirageEventMakeWait(event, NULL) == MirageSuccess,
        "an event");
  check(mirageProgramEnqueue(program, NULL, input, output) == MirageSuccess,
        "enqueue behind an event");
  printf("two streams: %d wrong\n", countWrong(output[0]));
  check(mirageEventHasPassed(event, &answer) == MirageSuccess, "asking");
  printf("passed: %d\n", answer);
  mirageEventDestroy(event);
  check(beginCapture(stream, 0) == 0, "capturing");
  check(mirageDeviceIsCapturing(device, stream, &answer) == MirageSuccess,
        "asking a stream");
  printf("captures: %d\n", answer);
}

/* A program goes while somebody captures, who does not notice. */
static void destroyDuringCapture(MirageProgram *program, Handle stream) {
  Handle graph = NULL;
  mirageProgramDestroy(program);
  check(endCapture(stream, &graph) == 0, "a capture during which one goes");
  graphDestroy(graph);
}

int main(int argc, char **argv) {
  MirageDevice *device;
  MirageProgram *program, *other;
  Handle stream = NULL, graph = NULL, executable = NULL;
  uint64_t input[1], output[1];
  check(argc == 2, "usage: stream FOLDER");
  check(mirageDeviceOpen(MirageDeviceCuda, 0, &device) == MirageSuccess,
        "open");
  check(mirageProgramLoad(device, argv[1], MirageLibraryAuto, &program) ==
            MirageSuccess,
        "load");
  loadDriver();
  check(mirageProgramMakeCurrent(program) == MirageSuccess, "current");
  check(memAlloc(input, sizeof(x)) == 0 && memAlloc(output, sizeof(y)) == 0 &&
            streamCreate(&stream, 1) == 0,
        "preparing");

  fillInput(input[0], 0.5f);
  check(mirageProgramEnqueue(program, stream, input, output) == MirageSuccess,
        "enqueue");
  check(streamSynchronize(stream) == 0, "waiting");
  printf("stream: %d wrong\n", countWrong(output[0]));

  check(beginCapture(stream, 1) == 0, "capturing");
  check(mirageProgramEnqueue(program, stream, input, output) == MirageSuccess,
        "enqueue into a graph");
  check(endCapture(stream, &graph) == 0 &&
            instantiate(&executable, graph, 0) == 0,
        "instantiating");
  fillInput(input[0], 2.0f);
  check(graphLaunch(executable, stream) == 0 && streamSynchronize(stream) == 0,
        "replaying");
  printf("graph: %d wrong\n", countWrong(output[0]));

  execDestroy(executable);
  graphDestroy(graph);
  check(mirageProgramLoad(device, argv[1], MirageLibraryAuto, &other) ==
            MirageSuccess,
        "load another");
  fillInput(input[0], 3.0f);
  checkStreams(device, other, stream, input, output);
  destroyDuringCapture(other, stream);
  streamDestroy(stream);
  memFree(input[0]);
  memFree(output[0]);
  mirageProgramDestroy(program);
  mirageDeviceClose(device);
  return 0;
}
