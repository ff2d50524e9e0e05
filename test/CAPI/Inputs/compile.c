/* Superoptimizes a program, judges what came of it, compiles and runs it, all
 * in one process; and what callers and programs get wrong. Usage: compile
 * FOLDER PROGRAM, which is one whose search takes seconds. */
#include "Mirage-c/Runtime.h"
#include "common.h"
#include <math.h>
#include <string.h>

enum { M = 4, K = 96, N = 40 };

static const char kProgram[] =
    "func.func @sum_exp(%x: tensor<4x96xf32>) -> tensor<4x1xf32> {\n"
    "  %e = tensor.empty() : tensor<4x1xf32>\n"
    "  %r = mirage_kernel.graph ins(%x : tensor<4x96xf32>)\n"
    "      outs(%e : tensor<4x1xf32>) {\n"
    "  ^bb0(%a: tensor<4x96xf32>):\n"
    "    %0 = mirage_kernel.exp %a : (tensor<4x96xf32>) -> tensor<4x96xf32>\n"
    "    %1 = mirage_kernel.sum %0 dims [1] : (tensor<4x96xf32>) -> "
    "tensor<4x1xf32>\n"
    "    mirage_kernel.yield %1 : tensor<4x1xf32>\n"
    "  } : tensor<4x1xf32>\n"
    "  return %r : tensor<4x1xf32>\n"
    "}\n";

static const char kBroken[] = "func.func @f(%x: tensor<4xf32>) {\n"
                              "  return %y : tensor<4xf32>\n"
                              "}\n";

static const char kTwice[] = "func.func private @f()\n"
                             "func.func private @f()\n";

typedef struct {
  MirageContext *context;
  int calls;
} Watch;

static void onProgress(const char *function, const MirageSearchProgress *now,
                       void *userData) {
  Watch *watch = userData;
  if (now->maxStates == 0)
    return; /* before the first walk */
  if (watch->calls++ == 0)
    printf("progress of %s: %s\n", function,
           now->structSize == sizeof(*now) && now->bestUs > 0 &&
                   now->bestUs <= now->baselineUs
               ? "numbers"
               : "nothing");
  mirageContextCancelSearches(watch->context);
}

static void onDiagnostic(const MirageDiagnostic *diagnostic, void *userData) {
  size_t note;
  printf("%s:%u:%u: %d: %s\n", diagnostic->file, diagnostic->line,
         diagnostic->column, (int)diagnostic->severity, diagnostic->message);
  for (note = 0; note < diagnostic->numNotes; ++note)
    printf("  note at %u: %s\n", diagnostic->notes[note].line,
           diagnostic->notes[note].message);
  ++*(int *)userData;
}

static MirageModule *parse(MirageContext *context, const char *text) {
  MirageModule *module;
  require(
      mirageModuleParse(context, text, strlen(text), "program.mlir", &module),
      "parse");
  return module;
}

static int contains(const MirageText *text, const char *part) {
  return strstr(text->data, part) != NULL;
}

static void run(const char *folder) {
  static float x[M * K], sums[M];
  const void *inputs[] = {x};
  void *outputs[] = {sums};
  MirageDevice *device;
  MirageProgram *program;
  int i, k, wrong = 0;
  for (i = 0; i < M * K; ++i)
    x[i] = (float)(i % 13 - 6) / 4;
  require(mirageDeviceOpen(MirageDeviceEmulator, 0, &device), "device");
  require(mirageProgramLoad(device, folder, MirageLibraryAuto, &program),
          "load");
  require(mirageProgramRun(program, inputs, outputs), "run");
  for (i = 0; i < M; ++i) {
    double sum = 0;
    for (k = 0; k < K; ++k)
      sum += exp(x[i * K + k]);
    wrong += !(fabs(sums[i] - sum) < 1e-5 * sum);
  }
  printf("%d of %d wrong\n", wrong, M);
  mirageProgramDestroy(program);
  mirageDeviceClose(device);
}

