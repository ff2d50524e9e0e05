#!/usr/bin/env python3
"""Draws the picture of docs/MuGraphs.md, three levels of RMSNorm and a linear layer:

  docs/pictures/rmsnorm_linear.py > docs/pictures/rmsnorm_linear.svg

What it shows stands in examples/mugraphs/rmsnorm_linear-{kernel,block,thread}.mlir.
"""
LEVELS = {"kernel": "#e8eef7", "block": "#fdf1dc", "thread": "#e3f3e3"}
EDGE = {"kernel": "#3b5b8c", "block": "#a06a00", "thread": "#2f7a33"}


class Picture:
    def __init__(self, width, height):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="13">',
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#444"/></marker></defs>',
            f'<rect width="{width}" height="{height}" fill="white"/>']

    def frame(self, level, x, y, width, height, title, corner="top left"):
        """A graph of a level, with its title in a corner; where its values live is the
        title's last line."""
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" '
                          f'fill="{LEVELS[level]}" stroke="{EDGE[level]}"/>')
        top = y + 18 if "top" in corner else y + height - 8 - 16 * (len(title) - 1)
        side, anchor = (x + 10, "start") if "left" in corner else (x + width - 10, "end")
        for number, line in enumerate(title):
            self.text(side, top + 16 * number, line, color=EDGE[level], anchor=anchor,
                      weight="bold" if line != title[-1] else "normal")

    def op(self, level, x, y, name, width=110):
        """An operation, centred at (x, y)."""
        self.parts.append(f'<rect x="{x - width / 2:g}" y="{y - 14}" width="{width}" height="28" rx="14" '
                          f'fill="white" stroke="{EDGE[level]}" stroke-width="1.5"/>')
        self.text(x, y + 5, name)

    def tensor(self, x, y, name):
        """A value with a name of its own: what comes in and goes out."""
        self.text(x, y + 5, name, weight="bold")

    def text(self, x, y, text, color="#222", anchor="middle", weight="normal", size=13):
        self.parts.append(f'<text x="{x}" y="{y}" fill="{color}" text-anchor="{anchor}" '
                          f'font-weight="{weight}" font-size="{size}">{text}</text>')

    def arrow(self, *points, label=None, side=6):
        path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
        self.parts.append(f'<path d="{path}" fill="none" stroke="#444" marker-end="url(#tip)"/>')
        if label:
            (x0, y0), (x1, y1) = points[-2:]
            self.text((x0 + x1) / 2 + side, (y0 + y1) / 2 + 4, label, color="#555", size=11,
                      anchor="start" if side > 0 else "end")

    def __str__(self):
        return "\n".join(self.parts + ["</svg>"])


def draw_program(picture, x):
    """Before: three kernels."""
    picture.text(x + 125, 24, "The program: three kernels", weight="bold", size=15)
    picture.frame("kernel", x, 40, 250, 520, ["mirage_kernel.graph", "device memory"], "bottom left")
    left, right = x + 80, x + 190
    picture.tensor(left, 85, "x [8, 4096]")
    picture.tensor(right, 85, "w [4096, 6144]")
    picture.op("kernel", left + 40, 180, "rms")
    picture.op("kernel", left, 290, "div")
    picture.op("kernel", x + 125, 420, "matmul")
    picture.tensor(x + 125, 495, "o [8, 6144]")
    picture.arrow((left + 10, 95), (left + 35, 166))
    picture.arrow((left - 25, 95), (left - 25, 276))
    picture.arrow((left + 35, 194), (left + 8, 276), label="[8, 1]", side=8)
    picture.arrow((left + 5, 304), (x + 110, 406), label="[8, 4096]", side=8)
    picture.arrow((right, 95), (right, 330), (x + 145, 406))
    picture.arrow((x + 125, 434), (x + 125, 483))


def draw_mugraph(picture, x):
    """After: one kernel, and what its warps do."""
    picture.text(x + 310, 24, "The µGraph: one kernel, three levels", weight="bold", size=15)
    picture.frame("kernel", x, 40, 620, 520, ["mirage_kernel.graph", "device memory"], "bottom left")
    picture.tensor(x + 130, 80, "x [8, 4096]")
    picture.tensor(x + 420, 80, "w [4096, 6144]")
    picture.frame("block", x + 15, 125, 590, 380,
                  ["mirage_block.graph", "grid(x = 128) loop(16)", "shared memory"], "bottom left")
    picture.arrow((x + 130, 90), (x + 130, 158))
    picture.text(x + 138, 112, "fmap(1)", color="#555", size=11, anchor="start")
    picture.arrow((x + 420, 90), (x + 420, 158))
    picture.text(x + 428, 112, "imap(x → 1) fmap(0)", color="#555", size=11, anchor="start")
    picture.tensor(x + 130, 168, "tile [8, 256]")
    picture.tensor(x + 420, 168, "tile [256, 48]")
    picture.frame("thread", x + 250, 200, 340, 120,
                  ["mirage_thread.graph", "items(x = 6) steps(16)", "registers"], "top right")
    picture.op("thread", x + 330, 280, "matmul")
    picture.op("thread", x + 490, 280, "accumulate", 120)
    picture.arrow((x + 385, 280), (x + 430, 280))
    picture.arrow((x + 180, 172), (x + 320, 266))
    picture.text(x + 200, 194, "[16, 16]", color="#555", size=11, anchor="end")
    picture.arrow((x + 410, 178), (x + 340, 266))
    picture.text(x + 410, 194, "[16, 8]", color="#555", size=11, anchor="start")
    picture.op("block", x + 130, 350, "accumulate over loop rms", 190)
    picture.op("block", x + 490, 350, "accumulate over loop sum", 190)
    picture.arrow((x + 130, 178), (x + 130, 336))
    picture.arrow((x + 490, 294), (x + 490, 336), label="[8, 48]")
    picture.parts.append(f'<path d="M{x + 30} 376H{x + 590}" stroke="{EDGE["block"]}" stroke-dasharray="5 4"/>')
    picture.text(x + 310, 372, "↑ the loop", color=EDGE["block"], size=11)
    picture.text(x + 310, 391, "↓ after the loop", color=EDGE["block"], size=11)
    picture.frame("thread", x + 190, 404, 260, 70, ["mirage_thread.graph items(x = 8)", "registers"])
    picture.op("thread", x + 370, 454, "div")
    picture.arrow((x + 130, 364), (x + 130, 454), (x + 315, 454))
    picture.text(x + 165, 447, "[8, 1]", color="#555", size=11)
    picture.arrow((x + 490, 364), (x + 490, 454), (x + 425, 454))
    picture.tensor(x + 370, 540, "o [8, 6144]")
    picture.arrow((x + 370, 468), (x + 370, 528), label="omap(x → 1)")


def main():
    picture = Picture(930, 580)
    draw_program(picture, 10)
    draw_mugraph(picture, 290)
    print(picture)


main()
