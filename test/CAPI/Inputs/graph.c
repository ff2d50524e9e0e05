// Programs and block graphs that are built operator by operator, and what does
// not fit them.
#include "Mirage-c/Graph.h"
#include "common.h"
#include <string.h>

static const int64_t kX[] = {8, 512}, kW[] = {512, 96}, kByColumns[] = {1, 512};

static MirageValue addInput(MirageGraph *graph, const char *name,
                            const int64_t *shape, const int64_t *strides) {
  MirageTensorType type = {MirageElementF16, 2, shape, strides};
  MirageValue value;
  require(mirageGraphAddInput(graph, name, &type, &value), name);
  return value;
}

static MirageValue add(MirageGraph *graph, const char *name, MirageValue lhs,
                       MirageValue rhs, size_t numOperands,
                       const char *attributes) {
  MirageValue operands[2], result;
  operands[0] = lhs;
  operands[1] = rhs;
  require(mirageGraphAddOperator(graph, name, operands, numOperands, attributes,
                                 &result),
          name);
  return result;
}

// RMSNorm and a linear layer, whose weights lie as [N, K].
static MirageGraph *makeProgram(void) {
  MirageGraph *graph;
  require(mirageGraphCreate(&graph), "graph");
  MirageValue x = addInput(graph, "X", kX, NULL);
  MirageValue w = addInput(graph, NULL, kW, kByColumns);
  MirageValue norm =
      add(graph, "rms_norm", x, 0, 1, "{\"dims\": [1], \"scalars\": [0]}");
  MirageValue out = add(graph, "matmul", norm, w, 2, NULL);
  require(mirageGraphAddOutput(graph, out, NULL), "output");
  return graph;
}

// The same as one kernel: 3 blocks, which divide by the norm at the end.
static MirageGraph *makeKernel(void) {
  MirageGraph *graph, *block;
  int64_t grid[] = {3};
  int64_t threads[] = {64, 2};
  MirageBlockShape shape = {sizeof(shape), 1, grid, NULL, 8, 2, 2, threads};
  int none[] = {MirageReplicated}, columns[] = {1};
  MirageTensorType xType = {MirageElementF16, 2, kX, NULL};
  MirageTensorType wType = {MirageElementF16, 2, kW, NULL};
  MirageValue xt, wt, operands[2], result;
  require(mirageBlockGraphCreate(&shape, &block), "block");
  require(mirageBlockGraphAddInput(block, &xType, none, 1, &xt), "X");
  require(mirageBlockGraphAddInput(block, &wType, columns, 0, &wt), "W");
  MirageValue rms = add(block, "accumulate", xt, 0, 1,
                        "{\"reduction\": \"rms\", \"axis\": \"loop\", "
                        "\"dims\": [1], \"count\": 512}");
  MirageValue product = add(block, "matmul", xt, wt, 2, NULL);
  expect(mirageBlockGraphAddOutput(block, product, columns, NULL, NULL),
         "of the loop");
  expect(mirageGraphAddOperator(block, "div", (MirageValue[]){product, rms}, 2,
                                NULL, &result),
         "phases");
  MirageValue sum = add(block, "accumulate", product, 0, 1,
                        "{\"reduction\": \"sum\", \"axis\": \"loop\"}");
  MirageValue out = add(block, "div", sum, rms, 2, NULL);
  require(mirageGraphCreate(&graph), "graph");
  operands[0] = addInput(graph, "X", kX, NULL);
  operands[1] = addInput(graph, NULL, kW, kByColumns);
  expect(mirageGraphAddBlockGraph(graph, block, operands, 2, &result),
         "no output");
  require(mirageBlockGraphAddOutput(block, out, columns, NULL, NULL), "output");
  expect(mirageGraphAddBlockGraph(graph, block, operands, 1, &result),
         "too few");
  require(mirageGraphAddBlockGraph(graph, block, operands, 2, &result),
          "kernel");
  require(mirageGraphAddOutput(graph, result, NULL), "output");
  mirageGraphDestroy(block);
  return graph;
}

