func.func @read_on(%a0: tensor<64x64xf32>) -> (tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xbf16>, tensor<64x64xf32>) {
  %e0 = tensor.empty() : tensor<64x64xf16>
  %e1 = tensor.empty() : tensor<64x64xf32>
  %e2 = tensor.empty() : tensor<64x64xbf16>
  %e3 = tensor.empty() : tensor<64x64xf32>
  %r:4 = mirage_kernel.graph ins(%a0 : tensor<64x64xf32>) outs(%e0, %e1, %e2, %e3 : tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xbf16>, tensor<64x64xf32>) {
  ^bb0(%k0: tensor<64x64xf32>):
    %o:4 = mirage_block.graph grid() threads(128) ins(%k0 imap()) outs(omap(), omap(), omap(), omap()) : (tensor<64x64xf32>) -> (tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xbf16>, tensor<64x64xf32>) {
    ^bb0(%t0: tensor<64x64xf32>):
      %v0 = mirage_block.exp %t0 : tensor<64x64xf32>
      %v1 = mirage_block.tanh %v0 : tensor<64x64xf32>
      %v2 = mirage_block.mul %v1, %v0 : tensor<64x64xf32>, tensor<64x64xf32>
      mirage_block.yield %v0, %v0, %v1, %v2 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    }
    mirage_kernel.yield %o#0, %o#1, %o#2, %o#3 : tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xbf16>, tensor<64x64xf32>
  } : tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xbf16>, tensor<64x64xf32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xbf16>, tensor<64x64xf32>
}

