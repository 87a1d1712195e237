# ===- open_page.py - Open a page in a browser -------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Opens a page in a browser: open_page.py BROWSER PAGE SCRIPT

Runs the script at the end of the page and prints the text that it leaves in
the element "facts". Fails for errors and messages of the page, and where the
browser asks for anything but the page.
"""

import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

browser, page, script = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
with tempfile.TemporaryDirectory() as folder:
    copy, log = pathlib.Path(folder, "page.html"), pathlib.Path(folder, "net.json")
    text = page.read_text()
    copy.write_text(text.replace("</body>", f"<script>{script.read_text()}</script></body>"))
    url = copy.as_uri()
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    options += [f"--user-data-dir={folder}/profile", "--enable-logging=stderr", "--window-size=1400,1600"]
    options += [f"--log-net-log={log}", "--virtual-time-budget=5000", "--dump-dom"]
    result = subprocess.run([browser, *options, url], capture_output=True, text=True, timeout=240, check=True)
    said = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
    requests = set(re.findall(r'"url":"([^"]*)"', log.read_text()))
others = {request for request in requests if not request.startswith(("file:", "data:"))}
if said or others:
    sys.exit(f"the page said {json.dumps(said)} and asked for {sorted(others)}")
facts = re.search(r'<pre id="facts">(.*?)</pre>', result.stdout, re.DOTALL)
print(html.unescape(facts[1]) if facts else "no facts")
