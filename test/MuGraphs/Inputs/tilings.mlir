// What the µGraphs of tilings.mlir compute, as kernels.
func.func @matmul_64(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %e = tensor.empty() : tensor<64x64xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) {
  ^bb0(%a0: tensor<64x64xf16>, %b0: tensor<64x64xf16>):
    %o = mirage_kernel.matmul %a0, %b0 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    mirage_kernel.yield %o : tensor<64x64xf16>
  } : tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}

func.func @matmul_15(%a: tensor<15x15xf16>, %b: tensor<15x15xf16>) -> tensor<15x15xf16> {
  %e = tensor.empty() : tensor<15x15xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<15x15xf16>, tensor<15x15xf16>) outs(%e : tensor<15x15xf16>) {
  ^bb0(%a0: tensor<15x15xf16>, %b0: tensor<15x15xf16>):
    %o = mirage_kernel.matmul %a0, %b0 : (tensor<15x15xf16>, tensor<15x15xf16>) -> tensor<15x15xf16>
    mirage_kernel.yield %o : tensor<15x15xf16>
  } : tensor<15x15xf16>
  return %r : tensor<15x15xf16>
}

func.func @matmul_96x96x57(%a: tensor<96x57xf16>, %b: tensor<57x96xf16>) -> tensor<96x96xf16> {
  %e = tensor.empty() : tensor<96x96xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<96x57xf16>, tensor<57x96xf16>) outs(%e : tensor<96x96xf16>) {
  ^bb0(%a0: tensor<96x57xf16>, %b0: tensor<57x96xf16>):
    %o = mirage_kernel.matmul %a0, %b0 : (tensor<96x57xf16>, tensor<57x96xf16>) -> tensor<96x96xf16>
    mirage_kernel.yield %o : tensor<96x96xf16>
  } : tensor<96x96xf16>
  return %r : tensor<96x96xf16>
}

func.func @matmul_405x435x63(%a: tensor<405x63xf16>, %b: tensor<63x435xf16>) -> tensor<405x435xf16> {
  %e = tensor.empty() : tensor<405x435xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<405x63xf16>, tensor<63x435xf16>) outs(%e : tensor<405x435xf16>) {
  ^bb0(%a0: tensor<405x63xf16>, %b0: tensor<63x435xf16>):
    %o = mirage_kernel.matmul %a0, %b0 : (tensor<405x63xf16>, tensor<63x435xf16>) -> tensor<405x435xf16>
    mirage_kernel.yield %o : tensor<405x435xf16>
  } : tensor<405x435xf16>
  return %r : tensor<405x435xf16>
}

func.func @matmul_381x504x62(%a: tensor<381x62xf16>, %b: tensor<62x504xf16>) -> tensor<381x504xf16> {
  %e = tensor.empty() : tensor<381x504xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<381x62xf16>, tensor<62x504xf16>) outs(%e : tensor<381x504xf16>) {
  ^bb0(%a0: tensor<381x62xf16>, %b0: tensor<62x504xf16>):
    %o = mirage_kernel.matmul %a0, %b0 : (tensor<381x62xf16>, tensor<62x504xf16>) -> tensor<381x504xf16>
    mirage_kernel.yield %o : tensor<381x504xf16>
  } : tensor<381x504xf16>
  return %r : tensor<381x504xf16>
}

func.func @matmul_92x94x64(%a: tensor<92x64xf16>, %b: tensor<64x94xf16>) -> tensor<92x94xf16> {
  %e = tensor.empty() : tensor<92x94xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<92x64xf16>, tensor<64x94xf16>) outs(%e : tensor<92x94xf16>) {
  ^bb0(%a0: tensor<92x64xf16>, %b0: tensor<64x94xf16>):
    %o = mirage_kernel.matmul %a0, %b0 : (tensor<92x64xf16>, tensor<64x94xf16>) -> tensor<92x94xf16>
    mirage_kernel.yield %o : tensor<92x94xf16>
  } : tensor<92x94xf16>
  return %r : tensor<92x94xf16>
}

func.func @matmul_that_nothing_divides(%a: tensor<50x90xf16>, %b: tensor<90x70xf16>) -> tensor<50x70xf16> {
  %e = tensor.empty() : tensor<50x70xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<50x90xf16>, tensor<90x70xf16>) outs(%e : tensor<50x70xf16>) {
  ^bb0(%a0: tensor<50x90xf16>, %b0: tensor<90x70xf16>):
    %o = mirage_kernel.matmul %a0, %b0 : (tensor<50x90xf16>, tensor<90x70xf16>) -> tensor<50x70xf16>
    mirage_kernel.yield %o : tensor<50x70xf16>
  } : tensor<50x70xf16>
  return %r : tensor<50x70xf16>
}

