#!/usr/bin/env python3
"""Prints what a report of --mirage-superoptimize="report=FILE" says, for people.

  utils/print-report.py report.json
"""
import json
import sys

# Options of the search that bound it.
LIMITS = ("max-kernels", "max-ops", "max-block-ops", "max-grid-axes", "max-states",
          "candidates", "time-limit-s")


def describe_bound(verdict):
    log2 = verdict.get("provedLog2")
    if log2 == "-inf":
        return "proved outright"
    if not verdict.get("meetsBound", True):
        proved = f"only 2^{log2:.1f}" if log2 else "no bound"
        return f"{proved} proved: {verdict.get('whyWeaker')}"
    return (f"wrong with probability at most 2^{log2:.0f}, proved, after "
            f"{verdict['trials']} trials over {verdict['towers']} towers of primes")


def describe_rounds(rounds):
    """How far each walk went: for one kernel and for several, with atoms as functions and written out."""
    walks = {}
    for one in rounds:
        walk = walks.setdefault((one["maxKernels"], one["atoms"]), {"states": 0, "operators": 0, "seconds": 0})
        walk["states"] += one["counts"]["states"]
        walk["seconds"] += one.get("seconds", 0)
        if one["complete"]:
            walk["operators"] = one["operators"]
    for (kernels, atoms), walk in walks.items():
        print(f"            {'one kernel' if kernels == 1 else f'up to {kernels} kernels'}, atoms {atoms}: "
              f"complete up to {walk['operators']} operators, {walk['states']} states, {walk['seconds']:.2f} s")


def describe(graph):
    search = graph.get("search", {})
    counts = search.get("counts", {})
    pruned = counts.get("pruned", {})
    print(f"@{graph['function']}:")
    print(f"  explored  {counts.get('states', 0)} states, "
          f"{sum(pruned.values())} pruned "
          f"({', '.join(f'{name} {n}' for name, n in pruned.items() if n)})")
    if options := graph.get("options"):
        hit = ", ".join(graph.get("limitsHit", [])) or "none"
        print(f"  took      {search.get('seconds', 0):.2f} s on {options['threads']} threads, "
              f"{search.get('statesPerSecond', 0):.0f} states/s; limits reached: {hit}")
        print("  limits    " + ", ".join(f"{name} {options[name]}" for name in LIMITS))
    describe_rounds(search.get("rounds", []))
    if search.get("cuts"):
        print(f"  cut       {search['cuts']} times by a bound on cost")
    if search.get("recalled"):
        print(f"  recalled  {search['recalled']} items from the checkpoint")
    if search.get("parts"):
        print(f"  cut into  {search['parts']} parts")
    print(f"  found     {search.get('structures', 0)} structures, "
          f"{search.get('verified', 0)} verified, {search.get('rejected', 0)} rejected; "
          f"{search.get('instances', 0)} tilings tried; stopped: {graph.get('stopReason')}")
    if not graph.get("replaced"):
        print(f"  left as it was: {graph.get('whyNot')}")
        for miss in graph.get("nearMisses", []):
            print(f"  near miss {miss['predictedUs']:.2f} us: {miss['why']}")
        return
    kernels = graph.get("kernels", 1)
    print(f"  result    {kernels} kernel{'s' if kernels > 1 else ''}")
    for sizes in graph.get("sizes", []):
        if "library" in sizes:
            print(f"            a {sizes['library']} of the library")
            continue
        print(f"            {sizes['blocks']} blocks of {sizes['threads']} threads, "
              f"{sizes['loop']} iterations, {sizes['stages']} stages of loads")
    predicted = graph["predictedUs"]
    print(f"  predicted {predicted:.2f} us; operators one by one "
          f"{search['baselineUs']:.2f} us; limit of device memory {search['limitUs']:.2f} us "
          f"({predicted / search['limitUs']:.2f} times that)")
    for miss in graph.get("nearMisses", []):
        if miss["predictedUs"] < predicted:
            print(f"  cheaper   {miss['predictedUs']:.2f} us: {miss['why']}")
    small, full = graph["smallSizes"], graph["fullSize"]
    print(f"  verdict   {small['verdict']}: {describe_bound(small)} (at small sizes)")
    own = (f"{full['verdict']} at its own sizes, {full['trials']} trials"
           if full["verdict"] == "equal" else full["reason"])
    print(f"            {own}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: utils/print-report.py report.json")
    with open(sys.argv[1]) as file:
        report = json.load(file)
    for graph in report["graphs"]:
        describe(graph)


if __name__ == "__main__":
    main()