static void printType(const MirageGraph *graph, MirageValue value) {
  MirageTensorType type;
  require(mirageGraphGetType(graph, value, &type), "type");
  printf("%%%u: element %d,", value, (int)type.element);
  for (size_t dim = 0; dim < type.rank; ++dim)
    printf(" %d", (int)type.shape[dim]);
  printf(" strides");
  for (size_t dim = 0; dim < type.rank; ++dim)
    printf(" %d", (int)type.strides[dim]);
  printf("\n");
}

static void printModule(const MirageModule *module) {
  MirageText text;
  require(mirageModulePrint(module, MiragePrintText, &text), "print");
  printf("%s", text.data);
  mirageTextFree(&text);
}

/// What the original Mirage writes: lists of graphs, and numbers of types.
static void testOriginal(void) {
  static const char exp[] =
      "[[{\"op_type\": \"kn_input_op\", \"input_strides\": [1, 8],"
      "\"output_tensors\": [{\"guid\": 7, \"data_type\": 940,"
      "\"num_dims\": 2, \"dim\": [8, 64]}]},"
      "{\"op_type\": \"kn_exp_op\", \"input_tensors\": [{\"guid\": 7}],"
      "\"output_tensors\": [{\"guid\": 8, \"data_type\": 940,"
      "\"num_dims\": 2, \"dim\": [8, 64]}]}], []]";
  MirageNumberedType type = {940, MirageElementBF16};
  MirageJSONChoices choices = {sizeof(choices), 0, &type, 1};
  MirageGraph *graph;
  require(
      mirageGraphFromJSONWithChoices(exp, sizeof(exp) - 1, &choices, &graph),
      "original");
  printType(graph, 0);
  printType(graph, 1);
  mirageGraphDestroy(graph);
  expect(mirageGraphFromJSON(exp, sizeof(exp) - 1, &graph), "two");
  choices.index = 2;
  expect(mirageGraphFromJSONWithChoices(exp, sizeof(exp) - 1, &choices, &graph),
         "third");
  expect(mirageGraphFromJSONWithChoices("{}", 2, &choices, &graph), "ours");
  choices.index = 1;
  expect(mirageGraphFromJSONWithChoices(exp, sizeof(exp) - 1, &choices, &graph),
         "nothing");
  type.element = (MirageElementType)9;
  expect(mirageGraphFromJSONWithChoices(exp, sizeof(exp) - 1, &choices, &graph),
         "type");
  choices.structSize = 0;
  expect(mirageGraphFromJSONWithChoices(exp, sizeof(exp) - 1, &choices, &graph),
         "choices");
  choices.structSize = sizeof(choices);
  choices.types = NULL;
  expect(mirageGraphFromJSONWithChoices(exp, sizeof(exp) - 1, &choices, &graph),
         "types");
}

/// What was given out stays where it is while inputs are added.
static void testNames(void) {
  MirageGraph *graph;
  const char *first;
  char name[8];
  require(mirageGraphCreate(&graph), "graph");
  addInput(graph, "first", kX, NULL);
  first = mirageGraphGetInputName(graph, 0);
  for (int i = 0; i < 100; ++i) {
    snprintf(name, sizeof(name), "x%d", i);
    addInput(graph, name, kX, NULL);
  }
  printf("names: %s, %s, %d, \"%s\"\n", first,
         mirageGraphGetInputName(graph, 100),
         first == mirageGraphGetInputName(graph, 0),
         mirageGraphGetInputName(graph, 101));
  mirageGraphDestroy(graph);
}