func.func @matmul_of_a_batch_in_one_tile(%a: tensor<3x6x9xf16>, %b: tensor<3x9x4xf16>) -> tensor<3x6x4xf16> {
  %e = tensor.empty() : tensor<3x6x4xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<3x6x9xf16>, tensor<3x9x4xf16>) outs(%e : tensor<3x6x4xf16>) {
  ^bb0(%a0: tensor<3x6x9xf16>, %b0: tensor<3x9x4xf16>):
    %o = mirage_kernel.matmul %a0, %b0 : (tensor<3x6x9xf16>, tensor<3x9x4xf16>) -> tensor<3x6x4xf16>
    mirage_kernel.yield %o : tensor<3x6x4xf16>
  } : tensor<3x6x4xf16>
  return %r : tensor<3x6x4xf16>
}

func.func @matmul_of_batches_cut_in_two(%a: tensor<3x6x9xf16>, %b: tensor<3x9x4xf16>) -> tensor<3x6x4xf16> {
  %e = tensor.empty() : tensor<3x6x4xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<3x6x9xf16>, tensor<3x9x4xf16>) outs(%e : tensor<3x6x4xf16>) {
  ^bb0(%a0: tensor<3x6x9xf16>, %b0: tensor<3x9x4xf16>):
    %o = mirage_kernel.matmul %a0, %b0 : (tensor<3x6x9xf16>, tensor<3x9x4xf16>) -> tensor<3x6x4xf16>
    mirage_kernel.yield %o : tensor<3x6x4xf16>
  } : tensor<3x6x4xf16>
  return %r : tensor<3x6x4xf16>
}

func.func @matmul_with_batch_broadcast(%a: tensor<1x20x24xf16>, %b: tensor<5x24x18xf16>) -> tensor<5x20x18xf16> {
  %e = tensor.empty() : tensor<5x20x18xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<1x20x24xf16>, tensor<5x24x18xf16>) outs(%e : tensor<5x20x18xf16>) {
  ^bb0(%a0: tensor<1x20x24xf16>, %b0: tensor<5x24x18xf16>):
    %o = mirage_kernel.matmul %a0, %b0 : (tensor<1x20x24xf16>, tensor<5x24x18xf16>) -> tensor<5x20x18xf16>
    mirage_kernel.yield %o : tensor<5x20x18xf16>
  } : tensor<5x20x18xf16>
  return %r : tensor<5x20x18xf16>
}

func.func @matmul_of_two_batch_dimensions(%a: tensor<2x1x10x12xf16>, %b: tensor<3x12x7xf16>) -> tensor<2x3x10x7xf16> {
  %e = tensor.empty() : tensor<2x3x10x7xf16>
  %r = mirage_kernel.graph ins(%a, %b : tensor<2x1x10x12xf16>, tensor<3x12x7xf16>) outs(%e : tensor<2x3x10x7xf16>) {
  ^bb0(%a0: tensor<2x1x10x12xf16>, %b0: tensor<3x12x7xf16>):
    %o = mirage_kernel.matmul %a0, %b0 : (tensor<2x1x10x12xf16>, tensor<3x12x7xf16>) -> tensor<2x3x10x7xf16>
    mirage_kernel.yield %o : tensor<2x3x10x7xf16>
  } : tensor<2x3x10x7xf16>
  return %r : tensor<2x3x10x7xf16>
}

func.func @loop_sum_1x16x18(%a: tensor<1x16x18xf16>) -> tensor<1x16x1xf32> {
  %e = tensor.empty() : tensor<1x16x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<1x16x18xf16>) outs(%e : tensor<1x16x1xf32>) {
  ^bb0(%a0: tensor<1x16x18xf16>):
    %o = mirage_kernel.sum %a0 dims [2] : (tensor<1x16x18xf16>) -> tensor<1x16x1xf32>
    mirage_kernel.yield %o : tensor<1x16x1xf32>
  } : tensor<1x16x1xf32>
  return %r : tensor<1x16x1xf32>
}

func.func @loop_sum_of_tiles_1x16x18(%a: tensor<1x16x18xf16>) -> tensor<1x16x9xf32> {
  %e = tensor.empty() : tensor<1x16x9xf32>
  %r = mirage_kernel.graph ins(%a : tensor<1x16x18xf16>) outs(%e : tensor<1x16x9xf32>) {
  ^bb0(%a0: tensor<1x16x18xf16>):
    %c = mirage_kernel.reshape %a0 : (tensor<1x16x18xf16>) -> tensor<1x16x2x9xf16>
    %s = mirage_kernel.sum %c dims [2] : (tensor<1x16x2x9xf16>) -> tensor<1x16x1x9xf32>
    %o = mirage_kernel.reshape %s : (tensor<1x16x1x9xf32>) -> tensor<1x16x9xf32>
    mirage_kernel.yield %o : tensor<1x16x9xf32>
  } : tensor<1x16x9xf32>
  return %r : tensor<1x16x9xf32>
}