func.func @one_dimension(%a0: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %e0 = tensor.empty() : tensor<1000xf32>
  %e1 = tensor.empty() : tensor<1000xf32>
  %r:2 = mirage_kernel.graph ins(%a0 : tensor<1000xf32>) outs(%e0, %e1 : tensor<1000xf32>, tensor<1000xf32>) {
  ^bb0(%k0: tensor<1000xf32>):
    %o:2 = mirage_block.graph grid() threads(1024) ins(%k0 imap()) outs(omap(), omap()) : (tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
    ^bb0(%t0: tensor<1000xf32>):
      %v0 = mirage_block.exp %t0 : tensor<1000xf32>
      %v1 = mirage_block.tanh %v0 : tensor<1000xf32>
      %v2 = mirage_block.add %v1, %v0 : tensor<1000xf32>, tensor<1000xf32>
      mirage_block.yield %v0, %v2 : tensor<1000xf32>, tensor<1000xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<1000xf32>, tensor<1000xf32>
  } : tensor<1000xf32>, tensor<1000xf32>
  return %r#0, %r#1 : tensor<1000xf32>, tensor<1000xf32>
}

func.func @shares(%a0: tensor<1000xf16>) -> (tensor<1000xf16>, tensor<1000xf32>) {
  %e0 = tensor.empty() : tensor<1000xf16>
  %e1 = tensor.empty() : tensor<1000xf32>
  %r:2 = mirage_kernel.graph ins(%a0 : tensor<1000xf16>) outs(%e0, %e1 : tensor<1000xf16>, tensor<1000xf32>) {
  ^bb0(%k0: tensor<1000xf16>):
    %o:2 = mirage_block.graph grid() threads(384) ins(%k0 imap()) outs(omap(), omap()) : (tensor<1000xf16>) -> (tensor<1000xf16>, tensor<1000xf32>) {
    ^bb0(%t0: tensor<1000xf16>):
      %v0 = mirage_block.exp %t0 : tensor<1000xf16>
      %v1 = mirage_block.tanh %v0 : tensor<1000xf32>
      %v2 = mirage_block.add %v1, %v0 : tensor<1000xf32>, tensor<1000xf32>
      mirage_block.yield %v0, %v2 : tensor<1000xf32>, tensor<1000xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<1000xf16>, tensor<1000xf32>
  } : tensor<1000xf16>, tensor<1000xf32>
  return %r#0, %r#1 : tensor<1000xf16>, tensor<1000xf32>
}

func.func @fewer_items_than_warps(%a0: tensor<5x96xf16>) -> (tensor<5x96xf16>, tensor<5x96xf32>) {
  %e0 = tensor.empty() : tensor<5x96xf16>
  %e1 = tensor.empty() : tensor<5x96xf32>
  %r:2 = mirage_kernel.graph ins(%a0 : tensor<5x96xf16>) outs(%e0, %e1 : tensor<5x96xf16>, tensor<5x96xf32>) {
  ^bb0(%k0: tensor<5x96xf16>):
    %o:2 = mirage_block.graph grid() threads(1024) ins(%k0 imap()) outs(omap(), omap()) : (tensor<5x96xf16>) -> (tensor<5x96xf16>, tensor<5x96xf32>) {
    ^bb0(%t0: tensor<5x96xf16>):
      %v0 = mirage_block.exp %t0 : tensor<5x96xf16>
      %v1 = mirage_block.tanh %v0 : tensor<5x96xf32>
      %v2 = mirage_block.add %v1, %v0 : tensor<5x96xf32>, tensor<5x96xf32>
      mirage_block.yield %v0, %v2 : tensor<5x96xf32>, tensor<5x96xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<5x96xf16>, tensor<5x96xf32>
  } : tensor<5x96xf16>, tensor<5x96xf32>
  return %r#0, %r#1 : tensor<5x96xf16>, tensor<5x96xf32>
}

func.func @bytes(%a0: tensor<1x1000xf8E4M3FN>) -> tensor<1x1000xf32> {
  %e0 = tensor.empty() : tensor<1x1000xf32>
  %r = mirage_kernel.graph ins(%a0 : tensor<1x1000xf8E4M3FN>) outs(%e0 : tensor<1x1000xf32>) {
  ^bb0(%k0: tensor<1x1000xf8E4M3FN>):
    %o = mirage_block.graph grid() threads(384) ins(%k0 imap()) outs(omap()) : (tensor<1x1000xf8E4M3FN>) -> tensor<1x1000xf32> {
    ^bb0(%t0: tensor<1x1000xf8E4M3FN>):
      %v0 = mirage_block.tanh %t0 : tensor<1x1000xf8E4M3FN>
      %v1 = mirage_block.tanh %v0 : tensor<1x1000xf32>
      %v2 = mirage_block.add %v1, %v0 : tensor<1x1000xf32>, tensor<1x1000xf32>
      mirage_block.yield %v2 : tensor<1x1000xf32>
    }
    mirage_kernel.yield %o : tensor<1x1000xf32>
  } : tensor<1x1000xf32>
  return %r : tensor<1x1000xf32>
}

func.func @beyond_the_end(%a0: tensor<32x99xf16>) -> (tensor<32x99xf16>, tensor<32x99xf16>) {
  %e0 = tensor.empty() : tensor<32x99xf16>
  %e1 = tensor.empty() : tensor<32x99xf16>
  %r:2 = mirage_kernel.graph ins(%a0 : tensor<32x99xf16>) outs(%e0, %e1 : tensor<32x99xf16>, tensor<32x99xf16>) {
  ^bb0(%k0: tensor<32x99xf16>):
    %o:2 = mirage_block.graph grid(x = 3) threads(256) ins(%k0 imap(x -> 1)) outs(omap(x -> 1), omap(x -> 1)) : (tensor<32x99xf16>) -> (tensor<32x99xf16>, tensor<32x99xf16>) {
    ^bb0(%t0: tensor<32x40xf16>):
      %v0 = mirage_block.exp %t0 : tensor<32x40xf16>
      %v1 = mirage_block.tanh %v0 : tensor<32x40xf32>
      mirage_block.yield %v0, %v1 : tensor<32x40xf32>, tensor<32x40xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<32x99xf16>, tensor<32x99xf16>
  } : tensor<32x99xf16>, tensor<32x99xf16>
  return %r#0, %r#1 : tensor<32x99xf16>, tensor<32x99xf16>
}

func.func @rows(%a0: tensor<33x48xf16>) -> (tensor<33x48xf16>, tensor<33x48xf32>, tensor<33x1xf32>) {
  %e0 = tensor.empty() : tensor<33x48xf16>
  %e1 = tensor.empty() : tensor<33x48xf32>
  %e2 = tensor.empty() : tensor<33x1xf32>
  %r:3 = mirage_kernel.graph ins(%a0 : tensor<33x48xf16>) outs(%e0, %e1, %e2 : tensor<33x48xf16>, tensor<33x48xf32>, tensor<33x1xf32>) {
  ^bb0(%k0: tensor<33x48xf16>):
    %o:3 = mirage_block.graph grid(x = 3) threads(160) ins(%k0 imap(x -> 0)) outs(omap(x -> 0), omap(x -> 0), omap(x -> 0)) : (tensor<33x48xf16>) -> (tensor<33x48xf16>, tensor<33x48xf32>, tensor<33x1xf32>) {
    ^bb0(%t0: tensor<11x48xf16>):
      %v0 = mirage_block.max %t0 dims [1] : tensor<11x48xf16>
      %v1 = mirage_block.sub %t0, %v0 : tensor<11x48xf16>, tensor<11x1xf32>
      %v2 = mirage_block.exp %v1 : tensor<11x48xf32>
      %v3 = mirage_block.sum %v2 dims [1] : tensor<11x48xf32>
      %v4 = mirage_block.div %v2, %v3 : tensor<11x48xf32>, tensor<11x1xf32>
      mirage_block.yield %v4, %v2, %v0 : tensor<11x48xf32>, tensor<11x48xf32>, tensor<11x1xf32>
    }
    mirage_kernel.yield %o#0, %o#1, %o#2 : tensor<33x48xf16>, tensor<33x48xf32>, tensor<33x1xf32>
  } : tensor<33x48xf16>, tensor<33x48xf32>, tensor<33x1xf32>
  return %r#0, %r#1, %r#2 : tensor<33x48xf16>, tensor<33x48xf32>, tensor<33x1xf32>
}

func.func @rows_of_steps(%a0: tensor<24x88xf32>) -> tensor<24x88xf16> {
  %e0 = tensor.empty() : tensor<24x88xf16>
  %r = mirage_kernel.graph ins(%a0 : tensor<24x88xf32>) outs(%e0 : tensor<24x88xf16>) {
  ^bb0(%k0: tensor<24x88xf32>):
    %o = mirage_block.graph grid() threads(96) ins(%k0 imap()) outs(omap()) : (tensor<24x88xf32>) -> tensor<24x88xf16> {
    ^bb0(%t0: tensor<24x88xf32>):
      %v0 = mirage_block.tanh %t0 : tensor<24x88xf32>
      %v1 = mirage_block.exp %v0 : tensor<24x88xf32>
      %v2 = mirage_block.rms %v1 dims [1] : tensor<24x88xf32>
      %v3 = mirage_block.div %v1, %v2 : tensor<24x88xf32>, tensor<24x1xf32>
      mirage_block.yield %v3 : tensor<24x88xf32>
    }
    mirage_kernel.yield %o : tensor<24x88xf16>
  } : tensor<24x88xf16>
  return %r : tensor<24x88xf16>
}

func.func @loop(%a0: tensor<16x256xf16>) -> (tensor<16x64xf16>, tensor<16x64xf16>, tensor<16x64xbf16>) {
  %e0 = tensor.empty() : tensor<16x64xf16>
  %e1 = tensor.empty() : tensor<16x64xf16>
  %e2 = tensor.empty() : tensor<16x64xbf16>
  %r:3 = mirage_kernel.graph ins(%a0 : tensor<16x256xf16>) outs(%e0, %e1, %e2 : tensor<16x64xf16>, tensor<16x64xf16>, tensor<16x64xbf16>) {
  ^bb0(%k0: tensor<16x256xf16>):
    %o:3 = mirage_block.graph grid() threads(128) loop(4) stages(2) ins(%k0 imap() fmap(1)) outs(omap(), omap(), omap()) : (tensor<16x256xf16>) -> (tensor<16x64xf16>, tensor<16x64xf16>, tensor<16x64xbf16>) {
    ^bb0(%t0: tensor<16x64xf16>):
      %v0 = mirage_block.exp %t0 : tensor<16x64xf16>
      %v1 = mirage_block.accumulate %v0 over loop sum : tensor<16x64xf32>
      %v2 = mirage_block.tanh %v1 : tensor<16x64xf32>
      mirage_block.yield %v1, %v2, %v1 : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
    }
    mirage_kernel.yield %o#0, %o#1, %o#2 : tensor<16x64xf16>, tensor<16x64xf16>, tensor<16x64xbf16>
  } : tensor<16x64xf16>, tensor<16x64xf16>, tensor<16x64xbf16>
  return %r#0, %r#1, %r#2 : tensor<16x64xf16>, tensor<16x64xf16>, tensor<16x64xbf16>
}

func.func @sums_of_one_value(%a0: tensor<12x192xbf16>) -> (tensor<12x48xf32>, tensor<12x48xf32>, tensor<12x48xf16>) {
  %e0 = tensor.empty() : tensor<12x48xf32>
  %e1 = tensor.empty() : tensor<12x48xf32>
  %e2 = tensor.empty() : tensor<12x48xf16>
  %r:3 = mirage_kernel.graph ins(%a0 : tensor<12x192xbf16>) outs(%e0, %e1, %e2 : tensor<12x48xf32>, tensor<12x48xf32>, tensor<12x48xf16>) {
  ^bb0(%k0: tensor<12x192xbf16>):
    %o:3 = mirage_block.graph grid() threads(384) loop(4) ins(%k0 imap() fmap(1)) outs(omap(), omap(), omap()) : (tensor<12x192xbf16>) -> (tensor<12x48xf32>, tensor<12x48xf32>, tensor<12x48xf16>) {
    ^bb0(%t0: tensor<12x48xbf16>):
      %v0 = mirage_block.tanh %t0 : tensor<12x48xbf16>
      %v1 = mirage_block.square %v0 : tensor<12x48xf32>
      %v2 = mirage_block.accumulate %v0 over loop sum : tensor<12x48xf32>
      %v3 = mirage_block.accumulate %v1 over loop sum : tensor<12x48xf32>
      %v4 = mirage_block.accumulate %v0 over loop max : tensor<12x48xf32>
      mirage_block.yield %v2, %v3, %v4 : tensor<12x48xf32>, tensor<12x48xf32>, tensor<12x48xf32>
    }
    mirage_kernel.yield %o#0, %o#1, %o#2 : tensor<12x48xf32>, tensor<12x48xf32>, tensor<12x48xf16>
  } : tensor<12x48xf32>, tensor<12x48xf32>, tensor<12x48xf16>
  return %r#0, %r#1, %r#2 : tensor<12x48xf32>, tensor<12x48xf32>, tensor<12x48xf16>
}

func.func @rows_behind_the_loop(%a0: tensor<3x192xf16>) -> (tensor<3x48xf32>, tensor<3x48xf16>) {
  %e0 = tensor.empty() : tensor<3x48xf32>
  %e1 = tensor.empty() : tensor<3x48xf16>
  %r:2 = mirage_kernel.graph ins(%a0 : tensor<3x192xf16>) outs(%e0, %e1 : tensor<3x48xf32>, tensor<3x48xf16>) {
  ^bb0(%k0: tensor<3x192xf16>):
    %o:2 = mirage_block.graph grid() threads(256) loop(4) ins(%k0 imap() fmap(1)) outs(omap(), omap()) : (tensor<3x192xf16>) -> (tensor<3x48xf32>, tensor<3x48xf16>) {
    ^bb0(%t0: tensor<3x48xf16>):
      %v0 = mirage_block.exp %t0 : tensor<3x48xf16>
      %v1 = mirage_block.accumulate %v0 over loop sum : tensor<3x48xf32>
      %v2 = mirage_block.max %v1 dims [1] : tensor<3x48xf32>
      %v3 = mirage_block.sub %v1, %v2 : tensor<3x48xf32>, tensor<3x1xf32>
      %v4 = mirage_block.exp %v3 : tensor<3x48xf32>
      %v5 = mirage_block.sum %v4 dims [1] : tensor<3x48xf32>
      %v6 = mirage_block.div %v4, %v5 : tensor<3x48xf32>, tensor<3x1xf32>
      mirage_block.yield %v1, %v6 : tensor<3x48xf32>, tensor<3x48xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<3x48xf32>, tensor<3x48xf16>
  } : tensor<3x48xf32>, tensor<3x48xf16>
  return %r#0, %r#1 : tensor<3x48xf32>, tensor<3x48xf16>
}

func.func @averages(%a0: tensor<12x192xbf16>) -> (tensor<12x48xf16>, tensor<12x48xf32>) {
  %e0 = tensor.empty() : tensor<12x48xf16>
  %e1 = tensor.empty() : tensor<12x48xf32>
  %r:2 = mirage_kernel.graph ins(%a0 : tensor<12x192xbf16>) outs(%e0, %e1 : tensor<12x48xf16>, tensor<12x48xf32>) {
  ^bb0(%k0: tensor<12x192xbf16>):
    %o:2 = mirage_block.graph grid() threads(192) loop(4) ins(%k0 imap() fmap(1)) outs(omap(), omap()) : (tensor<12x192xbf16>) -> (tensor<12x48xf16>, tensor<12x48xf32>) {
    ^bb0(%t0: tensor<12x48xbf16>):
      %v0 = mirage_block.tanh %t0 : tensor<12x48xbf16>
      %v1 = mirage_block.accumulate %v0 over loop mean : tensor<12x48xf32>
      %v2 = mirage_block.accumulate %v0 over loop rms : tensor<12x48xf32>
      %v3 = mirage_block.div %v1, %v2 : tensor<12x48xf32>, tensor<12x48xf32>
      mirage_block.yield %v1, %v3 : tensor<12x48xf32>, tensor<12x48xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<12x48xf16>, tensor<12x48xf32>
  } : tensor<12x48xf16>, tensor<12x48xf32>
  return %r#0, %r#1 : tensor<12x48xf16>, tensor<12x48xf32>
}

func.func @sums_of_rows(%a0: tensor<6x128xf32>) -> (tensor<6x1xf32>, tensor<6x1xf32>) {
  %e0 = tensor.empty() : tensor<6x1xf32>
  %e1 = tensor.empty() : tensor<6x1xf32>
  %r:2 = mirage_kernel.graph ins(%a0 : tensor<6x128xf32>) outs(%e0, %e1 : tensor<6x1xf32>, tensor<6x1xf32>) {
  ^bb0(%k0: tensor<6x128xf32>):
    %o:2 = mirage_block.graph grid() threads(96) loop(2) ins(%k0 imap() fmap(1)) outs(omap(), omap()) : (tensor<6x128xf32>) -> (tensor<6x1xf32>, tensor<6x1xf32>) {
    ^bb0(%t0: tensor<6x64xf32>):
      %v0 = mirage_block.tanh %t0 : tensor<6x64xf32>
      %v1 = mirage_block.sum %v0 dims [1] : tensor<6x64xf32>
      %v2 = mirage_block.accumulate %v1 over loop sum : tensor<6x1xf32>
      %v3 = mirage_block.sigmoid %v2 : tensor<6x1xf32>
      %v4 = mirage_block.tanh %v3 : tensor<6x1xf32>
      %v5 = mirage_block.mul %v4, %v2 : tensor<6x1xf32>, tensor<6x1xf32>
      mirage_block.yield %v3, %v5 : tensor<6x1xf32>, tensor<6x1xf32>
    }
    mirage_kernel.yield %o#0, %o#1 : tensor<6x1xf32>, tensor<6x1xf32>
  } : tensor<6x1xf32>, tensor<6x1xf32>
  return %r#0, %r#1 : tensor<6x1xf32>, tensor<6x1xf32>
}