static void testCompile(MirageContext *context, const char *folder) {
  MirageOption options[] = {{"seed", "1"}, {"max-states", "2000"}};
  MirageOption artifact[] = {{"artifact", folder}, {"ptxas", "never"}};
  MirageModule *before = parse(context, kProgram), *after, *copy;
  MirageVerifyOptions judging = {sizeof(judging), 1, 7, 40, 0, 0, 0, 1, 0};
  MirageVerdict verdict;
  MirageText text, bytes, again;
  require(mirageModuleClone(before, &after), "clone");
  require(mirageModuleSuperoptimize(after, options, COUNT(options), &text),
          "superoptimize");
  printf("report: %d %d\n", contains(&text, "\"function\": \"sum_exp\""),
         contains(&text, "\"replaced\": true"));
  mirageTextFree(&text);
  require(mirageModulePrint(after, MiragePrintText, &text), "print");
  printf("block graph: %d\n", contains(&text, "mirage_block.graph"));
  require(mirageModulesVerify(before, after, &judging, &verdict, &again),
          "verify");
  printf("verdict: %d %d\n", (int)verdict,
         contains(&again, "\"function\": \"sum_exp\""));
  mirageTextFree(&again);

  // Bytecode holds the same.
  require(mirageModulePrint(after, MiragePrintBytecode, &bytes), "bytecode");
  require(mirageModuleParse(context, bytes.data, bytes.size, NULL, &copy),
          "parse bytecode");
  require(mirageModulePrint(copy, MiragePrintText, &again), "print");
  printf("bytecode: %s\n", strcmp(text.data, again.data) ? "differs" : "same");
  mirageTextFree(&again);
  mirageTextFree(&bytes);
  mirageTextFree(&text);

  require(mirageModuleCompile(copy, artifact, COUNT(artifact), NULL),
          "compile");
  run(folder);
  mirageModuleDestroy(copy);
  mirageModuleDestroy(after);
  mirageModuleDestroy(before);
}

static MirageModule *parseFile(MirageContext *context, const char *path) {
  static char text[1 << 16];
  FILE *file = fopen(path, "rb");
  if (!file)
    exit(2);
  text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
  fclose(file);
  return parse(context, text);
}

/* A search that is cancelled ends early, and the next one is not concerned. */
static void testCancel(MirageContext *context, const char *path) {
  Watch watch = {context, 0};
  MirageOption options[] = {{"threads", "2"}};
  MirageModule *module = parseFile(context, path);
  MirageText report;
  require(mirageContextSetProgressHandler(context, onProgress, &watch),
          "progress");
  require(mirageModuleSuperoptimize(module, options, 1, &report), "cancelled");
  printf("interrupted: %d\n", contains(&report, "\"interrupted\""));
  mirageTextFree(&report);
  mirageModuleDestroy(module);
  mirageContextSetProgressHandler(context, NULL, NULL);
  module = parse(context, kProgram);
  require(mirageModuleSuperoptimize(module, options, 1, &report),
          "not cancelled");
  printf("interrupted: %d\n", contains(&report, "\"interrupted\""));
  mirageTextFree(&report);
  mirageModuleDestroy(module);
}

static const char kPair[] =
    "func.func @pair(%x: tensor<4x6xf32>)"
    "    -> (tensor<4x6xf32>, tensor<4x6xf32>) {\n"
    "  %0 = math.exp %x : tensor<4x6xf32>\n"
    "  %1 = math.absf %x : tensor<4x6xf32>\n"
    "  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>\n"
    "}\n";

static const char kSwapped[] =
    "func.func @pair(%x: tensor<4x6xf32>)"
    "    -> (tensor<4x6xf32>, tensor<4x6xf32>) {\n"
    "  %0 = math.exp %x : tensor<4x6xf32>\n"
    "  %1 = math.absf %x : tensor<4x6xf32>\n"
    "  return %1, %0 : tensor<4x6xf32>, tensor<4x6xf32>\n"
    "}\n";

/* What the judge says by its options. The text is the caller's. */
static MirageText judge(const MirageModule *before, const MirageModule *after,
                        const MirageVerifyOptions *options, const char *what) {
  MirageText details;
  MirageVerdict verdict;
  require(mirageModulesVerify(before, after, options, &verdict, &details),
          what);
  printf("%s: %d\n", what, (int)verdict);
  return details;
}

/* Results in another order are equal where the options say so, and by one seed
 * the judge says one thing. */
