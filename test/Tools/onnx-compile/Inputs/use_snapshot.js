// Looks at the tensors of a snapshot on a page of onnx-compile report, and writes what it shows.
"use strict";
const facts = make("pre");
facts.id = "facts";
const say = (name, value) => { facts.textContent += name + ": " + value + "\n"; };
const boxes = () => [...document.querySelectorAll(".tensor")];
const title3 = () => at("values").querySelector("h3").textContent;
const lines = () => boxes().map(box => [...box.children].map(e => e.tagName === "CANVAS" ? e.width + "x" + e.height
  : e.tagName === "svg" ? e.querySelectorAll("rect").length + " bars" : e.textContent).join(" / "));
const red = canvas => {
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 0; i < data.length; i += 4) count += data[i] === 230 && data[i + 1] === 40;
  return count;
};
const show = () => lines().forEach(line => say(title3(), line));
say("scripts", document.scripts.length);
say("document title", document.title);
say("images", document.images.length);
show();
for (const op of ["Conv", "MatMul"]) {
  const layer = layers.find(layer => layer.op === op);
  if (!layer) continue;
  choose(layer.number);
  show();
  say("red pixels of " + op, [...document.querySelectorAll(".tensor canvas")].map(red).join(" "));
}
say("bad nodes", layers.filter(layer => layer.isBad).map(layer => layer.op).join(" "));
say("red frames", document.querySelectorAll(".node.bad").length);
say("left out", [...document.querySelectorAll("#values > .warning")].map(e => e.textContent).join(" "));
const choice = at("values").querySelector("select");
say("runs", choice ? [...choice.options].map(o => o.text).join(" ") : "one");
if (choice) {
  choice.value = "1";
  choice.dispatchEvent(new Event("change"));
  show();
  say("selected", at("values").querySelector("select").selectedOptions[0].text);
}
document.body.append(facts);
