"""Pictures of pages for the documents, small and alike: one size of screen, few colours, and times that stand still.

`PICTURES=renew` writes them; else whoever asks for one is told whether it is there.
"""

import os
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

FOLDER = Path(__file__).parents[2] / "docs" / "images"
SCREEN = {"width": 1360, "height": 900}
AS_SEEN = {"viewport": SCREEN, "timezone_id": "Europe/Amsterdam", "locale": "en-GB", "color_scheme": "light",
           "reduced_motion": "reduce"}  # fmt: skip
MOST_BYTES, MOST_TOGETHER, COLOURS, TALLEST = 100_000, 6_000_000, (64, 32, 16), 1_100
# What says when, and how long it took, is the same in each picture, so that a new one differs where its page does.
_STILL = r"""() => {
    const same = [[/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "2026-11-24 06:00:00"],
                  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) 2026-11-24/g, "Tue 2026-11-24"],
                  [/\b\d+(\.\d+)? (ms|s)\b/g, "0.2 s"],
                  [/\b\d+ (s|min) ago\b/g, "1 min ago"], [/\bin \d+ (s|min|h)\b/g, "in 1 min"]];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
        for (const [found, instead] of same) texts.currentNode.data = texts.currentNode.data.replace(found, instead);
    if (document.activeElement) document.activeElement.blur();
    scrollTo(0, 0);
}"""


def are_renewed() -> bool:
    """Return whether the pictures are to be written afresh."""
    return os.environ.get("PICTURES") == "renew"


def picture(page: Page, name: str) -> None:
    """Write the picture of the page that is open, or assert that there is one."""
    path = FOLDER / name
    if are_renewed():
        page.evaluate(_STILL)
        taken = Image.open(BytesIO(page.screenshot(full_page=True, caret="hide"))).convert("RGB")
        shown = taken.crop((0, 0, taken.width, min(taken.height, TALLEST)))
        path.parent.mkdir(exist_ok=True)
        for colours in COLOURS:  # a page full of words is too large in many
            shown.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)
            if path.stat().st_size <= MOST_BYTES:
                break
    assert path.exists(), f"{name} is not there: make pictures"
