"""masked-keys.py FOLDER: inputs of products-ahead-masked.mlir by which tiles of 64 keys are masked
whole, the first ones among them, and others in part: keys whose first feature is minus infinity where
that of all queries is 1, and an additive mask that differs from query to query."""
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(1)


def draw(*shape):
    return (random.standard_normal(shape) / 4).astype(numpy.float16)


queries, keys = draw(1, 128, 64), draw(1, 64, 576)
queries[0, :, 0] = 1
for begin, end in ((0, 192), (200, 210), (320, 384), (512, 576)):
    keys[0, 0, begin:end] = -numpy.inf
mask = numpy.zeros((1, 128, 576), numpy.float32)
mask[0, :64, :192] = mask[0, 32:, 320:448] = mask[0, :, 512:] = mask[0, ::2, 200:210] = -numpy.inf
for name, array in (("queries", queries), ("keys", keys), ("mask", mask)):
    numpy.save(folder / f"{name}.npy", array)