static void testNumbers(void) {
  MirageGraph *graph;
  MirageValue x, value;
  require(mirageGraphCreate(&graph), "graph");
  x = addInput(graph, "X", kX, NULL);
  require(mirageGraphAddOperatorWithNumber(graph, "pow", x, 3, 0, &value),
          "cube");
  printType(graph, value);
  require(mirageGraphAddOperatorWithNumber(graph, "sub", x, 3, 1, &value),
          "difference");
  require(mirageGraphAddOperatorWithNumber(graph, "pow", x, 1, 0, &value),
          "itself");
  printType(graph, value);
  require(mirageGraphAddSumTo(graph, x, 1, 64, 0, &value), "sum");
  printType(graph, value);
  printf("values: %d\n", (int)mirageGraphGetNumValues(graph));
  expect(mirageGraphAddOperatorWithNumber(graph, "pow", x, 100, 0, &value),
         "exponent");
  expect(mirageGraphAddOperatorWithNumber(graph, "pow", x, -2, 1, &value),
         "base");
  expect(mirageGraphAddOperatorWithNumber(graph, "div", x, 0, 0, &value),
         "divisor");
  expect(mirageGraphAddOperatorWithNumber(graph, "exp", x, 2, 0, &value),
         "operator");
  expect(mirageGraphAddOperatorWithNumber(graph, "add", 9, 2, 0, &value),
         "operand");
  expect(mirageGraphAddOperatorWithNumber(graph, NULL, x, 2, 0, &value),
         "null");
  expect(mirageGraphAddSumTo(graph, x, 1, 7, 0, &value), "parts");
  expect(mirageGraphAddSumTo(graph, x, 1, 64, 1, &value), "accumulated");
  mirageGraphDestroy(graph);
}

static void testMistakes(void) {
  MirageGraph *graph, *block;
  MirageValue value, operands[2];
  int64_t empty[] = {8, 0}, overlapping[] = {1, 1}, four[] = {1, 1, 1, 1};
  int wrong[] = {2};
  MirageTensorType type = {MirageElementF16, 2, empty, NULL};
  int64_t threads[] = {128}, smaller[] = {8, 128};
  MirageBlockShape shape = {sizeof(shape), 4, four, NULL, 1, 1, 1, threads};
  MirageElementType other = MirageElementF32, unknown = (MirageElementType)9;
  require(mirageGraphCreate(&graph), "graph");
  expect(mirageGraphAddInput(graph, "X", &type, &value), "empty");
  type.shape = kX;
  type.element = (MirageElementType)9;
  expect(mirageGraphAddInput(graph, "X", &type, &value), "element");
  operands[0] = addInput(graph, "X", kX, NULL);
  operands[1] = addInput(graph, "W", kW, NULL);
  expect(mirageGraphAddOperator(graph, "matmul", operands, 1, NULL, &value),
         "operands");
  expect(mirageGraphAddOperator(graph, "softplus", operands, 1, NULL, &value),
         "name");
  expect(mirageGraphAddOperator(graph, "accumulate", operands, 1, NULL, &value),
         "level");
  expect(mirageGraphAddOperator(graph, "add", operands, 2, NULL, &value),
         "shapes");
  expect(
      mirageGraphAddOperator(graph, "sum", operands, 1, "{\"dim\": 1}", &value),
      "member");
  expect(mirageGraphAddOperator(graph, "sum", operands, 1, "{", &value),
         "json");
  expect(mirageGraphAddOperator(graph, "cast", operands, 1, NULL, &value),
         "cast");
  expect(mirageGraphAddOperator(graph, "reshape", operands, 1,
                                "{\"shape\": [7, 3]}", &value),
         "reshape");
  operands[1] = 7;
  expect(mirageGraphAddOperator(graph, "add", operands, 2, NULL, &value),
         "value");
  value = add(graph, "exp", 0, 0, 1, NULL);
  type.element = MirageElementF16;
  require(mirageGraphAddInput(graph, "Y", &type, &value), "late");
  printType(graph, add(graph, "add", 2, value, 2, NULL));
  expect(mirageGraphAddOutput(graph, 2, overlapping), "strides");
  expect(mirageGraphAddOutput(graph, 9, NULL), "output");
  printf("values: %d, outputs: %d\n", (int)mirageGraphGetNumValues(graph),
         (int)mirageGraphGetNumOutputs(graph));
  expect(mirageBlockGraphCreate(&shape, &block), "grid");
  shape.gridRank = 1;
  threads[0] = 33;
  expect(mirageBlockGraphCreate(&shape, &block), "threads");
  threads[0] = ((int64_t)1 << 32) + 64;
  expect(mirageBlockGraphCreate(&shape, &block), "many threads");
  threads[0] = -64;
  expect(mirageBlockGraphCreate(&shape, &block), "no threads");
  shape.block = NULL;
  expect(mirageBlockGraphCreate(&shape, &block), "null threads");
  shape.block = threads;
  threads[0] = 64;
  --shape.structSize;
  expect(mirageBlockGraphCreate(&shape, &block), "size");
  ++shape.structSize;
  require(mirageBlockGraphCreate(&shape, &block), "block");
  expect(mirageBlockGraphAddInput(block, &type, wrong, -1, &value), "map");
  type.strides = kByColumns;
  wrong[0] = MirageReplicated;
  expect(mirageBlockGraphAddInput(block, &type, wrong, -1, &value),
         "tile strides");
  expect(mirageGraphAddInput(block, "X", &type, &value), "no program");

  // Results of a kernel are as large, and of the type, that outputs say.
  type.strides = NULL;
  require(mirageBlockGraphAddInput(block, &type, wrong, -1, &value), "tile");
  value = add(block, "exp", value, 0, 1, NULL);
  expect(mirageBlockGraphAddOutput(block, value, wrong, NULL, &unknown),
         "output type");
  require(mirageBlockGraphAddOutput(block, value, wrong, NULL, NULL), "whole");
  require(mirageBlockGraphAddOutput(block, value, wrong, kX, &other), "wider");
  operands[0] = 0;
  require(mirageGraphAddBlockGraph(graph, block, operands, 1, operands),
          "kernel");
  printType(graph, operands[0]);
  printType(graph, operands[1]);
  operands[0] = 1;
  expect(mirageGraphAddBlockGraph(graph, block, operands, 1, operands),
         "other operand");
  require(mirageBlockGraphAddOutput(block, value, wrong, smaller, NULL),
          "smaller");
  operands[0] = 0;
  expect(mirageGraphAddBlockGraph(graph, block, operands, 1, operands),
         "smaller whole");
  mirageGraphDestroy(block);
  mirageGraphDestroy(graph);
}