func.func @loop_sum_2x68x72(%a: tensor<2x68x72xf16>) -> tensor<2x68x1xf32> {
  %e = tensor.empty() : tensor<2x68x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<2x68x72xf16>) outs(%e : tensor<2x68x1xf32>) {
  ^bb0(%a0: tensor<2x68x72xf16>):
    %o = mirage_kernel.sum %a0 dims [2] : (tensor<2x68x72xf16>) -> tensor<2x68x1xf32>
    mirage_kernel.yield %o : tensor<2x68x1xf32>
  } : tensor<2x68x1xf32>
  return %r : tensor<2x68x1xf32>
}

func.func @loop_sum_of_tiles_2x68x72(%a: tensor<2x68x72xf16>) -> tensor<2x68x6xf32> {
  %e = tensor.empty() : tensor<2x68x6xf32>
  %r = mirage_kernel.graph ins(%a : tensor<2x68x72xf16>) outs(%e : tensor<2x68x6xf32>) {
  ^bb0(%a0: tensor<2x68x72xf16>):
    %c = mirage_kernel.reshape %a0 : (tensor<2x68x72xf16>) -> tensor<2x68x12x6xf16>
    %s = mirage_kernel.sum %c dims [2] : (tensor<2x68x12x6xf16>) -> tensor<2x68x1x6xf32>
    %o = mirage_kernel.reshape %s : (tensor<2x68x1x6xf32>) -> tensor<2x68x6xf32>
    mirage_kernel.yield %o : tensor<2x68x6xf32>
  } : tensor<2x68x6xf32>
  return %r : tensor<2x68x6xf32>
}

func.func @max_of_partial_tiles(%a: tensor<10x100xf16>) -> tensor<10x1xf32> {
  %e = tensor.empty() : tensor<10x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<10x100xf16>) outs(%e : tensor<10x1xf32>) {
  ^bb0(%a0: tensor<10x100xf16>):
    %o = mirage_kernel.max %a0 dims [1] : (tensor<10x100xf16>) -> tensor<10x1xf32>
    mirage_kernel.yield %o : tensor<10x1xf32>
  } : tensor<10x1xf32>
  return %r : tensor<10x1xf32>
}

func.func @mean_of_partial_tiles(%a: tensor<10x100xf16>) -> tensor<10x1xf32> {
  %e = tensor.empty() : tensor<10x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<10x100xf16>) outs(%e : tensor<10x1xf32>) {
  ^bb0(%a0: tensor<10x100xf16>):
    %o = mirage_kernel.mean %a0 dims [1] : (tensor<10x100xf16>) -> tensor<10x1xf32>
    mirage_kernel.yield %o : tensor<10x1xf32>
  } : tensor<10x1xf32>
  return %r : tensor<10x1xf32>
}

func.func @rms_of_partial_tiles(%a: tensor<10x100xf16>) -> tensor<10x1xf32> {
  %e = tensor.empty() : tensor<10x1xf32>
  %r = mirage_kernel.graph ins(%a : tensor<10x100xf16>) outs(%e : tensor<10x1xf32>) {
  ^bb0(%a0: tensor<10x100xf16>):
    %o = mirage_kernel.rms %a0 dims [1] : (tensor<10x100xf16>) -> tensor<10x1xf32>
    mirage_kernel.yield %o : tensor<10x1xf32>
  } : tensor<10x1xf32>
  return %r : tensor<10x1xf32>
}

func.func @softmax_of_partial_tiles(%a: tensor<10x100xf16>) -> tensor<10x100xf16> {
  %e = tensor.empty() : tensor<10x100xf16>
  %r = mirage_kernel.graph ins(%a : tensor<10x100xf16>) outs(%e : tensor<10x100xf16>) {
  ^bb0(%a0: tensor<10x100xf16>):
    %x = mirage_kernel.exp %a0 : (tensor<10x100xf16>) -> tensor<10x100xf32>
    %s = mirage_kernel.sum %x dims [1] : (tensor<10x100xf32>) -> tensor<10x1xf32>
    %o = mirage_kernel.div %x, %s : (tensor<10x100xf32>, tensor<10x1xf32>) -> tensor<10x100xf16>
    mirage_kernel.yield %o : tensor<10x100xf16>
  } : tensor<10x100xf16>
  return %r : tensor<10x100xf16>
}
