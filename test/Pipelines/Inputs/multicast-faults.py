"""Plants faults in lowered kernels whose clusters load together.

  multicast-faults.py LOWERED.mlir FOLDER

writes FOLDER/FAULT.mlir for each of those below, in which all kernels have it.
"""
import pathlib
import re
import sys


def hand_back_at_home(text):
    """All arrivals of a warp are at the mbarrier of its own block."""
    return re.sub(
        r"nvvm\.mapa (%\w+), %\w+ : !llvm\.ptr<3> -> ",
        r"llvm.addrspacecast \1 : !llvm.ptr<3> to ",
        text,
    )


def keep(text):
    return re.sub(r"\n *nvvm\.mbarrier\.arrive %\w+ : !llvm\.ptr<7>", "", text)


def start_unready(text):
    return re.sub(
        r"nvvm\.cluster\.arrive \{aligned\}\n *nvvm\.cluster\.wait \{aligned\}",
        "gpu.barrier",
        text,
    )


def leave_early(text):
    """The last wait of a kernel is that for places which others hand back."""
    kernels = re.split(r"(?=gpu\.func @)", text)
    for number, kernel in enumerate(kernels):
        if "nvvm.mapa" not in kernel:
            continue
        begin = kernel.rindex("nvvm.mbarrier.try_wait")
        end = kernel.index("\n", begin)
        kernels[number] = kernel[:begin] + "arith.constant true" + kernel[end:]
    return "".join(kernels)


def copy_to_first(text):
    numbers = iter(range(len(text)))

    def name_first(match):
        mask = f"%first_block_{next(numbers)}"
        return (
            f"{match[1]}{mask} = arith.constant 1 : i16"
            f"{match[1]}{match[2]}multicast_mask = {mask}"
        )

    return re.sub(
        r"(\n *)(nvvm\.cp\.async\.bulk\.tensor[^\n]*)multicast_mask = %\w+", name_first, text
    )


FAULTS = {
    "home": hand_back_at_home,
    "kept": keep,
    "unready": start_unready,
    "gone": leave_early,
    "mask": copy_to_first,
}

lowered = pathlib.Path(sys.argv[1]).read_text()
for fault, plant in FAULTS.items():
    planted = plant(lowered)
    assert planted != lowered, f"there is no place for {fault}"
    pathlib.Path(sys.argv[2], fault + ".mlir").write_text(planted)
