"""compare-sizes.py round.json refined.json all.json: how much less more sizes are predicted to take."""
import json
import sys

rounded, refined, everything = (json.load(open(name))["graphs"][0]["predictedUs"] for name in sys.argv[1:])
print("round to refined:", "less, by 2 % or more" if refined <= 0.98 * rounded else f"{rounded} us, {refined} us")
print("refined to all:", "no more" if everything <= refined else f"{refined} us, {everything} us")