int main(void) {
  MirageContext *context;
  MirageModule *module, *byHand;
  MirageGraph *program = makeProgram(), *kernel = makeKernel(), *back;
  MirageText json, again;
  MirageVerdict verdict;
  for (MirageValue value = 0; value < mirageGraphGetNumValues(program); ++value)
    printType(program, value);
  require(mirageContextCreate(1, &context), "context");
  require(mirageModuleFromGraph(context, program, "rms_linear", &module),
          "module");
  printModule(module);
  require(mirageModuleFromGraph(context, kernel, "rms_linear", &byHand),
          "module");
  printModule(byHand);
  require(mirageModulesVerify(module, byHand, NULL, &verdict, NULL), "verify");
  printf("verdict %d\n", (int)verdict);

  // To JSON, and through a module, and back.
  require(mirageGraphToJSON(kernel, &json), "to json");
  require(mirageGraphFromJSON(json.data, json.size, &back), "from json");
  require(mirageGraphToJSON(back, &again), "to json");
  printf("json %s\n", strcmp(json.data, again.data) ? "differs" : "same");
  mirageTextFree(&again);
  mirageGraphDestroy(back);
  require(mirageModuleGetGraph(byHand, NULL, &back), "from module");
  require(mirageGraphToJSON(back, &again), "to json");
  printf("module %s\n", strcmp(json.data, again.data) ? "differs" : "same");
  expect(mirageModuleGetGraph(byHand, "other", &back), "function");
  expect(mirageGraphFromJSON("{\"graph\": 3}", 12, &back), "no graph");
  mirageTextFree(&again);
  mirageTextFree(&json);

  testNames();
  testNumbers();
  testMistakes();
  testOriginal();
  mirageModuleDestroy(module);
  mirageModuleDestroy(byHand);
  mirageContextDestroy(context);
  mirageGraphDestroy(program);
  mirageGraphDestroy(kernel);
  return 0;
}