static void testJudge(MirageContext *context) {
  MirageModule *before = parse(context, kPair),
               *after = parse(context, kSwapped);
  MirageVerifyOptions options = {0};
  MirageText first, again, other;
  MirageVerdict verdict;
  expect(mirageModulesVerify(before, after, &options, &verdict, NULL),
         "no size");
  options.structSize = sizeof(options);
  options.hasSeed = 1;
  options.seed = 7;
  first = judge(before, after, &options, "in order");
  again = judge(before, after, &options, "in order again");
  options.seed = 8;
  other = judge(before, after, &options, "in order by another seed");
  printf("by one seed: %s\n",
         strcmp(first.data, again.data) ? "differs" : "same");
  printf("by another: %s\n",
         strcmp(first.data, other.data) ? "differs" : "same");
  mirageTextFree(&first);
  mirageTextFree(&again);
  mirageTextFree(&other);
  options.outputsInAnyOrder = 1;
  first = judge(before, after, &options, "in any order");
  mirageTextFree(&first);
  options.errorBoundBits = 1000000;
  expect(mirageModulesVerify(before, after, &options, &verdict, NULL), "bits");
  mirageModuleDestroy(before);
  mirageModuleDestroy(after);
}

static void testMistakes(MirageContext *context, MirageContext *other) {
  MirageModule *module, *foreign = parse(other, kProgram);
  MirageOption bad[] = {{"seed", "many"}}, unknown[] = {{"colour", "red"}};
  MirageText before, after;
  MirageVerdict verdict;
  char deep[100000];
  int told = 0;
  expect(mirageModuleParse(context, kBroken, strlen(kBroken), "broken.mlir",
                           &module),
         "broken");
  printf("module: %s\n", module ? "some" : "none");
  for (size_t i = 0; i < sizeof deep; ++i)
    deep[i] = i < 300 ? '[' : '(';
  expect(mirageModuleParse(context, deep, sizeof deep, "deep.mlir", &module),
         "deep");
  // An arrow closes nothing, and what is in a string opens nothing.
  mirageModuleDestroy(parse(
      context, "module attributes {t.a = () -> (), t.b = \"((\\\"((\"} {}"));
  module = parse(context, kProgram);
  require(mirageModulePrint(module, MiragePrintText, &before), "print");
  expect(mirageModuleSuperoptimize(module, bad, 1, NULL), "option");
  expect(mirageModuleCompile(module, unknown, 1, NULL), "name");
  expect(mirageModuleRunPipeline(module, "builtin.module(no-such-pass)"),
         "pass");
  expect(mirageModuleRunPipeline(module, "func.func(canonicalize)"), "anchor");
  expect(mirageModuleRunPipeline(module,
                                 "builtin.module(convert-mirage-kernel-to-"
                                 "linalg,mirage-superoptimize{target=sm_1})"),
         "later");
  require(mirageContextGetReproducer(context, &after), "reproducer");
  printf("to reproduce: %zu bytes\n", after.size); /* for it is a user's */
  mirageTextFree(&after);
  expect(mirageModulesVerify(module, foreign, NULL, &verdict, NULL),
         "contexts");
  expect(mirageCheckpointsMerge("nowhere/x", NULL, 1, NULL), "no inputs");
  expect(mirageCheckpointsMerge("nowhere/x", (const char *[]){"nowhere/y"}, 1,
                                NULL),
         "checkpoints");
  require(mirageModulePrint(module, MiragePrintText, &after), "print");
  printf("module %s\n", strcmp(before.data, after.data) ? "differs" : "same");
  mirageTextFree(&before);
  mirageTextFree(&after);
  mirageModuleDestroy(module);
  mirageModuleDestroy(foreign);
  require(mirageContextSetDiagnosticHandler(context, onDiagnostic, &told),
          "handler");
  expect(
      mirageModuleParse(context, kTwice, strlen(kTwice), "twice.mlir", &module),
      "told");
  printf("told %d\n", told);
  expect(mirageContextCreate(2000, &other), "threads");
}

int main(int argc, char **argv) {
  MirageContext *context, *other;
  MirageText ptxas;
  if (argc != 3)
    return 2;
  printf("version %s\n", mirageGetVersion());
  require(mirageFindPtxas(&ptxas), "ptxas");
  printf("ptxas %s\n", ptxas.size > 0 ? ptxas.data : "none");
  mirageTextFree(&ptxas);
  require(mirageContextCreate(0, &context), "context");
  require(mirageContextCreate(2, &other), "context");
  testCompile(context, argv[1]);
  testCancel(context, argv[2]);
  testJudge(context);
  testMistakes(context, other);
  mirageContextDestroy(context);
  mirageContextDestroy(other);
  return 0;
}
